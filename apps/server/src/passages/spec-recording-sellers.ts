import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dialect, Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';

/** One call as a seller received it, before anybody of ours read it again. */
export interface Received {
  readonly seller: string;
  readonly tool: string;
  readonly args: JsonObject;
}

export interface RecordingSeller {
  readonly slug: string;
  readonly form: Form;
  readonly dialect: Dialect;
}

/** What a seller of a form says to a call, and when it never says anything; nothing for a tool that it does not offer. */
export type Script = (
  seller: RecordingSeller,
  tool: string,
  args: JsonObject,
) => JsonObject | 'never' | undefined;

/** One agent per form: what each of them gets is what our projector of that form wrote. */
export const recordingSellers: readonly RecordingSeller[] = [
  { slug: 'service', form: 'service', dialect: 'ads' },
  { slug: 'v25', form: '2.5', dialect: 'adcp' },
  { slug: 'v30', form: '3.0', dialect: 'adcp' },
  { slug: 'v31', form: '3.1', dialect: 'adcp' },
];

export interface RecordingSellers {
  urlOf(slug: string): string;
  /** Forgets what was received, and gives it. */
  take(): readonly Received[];
  close(): Promise<void>;
}

/** The least that are sellers over MCP: they write down what they get, and say what the script says. */
export async function openRecordingSellers(
  tools: (seller: RecordingSeller) => readonly string[],
  script: Script,
): Promise<RecordingSellers> {
  let received: Received[] = [];
  const server = createServer((request, response) => {
    const slug = (request.url ?? '').split('/')[1];
    const seller = recordingSellers.find((one) => one.slug === slug);
    if (seller === undefined || request.method !== 'POST') return void response.writeHead(405).end();
    void answer(request, response, tools(seller), (tool, args) => {
      received.push({ seller: seller.slug, tool, args });
      return script(seller, tool, args);
    });
  });
  // A connection that is closed as it is used again is a lost answer: here they stay open until the end.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (slug) => `http://127.0.0.1:${port}/${slug}/mcp`,
    take: () => {
      const taken = received;
      received = [];
      return taken;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  tools: readonly string[],
  call: (tool: string, args: JsonObject) => ReturnType<Script>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
    id?: number;
    method: string;
    params?: JsonObject;
  };
  if (id === undefined) return void response.writeHead(202).end();
  const say = (result: unknown): void =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') {
    const serverInfo = { name: 'recording', version: '1' };
    return say({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'tools/list')
    return say({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  const args = params?.['arguments'];
  const name = params?.['name'];
  const said = call(typeof name === 'string' ? name : '', isJsonObject(args) ? args : {});
  if (said === 'never') return;
  const payload = said ?? { errors: [{ code: 'UNSUPPORTED_FEATURE', message: 'There is no such tool.' }] };
  say({
    content: [{ type: 'text', text: JSON.stringify(payload) }],
    structuredContent: payload,
    ...(said === undefined ? { isError: true } : {}),
  });
}
