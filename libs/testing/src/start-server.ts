import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@switchyard/values';

export interface TestServer {
  /** Without a path and without a slash at its end. */
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * An HTTP server of a test, on a free port of 127.0.0.1. Idle connections stay open until `close`: a request on one that
 * the server closes at that moment would fail. With `tls` it is one of HTTPS, at `localhost`.
 */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  tls?: ServerOptions,
): Promise<TestServer> {
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: tls === undefined ? `http://127.0.0.1:${String(port)}` : `https://localhost:${String(port)}`,
    port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The whole body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export interface Receiver extends TestServer {
  readonly received: readonly { readonly path: string; readonly body: JsonObject }[];
}

/** Receives JSON by POST, for example webhooks: each body with the path of its request, in order; answers 200. */
export async function startReceiver(): Promise<Receiver> {
  const received: { readonly path: string; readonly body: JsonObject }[] = [];
  const server = await startServer(async (request, response) => {
    received.push({
      path: request.url ?? '',
      body: JSON.parse(String(await readBody(request))) as JsonObject,
    });
    response.writeHead(200).end();
  });
  return { ...server, received };
}
