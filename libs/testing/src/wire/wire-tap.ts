import { Server, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename } from 'node:path';

/** One request and its answer as sent, at any HTTP server of the process. */
export interface Exchange {
  /** Name of the process: the last part of its script. */
  readonly process: string;
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly sent: string;
  readonly status: number;
  readonly answered: string;
}

/** More than any protocol message in a test; a longer one is a test of limits. */
const longestText = 4_000_000;

const prototype = Server.prototype as { emit: (event: string, ...args: unknown[]) => boolean };
const original = prototype.emit;
const hearers = new Set<(exchange: Exchange) => void>();

/**
 * Records every exchange at every HTTP server of this process, unseen by the servers: requests are taken from the
 * parser, and answers where they are written. Returns the function that ends it. Several recordings may run, and may
 * end in any order: the last one restores the servers.
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

/** Copies every chunk that a stream's method is called with. */
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
