import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, startServer } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';

/** The sellers here: each answers a request later, with the result that the test sets. */
export const slowSellers = [
  { slug: 'mcp31', form: '3.1', wire: 'mcp' },
  { slug: 'mcp30', form: '3.0', wire: 'mcp' },
  { slug: 'a2a31', form: '3.1', wire: 'a2a' },
] as const;
export type SlowSlug = (typeof slowSellers)[number]['slug'];

/** The result of a request at a seller: its payload, or its errors. */
type Ending = JsonObject | 'open' | 'forgotten' | 'bare';

export interface SlowSellers {
  urlOf(slug: SlowSlug): string;
  /**
   * Sets a seller's immediate answer; by default `submitted` with a task. Of several payloads each is used once, in
   * order, and the last one from then on.
   */
  says(slug: SlowSlug, payload: JsonObject | readonly JsonObject[] | undefined): void;
  /** Sets how long it takes for each request, in milliseconds; by default no time. */
  takes(slug: SlowSlug, ms: number): void;
  /** Sets the result of its tasks. */
  ends(slug: SlowSlug, ending: Ending): void;
  /** Sets its accounts; by default it knows none. */
  keepsAccounts(slug: SlowSlug, accounts: readonly JsonObject[]): void;
  /** Makes it refuse cancellations. */
  refusesToCancel(slug: SlowSlug): void;
  /** Returns all calls that it received, in order. */
  received(slug: SlowSlug): readonly { readonly tool: string; readonly args: JsonObject }[];
  forget(): void;
  close(): Promise<void>;
}

const tools = [
  'get_adcp_capabilities',
  'get_products',
  'get_signals',
  'create_media_buy',
  'update_media_buy',
  'report_usage',
  'list_accounts',
  'tasks/get',
  'tasks/cancel',
];

/** Opens sellers over HTTP that answer market requests with a task, and then polls of that task. */
export async function openSlowSellers(): Promise<SlowSellers> {
  const inline = new Map<string, JsonObject[]>();
  const endings = new Map<string, Ending>();
  const accounts = new Map<string, readonly JsonObject[]>();
  const unwilling = new Set<string>();
  const delays = new Map<string, number>();
  let calls: { readonly slug: string; readonly tool: string; readonly args: JsonObject }[] = [];
  const hear = (slug: string, tool: string, args: JsonObject): JsonObject => {
    if (tool === 'get_adcp_capabilities') return capabilities(slug);
    if (tool === 'list_accounts') return { accounts: [...(accounts.get(slug) ?? [])] };
    calls.push({ slug, tool, args });
    const ending = endings.get(slug) ?? 'open';
    if (tool === 'tasks/cancel')
      return unwilling.has(slug)
        ? { errors: [{ code: 'NOT_CANCELLABLE', message: 'It is nearly done.' }] }
        : { task_id: args['task_id'] ?? '', status: 'canceled' };
    if (tool !== 'tasks/get') {
      const reported = inline.get(slug) ?? [];
      const next = reported.length > 1 ? reported.shift() : reported[0];
      return next ?? { status: 'submitted', task_id: `task-${slug}` };
    }
    return taskOf(textOf(args['task_id']), ending);
  };
  const server = await startServer((request, response) => {
    const slug = (request.url ?? '').split('/')[1] ?? '';
    const seller = slowSellers.find((slowSeller) => slowSeller.slug === slug);
    if (seller === undefined) return void response.writeHead(404).end();
    if (seller.wire === 'a2a') return void answerA2a(request, response, slug, hear, endings);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    // Who does not wait any longer takes its request back.
    const answer = (): void =>
      void answerMcp(request, response, (tool, args) => hear(slug, tool, args)).catch(() =>
        response.destroy(),
      );
    const delay = delays.get(slug);
    if (delay === undefined) answer();
    else setTimeout(answer, delay);
  });
  const { port } = server;
  return {
    urlOf: (slug) => {
      const { wire = 'mcp' } = slowSellers.find((slowSeller) => slowSeller.slug === slug) ?? {};
      return `http://127.0.0.1:${port}/${slug}/${wire}`;
    },
    says: (slug, payload) => {
      if (payload === undefined) inline.delete(slug);
      else inline.set(slug, isJsonObject(payload) ? [payload] : [...payload]);
    },
    takes: (slug, ms) => {
      delays.set(slug, ms);
    },
    ends: (slug, ending) => {
      endings.set(slug, ending);
    },
    keepsAccounts: (slug, stored) => {
      accounts.set(slug, stored);
    },
    refusesToCancel: (slug) => {
      unwilling.add(slug);
    },
    received: (slug) => calls.filter((call) => call.slug === slug),
    forget: () => {
      calls = [];
      inline.clear();
      endings.clear();
      accounts.clear();
      unwilling.clear();
      delays.clear();
    },
    close: () => server.close(),
  };
}

