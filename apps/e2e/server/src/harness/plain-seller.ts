import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions } from 'node:https';
import { readBody, startServer } from '@switchyard/testing';
import type { Json } from './buy-request.js';

/** The behavior of a test's seller for a call with a token: a JSON text as the answer, no answer, or a closed connection. */
type Behaviour = (tool: string, args: Json, token?: string) => Received | Promise<Received>;
type Received = { readonly json: string } | 'never' | 'hang up';

export interface PlainSeller {
  readonly agentUrl: string;
  /** The called tools, in order. */
  readonly calls: string[];
  behave(behaviour: Behaviour): void;
  /** Answers all calls with 401 from now on, or stops doing so. */
  refuseCredentials(isRefused?: boolean): void;
  close(): Promise<void>;
}

/** What a seller offers beside the usual. */
interface MoreOffered {
  readonly tools?: readonly string[];
  /** Other members of its capabilities. */
  readonly capabilities?: Json | ((args: Json) => Json);
  /** Returns the tokens that it takes; absent: it looks at none. */
  readonly takes?: () => readonly string[];
  /** Answers a request itself, and says so. */
  readonly guard?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Speaks HTTPS, at `localhost`. */
  readonly tls?: ServerOptions;
}

/** A minimal seller of release 3.1 over MCP. The test determines its answers. */
export async function plainSeller(first: Behaviour, more: MoreOffered = {}): Promise<PlainSeller> {
  const calls: string[] = [];
  let behaviour = first;
  let refuses = false;
  const server = await startServer((request, response) => {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const isRefused = more.takes !== undefined && (token === undefined || !more.takes().includes(token));
    if (refuses || isRefused) {
      response.writeHead(401).end();
      return;
    }
    const call: Behaviour = (tool, args) => {
      if (tool === 'get_adcp_capabilities')
        return { json: JSON.stringify({ ...capabilities, ...moreOf(more, args) }) };
      calls.push(tool);
      return behaviour(tool, args, token);
    };
    void (more.guard?.(request, response) ?? Promise.resolve(false)).then((isAnswered) =>
      isAnswered ? undefined : answer(request, response, more.tools ?? [], call),
    );
  }, more.tls);
  return {
    agentUrl: `${server.url}/mcp`,
    calls,
    behave: (next) => {
      behaviour = next;
    },
    refuseCredentials: (isRefused = true) => {
      refuses = isRefused;
    },
    close: () => server.close(),
  };
}

const moreOf = ({ capabilities: members }: MoreOffered, args: Json): Json | undefined =>
  typeof members === 'function' ? members(args) : members;

const capabilities: Json = {
  adcp: {
    major_versions: [3],
    supported_versions: ['3.1'],
    idempotency: { supported: true, replay_ttl_seconds: 86_400 },
  },
  supported_protocols: ['media_buy'],
  media_buy: { buying_modes: ['brief', 'wholesale'], reporting_delivery_methods: [] },
  request_signing: { supported: false },
};

/** A product that has what release 3.1 requires. */
export const plainProduct: Json = {
  product_id: 'p1',
  name: 'Front page',
  description: 'The top of the front page.',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example/', id: 'display' }],
  delivery_type: 'non_guaranteed',
  delivery_measurement: { provider: 'Counts' },
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: false,
    available_metrics: ['impressions'],
    date_range_support: 'date_range',
  },
};

const tools = [
  'get_adcp_capabilities',
  'get_products',
  'create_media_buy',
  'get_media_buys',
  'list_creative_formats',
];

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  others: readonly string[],
  call: Behaviour,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = JSON.parse(String(await readBody(request))) as {
    id?: number;
    method: string;
    params?: { name: string; arguments?: Json };
  };
  if (id === undefined) return void response.writeHead(202).end();
  const reply = (result: string): void =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${String(id)},"result":${result}}`);
  if (method === 'initialize') {
    const serverInfo = { name: 'plain', version: '1' };
    return reply(JSON.stringify({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }));
  }
  if (method === 'tools/list')
    return reply(
      JSON.stringify({
        tools: [...tools, ...others].map((name) => ({ name, inputSchema: { type: 'object' } })),
      }),
    );
  const received = await call(params?.name ?? '', params?.arguments ?? {});
  if (received === 'never') return;
  if (received === 'hang up') return void request.socket.destroy();
  reply(
    `{"content":[{"type":"text","text":${JSON.stringify(received.json)}}],"structuredContent":${received.json}}`,
  );
}
