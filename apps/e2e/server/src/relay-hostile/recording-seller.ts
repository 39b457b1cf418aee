import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, startServer } from '@switchyard/testing';

type Json = Readonly<Record<string, unknown>>;

/** A call as the seller received it. */
export interface Reached {
  readonly path: string;
  /** The called task, if it can be recognized. */
  readonly task: string;
  readonly bodyHash: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RecordingSeller {
  readonly origin: string;
  /** All calls except the relay's own handshakes, in order. */
  readonly reached: readonly Reached[];
  /** Adds a key to the revoked ones of its site: the brands of this test publish their lists here. */
  readonly revoke: (kid: string) => void;
  close(): Promise<void>;
}

/** Sellers at `/NAME/mcp` and `/NAME/a2a` that answer everything and record what they receive. */
export async function recordingSeller(): Promise<RecordingSeller> {
  const reached: Reached[] = [];
  const revoked: string[] = [];
  const server = await startServer((request, response) => hear(request, response));
  const origin = server.url;

  const hear = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const reply = (status: number, body: Json): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === '/.well-known/governance-revocations.json') return reply(200, revocations(revoked));
    if (path.endsWith('/.well-known/agent-card.json')) return reply(200, card(origin, path));
    if (request.method !== 'POST') return reply(405, {});
    const body = await readBody(request);
    const isSigned = request.headers['signature'] !== undefined;
    const { id, method, params } = readCall(body);
    if (!isSigned && method === 'initialize') return reply(200, initialized(id));
    if (!isSigned && method?.startsWith('notifications/') === true) {
      return void response.writeHead(202).end();
    }
    const answer = { jsonrpc: '2.0', id, result: answerTo(path, params) };
    if (!isSigned && isUpkeep(method, params)) return reply(200, answer);
    reached.push({
      path,
      task: /"(?:name|skill)":"([^"]*)"/.exec(JSON.stringify(params ?? {}))?.[1] ?? method ?? '',
      bodyHash: createHash('sha256').update(body).digest('hex'),
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
    });
    reply(200, answer);
  };
  return {
    origin,
    reached,
    revoke: (kid) => void revoked.push(kid),
    close: () => server.close(),
  };
}

/** True for the instance's own calls, which read this seller's capabilities. No other request looks like them. */
function isUpkeep(method: string | undefined, params: Json | undefined): boolean {
  if (method === 'tools/list') return true;
  const requested = JSON.stringify(params ?? {});
  return /"(skill|name)":"get_(ads|adcp)_capabilities"/.test(requested);
}

interface Call {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Json;
}

function readCall(body: Buffer): Call {
  try {
    return JSON.parse(body.toString('utf8')) as Call;
  } catch {
    // No unreadable body should arrive here; it is recorded like all others.
    return {};
  }
}

const initialized = (id: unknown): Json => ({
  jsonrpc: '2.0',
  id,
  result: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'recording', version: '1' },
  },
});

function answerTo(path: string, params: Json | undefined): Json {
  const made =
    params?.['name'] === 'create_media_buy' ? { media_buy_id: 'made', packages: [] } : { products: [] };
  if (path.endsWith('/mcp')) {
    return { content: [{ type: 'text', text: JSON.stringify(made) }], structuredContent: made };
  }
  const artifacts = [{ artifactId: 'a', parts: [{ kind: 'data', data: { products: [] } }] }];
  return { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' }, artifacts };
}

function card(origin: string, path: string): Json {
  const url = `${origin}${path.slice(0, path.indexOf('/.well-known'))}`;
  return {
    name: 'recording',
    description: 'writes down what reaches it',
    url,
    version: '1',
    protocolVersion: '0.3.0',
    preferredTransport: 'JSONRPC',
    capabilities: {},
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [],
  };
}

function revocations(kids: readonly string[]): Json {
  const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  return { revoked_kids: kids, updated: at(-1), next_update: at(24) };
}
