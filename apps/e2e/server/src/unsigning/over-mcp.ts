import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../harness/buy-request.js';
import type { Books } from './books.js';
import { tools } from './declared.js';
import { bodyOf, objectOf, respond } from './http-json.js';

export async function overMcp(
  books: Books,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
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
