import { request as send, type IncomingHttpHeaders } from 'node:http';
import { readBody, startServer } from '@switchyard/testing';

/** One HTTP request on the wire, each character one byte (latin1). */
export interface OnTheWire {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Tamper = (request: OnTheWire) => OnTheWire;

/**
 * A proxy between the relay and a seller, at the URL that both use for the seller. It changes signed requests as the
 * test requires, like a hostile relay. Unsigned requests pass unchanged.
 */
export interface Middleman {
  readonly url: string;
  /** Numbers of signed requests that it forwarded changed and unchanged. */
  readonly passed: { changed: number; unchanged: number };
  /** Changes the next signed request whose body contains `mark`, once. */
  tamperOnce(mark: string, tamper: Tamper): void;
  close(): Promise<void>;
}

export async function startMiddleman(seller: string): Promise<Middleman> {
  const { port: sellerPort, pathname } = new URL(seller);
  const jobs = new Map<string, Tamper>();
  const passed = { changed: 0, unchanged: 0 };
  const server = await startServer(async (incoming, outgoing) => {
    const asItCame: OnTheWire = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: flat(incoming.headers),
      body: (await readBody(incoming)).toString('latin1'),
    };
    const { method, path, headers, body } = changedBy(asItCame);
    const { 'content-length': _old, connection: _hop, ...kept } = headers;
    const bytes = Buffer.from(body, 'latin1');
    const onward = send(
      {
        host: '127.0.0.1',
        port: Number(sellerPort),
        method,
        path,
        headers: { ...kept, ...(bytes.length > 0 ? { 'content-length': String(bytes.length) } : {}) },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.writeHead(502).end());
    onward.end(bytes);
  });
  const changedBy = (request: OnTheWire): OnTheWire => {
    if (request.headers['signature'] === undefined) return request;
    const mark = [...jobs.keys()].find((job) => request.body.includes(job));
    const tamper = mark === undefined ? undefined : jobs.get(mark);
    if (mark === undefined || tamper === undefined) {
      passed.unchanged += 1;
      return request;
    }
    jobs.delete(mark);
    passed.changed += 1;
    return tamper(request);
  };
  return {
    url: `${server.url}${pathname}`,
    passed,
    tamperOnce: (mark, tamper) => void jobs.set(mark, tamper),
    close: () => server.close(),
  };
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
