import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the double received it. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly tool: string | undefined;
  readonly authorization: string | undefined;
  readonly session: string | undefined;
}

export interface SellerDouble {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Resolves once a request for this tool has arrived. */
  arrived(tool: string): Promise<void>;
  /** Stops, drops every session, and listens again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Record<string, unknown> | undefined,
) => Promise<void>;

/** Checks a request before the seller does; a returned code refuses it. */
export type Admit = (request: IncomingMessage, url: string, bytes: Buffer) => Promise<string | undefined>;

/** A loopback server that records its requests. `make` is called at every start, so no state remains from before. */
export async function startDouble(
  path: string,
  make: (url: string) => Handle,
  toolIn: (body: Record<string, unknown> | undefined) => string | undefined,
  admit?: Admit,
): Promise<SellerDouble> {
  const seen: SeenRequest[] = [];
  const waiting = new Map<string, () => void>();
  let server: Server;
  let port = 0;
  const url = (): string => `http://127.0.0.1:${port}${path}`;

  const listen = async (): Promise<void> => {
    let handle: Handle | undefined;
    server = createServer((request, response) => {
      void (async () => {
        const bytes = await bytesOf(request);
        const refused = await admit?.(request, url(), bytes);
        if (refused !== undefined) {
          response.writeHead(401, { 'www-authenticate': `Signature error="${refused}"` }).end();
          return;
        }
        const body =
          bytes.length === 0 ? undefined : (JSON.parse(bytes.toString()) as Record<string, unknown>);
        const tool = toolIn(body);
        seen.push(seenIn(request, tool));
        if (tool !== undefined) waiting.get(tool)?.();
        handle ??= make(url());
        await handle(request, response, body);
      })();
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await listen();
  return {
    url: url(),
    seen,
    arrived: (tool) =>
      new Promise((resolve) => {
        if (seen.some((request) => request.tool === tool)) resolve();
        waiting.set(tool, resolve);
      }),
    restart: async () => {
      await stop();
      await listen();
    },
    stop,
  };
}

function seenIn(request: IncomingMessage, tool: string | undefined): SeenRequest {
  const session = request.headers['mcp-session-id'];
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    tool,
    authorization: request.headers.authorization,
    session: typeof session === 'string' ? session : undefined,
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function refuseCredential(response: ServerResponse): void {
  response.writeHead(401, { 'www-authenticate': 'Bearer', 'content-type': 'text/plain' }).end('who are you');
}
