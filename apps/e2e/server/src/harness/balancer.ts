import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A minimal load balancer: sends requests in turn to each replica whose `/readyz` succeeds. */
export interface Balancer {
  readonly url: string;
  /** Sets the base URLs of the replicas. */
  sendTo(urls: readonly string[]): void;
  /** The replicas that were ready at the last check. */
  ready(): readonly string[];
  /** Requests that no replica answered, each with the reason. The caller got 502. */
  readonly broken: string[];
  stop(): Promise<void>;
}

interface BalancerOptions {
  /** The port to listen on; absent: a free one. */
  readonly port?: number;
  /** Interval of the readiness checks in milliseconds. */
  readonly everyMs?: number;
}

/**
 * A replica that refuses the connection, or closes an idle connection as the request is sent, has not read the request:
 * the next replica gets it. Nothing else is repeated. If none is ready, all are tried.
 */
export async function startBalancer(
  urls: readonly string[],
  { port = 0, everyMs = 100 }: BalancerOptions = {},
): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const broken: string[] = [];
  let replicas = urls;
  let ready: readonly string[] = [];
  let turn = 0;
  const poll = async (): Promise<void> => {
    const polled = replicas;
    const states = await Promise.all(polled.map(isReady));
    ready = polled.filter((_, at) => states[at] === true);
  };
  await poll();
  const polling = { stopped: false };
  const polls = (async () => {
    while (!polling.stopped) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      await poll();
    }
  })();

  const forward = (incoming: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const order = ready.length > 0 ? ready : replicas;
    const from = (turn += 1);
    const attempt = (at: number): void => {
      const target = new URL(order[(from + at) % order.length] ?? '');
      const { connection: _hop, 'transfer-encoding': _framing, ...headers } = incoming.headers;
      const { hostname, port: targetPort } = target;
      const upstream = request(
        {
          agent,
          hostname,
          port: targetPort,
          path: incoming.url ?? '/',
          method: incoming.method,
          // With the host that the caller used, because webhooks are signed for it.
          headers: { ...headers, 'content-length': body.length },
        },
        (answer) => {
          const { connection: _theirs, ...received } = answer.headers;
          response.writeHead(answer.statusCode ?? 502, received);
          answer.once('error', () => response.destroy());
          answer.pipe(response);
        },
      );
      upstream.once('error', (error: NodeJS.ErrnoException) => {
        const wasIdle = error.code === 'ECONNRESET' && upstream.reusedSocket && !response.headersSent;
        if ((error.code === 'ECONNREFUSED' || wasIdle) && at + 1 < order.length) return attempt(at + 1);
        broken.push(`${target.origin}: ${error.message}`);
        if (response.headersSent) response.destroy();
        else response.writeHead(502).end();
      });
      upstream.end(body);
    };
    attempt(0);
  };

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => forward(incoming, Buffer.concat(chunks), response));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    sendTo: (next) => {
      replicas = next;
    },
    ready: () => ready,
    broken,
    stop: async () => {
      polling.stopped = true;
      await polls;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}
