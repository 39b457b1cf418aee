import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { generateSigningKey, publicJwk, type SigningKey } from '@switchyard/signing';
import { readBody, startServer } from '@switchyard/testing';
import { list, type Json } from '../harness/buy-request.js';
import { sellerAnswer } from './seller-answer.js';
import type { SellerOptions } from './seller-options.js';

/** A task call as the seller received it. */
export interface ReceivedCall {
  readonly tool: string;
  readonly args: Json;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** True for a request that a brand signed; the relay's own requests are unsigned here. */
  readonly isSealed: boolean;
}

/** The seller's answer to a task: a payload, no answer, or a closed connection. */
type PlannedAnswer = Json | 'never' | 'hang up';

export interface SealedSeller {
  readonly requested: SellerOptions;
  readonly origin: string;
  readonly agentUrl: string;
  readonly token: string;
  readonly key: SigningKey;
  /** Task calls that it received, in order. */
  readonly received: ReceivedCall[];
  /** Every `Authorization` header that it received, in any request. */
  readonly credentials: Set<string>;
  /** Sessions that it opened, in order; `ended` ones are unknown to it. */
  readonly sessions: { readonly id: string; ended: boolean }[];
  /** Sets its answer to a task, instead of the default one. */
  says(tool: string, how: (args: Json) => PlannedAnswer | Promise<PlannedAnswer>): void;
  /** Passes the connection of a sealed task call to the test, which writes the answer byte by byte. */
  lets(tool: string, answer: (response: ServerResponse, rpcId: number | string) => void): void;
  close(): Promise<void>;
}

/** A sales and signals agent of release 3.1 that records what it receives, byte for byte. */
export async function sealedSeller(requested: SellerOptions): Promise<SealedSeller> {
  const key = generateSigningKey('seller-webhooks-1');
  const reported = new Map<string, (args: Json) => PlannedAnswer | Promise<PlannedAnswer>>();
  const handed = new Map<string, (response: ServerResponse, rpcId: number | string) => void>();
  const received: ReceivedCall[] = [];
  const credentials = new Set<string>();
  const sessions: SealedSeller['sessions'] = [];
  const server = await startServer((request, response) => hear(request, response));
  const origin = server.url;
  const agentUrl = `${origin}/${requested.protocol}`;

  const hear = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    if (request.headers.authorization !== undefined) credentials.add(request.headers.authorization);
    if (path === '/jwks.json') {
      return json(response, 200, { keys: [publicJwk(key, ['adcp_use', 'ads_use'], 'webhook-signing')] });
    }
    if (path.endsWith('/.well-known/agent-card.json')) return json(response, 200, cardOf(agentUrl));
    if (request.method !== 'POST') return json(response, 405, {});
    const body = await readBody(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const { id, method = '', params = {} } = JSON.parse(body.toString('utf8')) as RpcCall;
    if (method === 'initialize')
      return json(response, 200, opened(id, requested, sessions), sessionOf(sessions));
    if (requested.wantsSessions === true) {
      const session = sessions.find((item) => item.id === headers['mcp-session-id']);
      if (session === undefined) return json(response, 400, { error: 'no session' });
      if (session.ended) return json(response, 404, { error: 'session over' });
    }
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/list') return json(response, 200, { jsonrpc: '2.0', id, result: { tools } });
    const { tool, args } = callIn(method, params);
    received.push({ tool, args, body, headers, isSealed: headers['signature'] !== undefined });
    const own = headers['signature'] === undefined ? undefined : handed.get(tool);
    if (own !== undefined) return own(response, id);
    const answer = (await reported.get(tool)?.(args)) ?? sellerAnswer(tool, args, requested);
    if (answer === 'never') return;
    if (answer === 'hang up') return void request.socket.destroy();
    const result = requested.protocol === 'mcp' ? toolResult(answer) : taskResult(answer, args);
    const streams = requested.protocol === 'mcp' ? requested.streams === true : method === 'message/stream';
    if (!streams) return json(response, 200, { jsonrpc: '2.0', id, result });
    const steps = requested.protocol === 'mcp' ? [result] : inSteps(result);
    stream(response, [
      ...(requested.protocol === 'mcp' ? [progress] : []),
      ...steps.map((step) => ({ jsonrpc: '2.0', id, result: step })),
    ]);
  };
  return {
    requested,
    origin,
    agentUrl,
    token: `seller-token-${randomUUID()}`,
    key,
    received,
    credentials,
    sessions,
    says: (tool, how) => void reported.set(tool, how),
    lets: (tool, answer) => void handed.set(tool, answer),
    close: () => server.close(),
  };
}