/** Returns a `tasks/get` answer. `bare`: completed without its result, as in releases up to 3.0. */
function taskOf(taskId: string, ending: Ending): JsonObject {
  if (ending === 'forgotten')
    return { errors: [{ code: 'REFERENCE_NOT_FOUND', message: 'There is no task with this id.' }] };
  const at = { created_at: '2026-11-21T10:00:00Z', updated_at: '2026-11-21T10:00:01Z' };
  const base = { task_id: taskId, task_type: 'get_products', protocol: 'media-buy', ...at };
  if (ending === 'open') return { ...base, status: 'working' };
  if (ending === 'bare') return { ...base, status: 'completed' };
  const failed = 'errors' in ending;
  return failed
    ? { ...base, status: 'failed', error: (ending['errors'] as JsonObject[])[0] ?? {} }
    : { ...base, status: 'completed', result: ending };
}

async function answerMcp(
  request: IncomingMessage,
  response: ServerResponse,
  hear: (tool: string, args: JsonObject) => JsonObject,
): Promise<void> {
  const { id, method, params } = await bodyOf(request);
  if (id === undefined) return void response.writeHead(202).end();
  const say = (result: JsonObject): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  if (method === 'initialize') {
    const serverInfo = { name: 'slow', version: '1' };
    say({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
    return;
  }
  if (method === 'tools/list') {
    say({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) });
    return;
  }
  const { name, arguments: args } = params ?? {};
  const reported = hear(textOf(name), isJsonObject(args) ? args : {});
  say({ content: [{ type: 'text', text: JSON.stringify(reported) }], structuredContent: reported });
}

interface RpcBody {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: JsonObject;
}

async function bodyOf(request: IncomingMessage): Promise<RpcBody> {
  return JSON.parse(String(await readBody(request))) as RpcBody;
}

async function answerA2a(
  request: IncomingMessage,
  response: ServerResponse,
  slug: string,
  hear: (slug: string, tool: string, args: JsonObject) => JsonObject,
  endings: ReadonlyMap<string, Ending>,
): Promise<void> {
  const url = `http://${request.headers.host ?? ''}/${slug}/a2a`;
  if (request.method === 'GET') {
    const isCard = request.url === `/${slug}/a2a/.well-known/agent-card.json`;
    response.writeHead(isCard ? 200 : 404, { 'content-type': 'application/json' });
    return void response.end(isCard ? JSON.stringify(card(slug, url)) : '{}');
  }
  const { id, method, params } = await bodyOf(request);
  const message = params?.['message'];
  const part = isJsonObject(message) && Array.isArray(message['parts']) ? message['parts'][0] : undefined;
  const data = isJsonObject(part) && isJsonObject(part['data']) ? part['data'] : {};
  const { skill, parameters } = data;
  const isPoll = method === 'tasks/get';
  const isCancel = method === 'tasks/cancel';
  const ending = endings.get(slug) ?? 'open';
  const reported =
    isPoll || isCancel
      ? hear(slug, method, { task_id: params?.['id'] ?? '' })
      : hear(slug, textOf(skill), isJsonObject(parameters) ? parameters : {});
  if (isCancel && 'errors' in reported) {
    const error = { code: -32002, message: 'Task cannot be canceled' };
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }
  const isOpen = isPoll ? ending === 'open' : reported['status'] === 'submitted';
  const payload = isPoll && isJsonObject(reported['result']) ? reported['result'] : reported;
  const parts = [{ kind: 'data', data: payload }];
  const result = {
    kind: 'task',
    id: `a2a-${slug}`,
    contextId: `context-${slug}`,
    status: {
      state: isCancel ? 'canceled' : isOpen ? 'submitted' : 'completed',
      ...(isOpen ? { message: { kind: 'message', messageId: 'm', role: 'agent', parts } } : {}),
    },
    ...(isOpen ? {} : { artifacts: [{ artifactId: 'result', parts }] }),
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

function card(slug: string, url: string): JsonObject {
  return {
    name: slug,
    description: 'Takes its time.',
    version: '1',
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: tools.map((name) => ({ id: name, name, description: name, tags: [] })),
  };
}

function capabilities(slug: string): JsonObject {
  const is31 = slug.endsWith('31');
  return {
    adcp: {
      major_versions: [3],
      ...(is31 ? { supported_versions: ['3.1'] } : {}),
      idempotency: { supported: true, replay_ttl_seconds: 86_400 },
    },
    supported_protocols: ['media_buy', 'signals'],
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
