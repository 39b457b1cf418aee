import { startServer } from '@switchyard/testing';
import { answerA2aCall, cardOf } from './recording-a2a.js';
import { answerMcpCall } from './recording-mcp.js';
import type { Received, ReceivedCall, RecordingSeller, Script } from './recording-seller.js';

/** The protocols of the sellers of a stage. */
export const wires = ['mcp', 'a2a'] as const;
export type Wire = (typeof wires)[number];

/** One agent per form: each receives what our projector of that form wrote. */
export const recordingSellers: readonly RecordingSeller[] = [
  { slug: 'service', form: 'service', dialect: 'ads' },
  { slug: 'v25', form: '2.5', dialect: 'adcp' },
  { slug: 'v30', form: '3.0', dialect: 'adcp' },
  { slug: 'v31', form: '3.1', dialect: 'adcp' },
];

export interface RecordingSellers {
  urlOf(slug: string): string;
  /** Returns the received calls, and clears them. */
  take(): readonly Received[];
  close(): Promise<void>;
}

/** Opens minimal sellers, which record their calls and answer by the script. */
export async function openRecordingSellers(
  tools: (seller: RecordingSeller) => readonly string[],
  script: Script,
  wire: Wire = 'mcp',
): Promise<RecordingSellers> {
  let received: Received[] = [];
  const server = await startServer((request, response) => {
    const slug = (request.url ?? '').split('/')[1];
    const seller = recordingSellers.find((recordingSeller) => recordingSeller.slug === slug);
    if (seller === undefined) return void response.writeHead(404).end();
    const hear = (call: ReceivedCall): ReturnType<Script> => {
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
  const { port } = server;
  return {
    urlOf: (slug) => `http://127.0.0.1:${port}/${slug}/${wire}`,
    take: () => {
      const taken = received;
      received = [];
      return taken;
    },
    close: () => server.close(),
  };
}
