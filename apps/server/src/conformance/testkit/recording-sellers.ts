import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dialect, Form } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { answerA2aCall, cardOf } from './recording-a2a.js';
import { answerMcpCall } from './recording-mcp.js';

/** How the sellers of a stage are spoken to. */
export const wires = ['mcp', 'a2a'] as const;
export type Wire = (typeof wires)[number];

/** One call as a seller received it, before anybody of ours read it again. */
export interface Received {
  readonly seller: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** What stood beside the arguments on the wire and means something there: the configuration of an A2A call. */
  readonly beside?: JsonObject;
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

/** One call at a recording seller, out of the wrapping of its wire. */
export interface HeardCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly beside?: JsonObject;
}

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

/** The least that are sellers: they write down what they get, and say what the script says. */
export async function openRecordingSellers(
  tools: (seller: RecordingSeller) => readonly string[],
  script: Script,
  wire: Wire = 'mcp',
): Promise<RecordingSellers> {
  let received: Received[] = [];
  const server = createServer((request, response) => {
    const slug = (request.url ?? '').split('/')[1];
    const seller = recordingSellers.find((one) => one.slug === slug);
    if (seller === undefined) return void response.writeHead(404).end();
    const hear = (call: HeardCall): ReturnType<Script> => {
      received.push({ seller: seller.slug, ...call });
      return script(seller, call.tool, call.args);
    };
    if (wire === 'a2a' && request.method === 'GET') {
      const { host } = request.headers;
      const card = cardOf(seller, `http://${host ?? ''}/${seller.slug}/a2a`, tools(seller));
      const isCard = request.url === `/${seller.slug}/a2a/.well-known/agent-card.json`;
      return void response
        .writeHead(isCard ? 200 : 404, { 'content-type': 'application/json' })
        .end(isCard ? JSON.stringify(card) : '{}');
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (wire === 'a2a') void answerA2aCall(request, response, hear);
    else void answerMcpCall(request, response, tools(seller), hear);
  });
  // A connection that is closed as it is used again is a lost answer: here they stay open until the end.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (slug) => `http://127.0.0.1:${port}/${slug}/${wire}`,
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
