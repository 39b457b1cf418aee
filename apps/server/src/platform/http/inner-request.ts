import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';

/** A request that this server makes of itself. */
export interface InnerRequest {
  readonly method: string;
  readonly url: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

/** Headers that a proxy added to the outer request: the inner one is from the same place. */
const ofTheWay = /^(host|forwarded|x-forwarded-.*|x-real-ip|via|user-agent)$/;

/**
 * Serves a request within the process as if it had come over the connection of another one: through the same hooks, guards and
 * handlers, and without a socket. (Fastify's own `inject` needs packages that Node 20 loads with a warning.)
 */
export function requestWithin(
  outer: FastifyRequest,
  { method, url, headers, payload = '' }: InnerRequest,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const socket = standInFor(outer.raw.socket);
  const raw = new IncomingMessage(socket);
  const passed = Object.entries(outer.headers).filter(([name]) => ofTheWay.test(name));
  const length = payload === '' ? {} : { 'content-length': String(Buffer.byteLength(payload)) };
  Object.assign(raw, {
    method,
    url,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    complete: true,
  });
  raw.headers = { ...Object.fromEntries(passed), ...headers, ...length };
  raw.rawHeaders = Object.entries(raw.headers).flatMap(([name, value = '']) =>
    (Array.isArray(value) ? value : [value]).flatMap((one) => [name, one]),
  );
  raw.push(payload === '' ? null : Buffer.from(payload));
  if (payload !== '') raw.push(null);
  const answer = new Answer(raw);
  answer.assignSocket(socket);
  return new Promise((resolve) => {
    answer.once('finish', () => resolve({ status: answer.statusCode, body: Buffer.concat(answer.parts) }));
    outer.server.routing(raw, answer);
  });
}

/** A response that keeps its body. */
class Answer extends ServerResponse {
  readonly parts: Buffer[] = [];

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    this.#keep(chunk);
    return super.write(chunk, ...(rest as []));
  }

  override end(chunk?: unknown, ...rest: unknown[]): this {
    this.#keep(chunk);
    return super.end(chunk, ...(rest as []));
  }

  #keep(chunk: unknown): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.parts.push(Buffer.from(chunk));
  }
}

/** Has the peer of a connection, and takes what is written without sending it. */
function standInFor(outer: Socket): Socket {
  const { remoteAddress, remotePort, localAddress, localPort } = outer;
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const encrypted = 'encrypted' in outer && outer.encrypted === true;
  const facts = { remoteAddress, remotePort, localAddress, localPort, ...(encrypted && { encrypted }) };
  return Object.assign(socket, facts) as unknown as Socket;
}