interface RpcCall {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Json;
}

function callIn(method: string, params: Json): { readonly tool: string; readonly args: Json } {
  if (method === 'tools/call')
    return { tool: String(params['name']), args: (params['arguments'] ?? {}) as Json };
  if (method !== 'message/send' && method !== 'message/stream') return { tool: method, args: params };
  const { parts } = params['message'] as { readonly parts: readonly { readonly data: Json }[] };
  const { skill, parameters } = parts[0]?.data ?? {};
  return { tool: String(skill), args: (parameters ?? {}) as Json };
}

const toolNames = [
  ...['get_adcp_capabilities', 'get_products', 'create_media_buy', 'update_media_buy', 'get_media_buys'],
  ...['get_media_buy_delivery', 'sync_creatives', 'list_creatives', 'list_creative_formats'],
  ...['get_signals', 'activate_signal', 'tasks_get'],
];
const tools = toolNames.map((name) => ({ name, inputSchema: { type: 'object' } }));
const progress: Json = {
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 'p', progress: 1 },
};

function opened(
  id: RpcCall['id'],
  { wantsSessions }: SellerOptions,
  sessions: SealedSeller['sessions'],
): Json {
  if (wantsSessions === true) sessions.push({ id: randomUUID(), ended: false });
  const serverInfo = { name: 'sealed', version: '1' };
  return {
    jsonrpc: '2.0',
    id,
    result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
  };
}

function sessionOf(sessions: SealedSeller['sessions']): Readonly<Record<string, string>> {
  const last = sessions.at(-1);
  return last === undefined ? {} : { 'mcp-session-id': last.id };
}

function toolResult(payload: Json): Json {
  const isError = Array.isArray(payload['errors']);
  return {
    content: [{ type: 'text', text: JSON.stringify(payload) }],
    structuredContent: payload,
    ...(isError ? { isError } : {}),
  };
}

/** A2A has a task's status in its state, and its data in an artifact or, until it ends, a message. */
function taskResult(payload: Json, args: Json): Json {
  const taskId = payload['task_id'];
  const base = {
    kind: 'task',
    id: typeof taskId === 'string' ? taskId : typeof args['id'] === 'string' ? args['id'] : randomUUID(),
    contextId: 'context-1',
  };
  const data = [{ kind: 'data', data: payload }];
  const status = payload['status'];
  if (status === 'submitted' || status === 'working') {
    const message = { kind: 'message', messageId: randomUUID(), role: 'agent', parts: data };
    return { ...base, status: { state: status, message } };
  }
  const state = Array.isArray(payload['errors']) ? 'failed' : 'completed';
  return { ...base, status: { state }, artifacts: [{ artifactId: 'a', parts: data }] };
}

/** The same task as an A2A stream: its start, its data, and its end. */
function inSteps({ id, contextId, status, artifacts }: Json): readonly Json[] {
  const of = { taskId: id, contextId };
  return [
    { kind: 'task', id, contextId, status: { state: 'working' } },
    ...list(artifacts).map((artifact) => ({ kind: 'artifact-update', ...of, artifact, lastChunk: true })),
    { kind: 'status-update', ...of, status, final: true },
  ];
}

function cardOf(url: string): Json {
  return {
    name: 'sealed',
    description: 'writes down what reaches it',
    url,
    version: '1',
    protocolVersion: '0.3.0',
    preferredTransport: 'JSONRPC',
    capabilities: { pushNotifications: true, streaming: true },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: toolNames.map((id) => ({ id, name: id, description: id, tags: [] })),
  };
}

function json(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function stream(response: ServerResponse, messages: readonly Json[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const message of messages) response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  response.end();
}
