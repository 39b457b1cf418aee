import { Server, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename } from 'node:path';

/** One request and its answer as they went over the wire, at whichever HTTP server of the process it was. */
export interface Exchange {
  /** What the process is: the last part of the script that it runs. */
  readonly process: string;
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly sent: string;
  readonly status: number;
  readonly answered: string;
}

/** More than any message of the protocol in a test; what is longer is a test of limits. */
const longestText = 4_000_000;

const prototype = Server.prototype as { emit: (event: string, ...args: unknown[]) => boolean };
const original = prototype.emit;
const hearers = new Set<(exchange: Exchange) => void>();

/**
 * Hears every exchange at every HTTP server of this process, without a server knowing of it: what came is taken where
 * the parser hands it over, and what went where it is written. Gives what ends it. Several may listen, and may end in
 * any order: the last one leaves servers as they were.
 */
export function tapTheWire(hear: (exchange: Exchange) => void): () => void {
  if (hearers.size === 0) {
    prototype.emit = function (this: Server, event: string, ...args: unknown[]): boolean {
      if (event === 'request') follow(args[0] as IncomingMessage, args[1] as ServerResponse);
      return original.call(this, event, ...args);
    };
  }
  hearers.add(hear);
  return () => {
    hearers.delete(hear);
    if (hearers.size === 0) prototype.emit = original;
  };
}

function follow(request: IncomingMessage, response: ServerResponse): void {
  const came = takeFrom(request, 'push');
  const went = takeFrom(response, 'write');
  const end = response.end.bind(response);
  response.end = ((...args: unknown[]) => {
    went.take(args[0], args[1]);
    return (end as (...all: unknown[]) => ServerResponse)(...args);
  }) as typeof response.end;
  response.once('finish', () => {
    const exchange: Exchange = {
      process: basename(process.argv[1] ?? ''),
      host: request.headers.host ?? '',
      path: request.url ?? '',
      method: request.method ?? '',
      sent: came.text(),
      status: response.statusCode,
      answered: went.text(),
    };
    for (const hear of hearers) hear(exchange);
  });
}

interface Taken {
  take(chunk: unknown, encoding: unknown): void;
  text(): string;
}

/** Keeps a copy of every chunk that a stream's method is called with. */
function takeFrom(stream: object, method: 'push' | 'write'): Taken {
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: unknown, encoding: unknown): void => {
    const copy =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : chunk instanceof Uint8Array
          ? Buffer.from(chunk)
          : undefined;
    if (copy === undefined || length > longestText) return;
    length += copy.length;
    chunks.push(copy);
  };
  const named = stream as Record<string, (...args: unknown[]) => unknown>;
  const original = named[method]?.bind(stream);
  named[method] = (...args: unknown[]) => {
    take(args[0], args[1]);
    return original?.(...args);
  };
  return { take, text: () => (length > longestText ? '' : Buffer.concat(chunks).toString('utf8')) };
}
