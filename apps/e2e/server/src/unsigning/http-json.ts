import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../harness/buy-request.js';

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

export async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return objectOf(JSON.parse(Buffer.concat(chunks).toString('utf8')));
}

export function respond(response: ServerResponse, body: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
