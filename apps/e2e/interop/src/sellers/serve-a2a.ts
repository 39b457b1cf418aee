import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadExpress, type AdcpServer, type SdkServer } from '../sdk/load-sdk-server.js';

/**
 * Serves an agent of the SDK over A2A. The adapter's comments require that the application refuses unauthenticated
 * callers before the adapter; this file does.
 */
export async function serveA2a(
  sdk: SdkServer,
  agent: AdcpServer,
  { name, token }: { readonly name: string; readonly token: string },
): Promise<string> {
  const app = loadExpress()();
  // The card contains the URL, so the server listens before the agent is created.
  const server = await new Promise<Server>((resolve) => {
    const opening = app.listen(0, '127.0.0.1', () => resolve(opening));
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/a2a`;
  const isCard = (path: string | undefined): boolean =>
    path?.endsWith('/.well-known/agent-card.json') === true;
  const guard: Guard = (request, response, next) => {
    if (isCard(request.url) || request.headers['authorization'] === `Bearer ${token}`) return next();
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  };
  app.use(guard);
  sdk
    .createA2AAdapter({
      server: agent,
      authenticate: () =>
        Promise.resolve({ principal: 'the-relay', token, clientId: 'the-relay', scopes: [] }),
      agentCard: {
        name,
        description: `${name}, over A2A`,
        url,
        version: '1.0.0',
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        security: [{ bearer: [] }],
      },
    })
    .mount(app);
  return url;
}

type Guard = (
  request: { readonly url?: string; readonly headers: Readonly<Record<string, unknown>> },
  response: { writeHead(status: number, headers: object): { end(): void } },
  next: () => void,
) => void;
