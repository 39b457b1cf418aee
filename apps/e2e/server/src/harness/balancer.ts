import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before several processes of the product, as one that knows `/readyz` does its work. */
export interface Balancer {
  readonly url: string;
  /** The addresses that get requests now. */
  ready(): readonly string[];
  stop(): Promise<void>;
}

const lookEveryMs = 100;
/** A process that does not say within this time that it is ready is not. */
const readyWithinMs = 1_000;

/**
 * Hands each request to the next process that is ready. One that takes no connection any more has seen nothing of the
 * request, so the next one gets it; what fails after that is the caller's to repeat, and is answered with 502.
 */
export async function startBalancer(processes: readonly string[], port = 0): Promise<Balancer> {
  const ready = new Set<string>();
  let turn = 0;
  let stopped = false;

  const look = async (base: string): Promise<void> => {
    while (!stopped) {
      const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(readyWithinMs) }).catch(
        () => undefined,
      );
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.ok === true) ready.add(base);
      else ready.delete(base);
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  };

  const handOver = (incoming: IncomingMessage, body: Buffer, answer: ServerResponse): void => {
    const [first, ...others] = [...ready];
    const order = first === undefined ? processes : [first, ...others];
    const from = turn++;
    const attempt = (at: number): void => {
      const base = order[(from + at) % order.length] ?? '';
      const outgoing = request(
        base + (incoming.url ?? '/'),
        { method: incoming.method, headers: { ...incoming.headers, connection: 'close' }, agent: false },
        (said) => {
          answer.writeHead(said.statusCode ?? 502, said.headers);
          said.pipe(answer);
          said.once('error', () => answer.destroy());
        },
      );
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && at + 1 < order.length) return attempt(at + 1);
        if (answer.headersSent) answer.destroy();
        else answer.writeHead(502).end();
      });
      outgoing.end(body);
    };
    attempt(0);
  };

  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => handOver(incoming, Buffer.concat(chunks), answer));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const looks = processes.map(look);
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ready: () => [...ready],
    stop: async () => {
      stopped = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(looks);
    },
  };
}
