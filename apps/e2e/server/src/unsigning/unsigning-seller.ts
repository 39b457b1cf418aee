import { randomBytes } from 'node:crypto';
import { startServer } from '@switchyard/testing';
import type { Json } from '../harness/buy-request.js';
import { Books, type RequestedBuy } from './books.js';
import { isCard, overA2a } from './over-a2a.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tools } from './declared.js';
import { bodyOf, objectOf, respond } from './http-json.js';

/** A third-party seller from our point of view: it has a URL, and signs nothing. */
export interface UnsigningSeller {
  readonly agentUrl: string;
  /** The credential that it requires. */
  readonly token: string;
  /** Buys in the order of their requests. */
  readonly requested: readonly RequestedBuy[];
  /** Numbers of calls of each task, and of polls of native tasks. */
  readonly calls: Record<string, number>;
  /** Sets its answer to `create_media_buy`. */
  sells(how: 'at once' | 'later'): void;
  /** Completes the work on a buy, as later polls show. */
  complete(taskId: string): void;
  /** The delivery of all its buys today: dollars and cents, as text. */
  spend: string;
  /** Returns its result for a finished buy. */
  resultOf(requested: RequestedBuy): Json;
  /** Returns a delivery report of today. */
  reportOf(requested: RequestedBuy, sequence: number, type?: string): Json;
  close(): Promise<void>;
}

/** A minimal seller of release 3.1 over one of the two protocols, with reports. */
export async function unsigningSeller(protocol: 'mcp' | 'a2a'): Promise<UnsigningSeller> {
  const books = new Books();
  const token = `seller-${randomBytes(18).toString('base64url')}`;
  const server = await startServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}` && !isCard(request)) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    void (protocol === 'mcp' ? overMcp(books, request, response) : overA2a(books, request, response));
  });
  const { port } = server;
  books.url = `http://127.0.0.1:${String(port)}/${protocol}`;
  return {
    agentUrl: books.url,
    token,
    requested: books.requested,
    calls: books.calls,
    sells: (how) => {
      books.how = how;
    },
    complete: (taskId) => void books.completed.add(taskId),
    get spend() {
      return books.spend;
    },
    set spend(given: string) {
      books.spend = given;
    },
    resultOf: (requested) => books.resultOf(requested),
    reportOf: (requested, sequence, type = 'scheduled') => books.reportOf(requested, sequence, type),
    close: () => server.close(),
  };
}

async function overMcp(books: Books, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = await bodyOf(request);
  if (id === undefined) return void response.writeHead(202).end();
  const reply = (result: Json): void => respond(response, { jsonrpc: '2.0', id, result });
  if (method === 'initialize') {
    const serverInfo = { name: 'unsigning', version: '1' };
    return reply({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'tools/list') {
    return reply({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  }
  const { name, arguments: args } = objectOf(params);
  const task = String(name);
  books.count(task);
  const received =
    task === 'create_media_buy' ? sold(books, objectOf(args)) : books.answer(task, objectOf(args));
  reply({ content: [{ type: 'text', text: JSON.stringify(received) }], structuredContent: received });
}

function sold(books: Books, args: Json): Json {
  const requested = books.take(args, {});
  return books.isDone(requested)
    ? books.resultOf(requested)
    : { adcp_version: '3.1', status: 'submitted', task_id: requested.taskId };
}
