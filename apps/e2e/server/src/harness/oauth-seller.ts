import { sellerScope, startAuthorizationServer, type TestAuthorizationServer } from '@switchyard/testing';
import { plainProduct, plainSeller, type PlainSeller } from './plain-seller.js';

export interface OAuthSeller extends PlainSeller {
  readonly server: TestAuthorizationServer;
  /** Clients whose tokens it took, by call. */
  readonly callers: string[];
  /** The tokens that it took. */
  readonly tokens: Set<string>;
}

interface OAuthSellerOptions {
  readonly lifeSeconds?: number;
  /** Our accounts there, of which one has to be named. */
  readonly accounts?: readonly {
    readonly account_id: string;
    readonly name: string;
    readonly status: string;
  }[];
  /** Addresses of an instance that get the answer of the authorization server, for a client that is registered there. */
  readonly redirectUris?: readonly string[];
  /** The address of the keys of a client that proves itself by signatures. */
  readonly signedClientKeys?: string;
}

/** A seller that takes only tokens of its own authorization server, which is a real one on another port. */
export async function oauthSeller(options: OAuthSellerOptions = {}): Promise<OAuthSeller> {
  const callers: string[] = [];
  const tokens = new Set<string>();
  const late: { server?: TestAuthorizationServer; agentUrl?: string } = {};
  const { accounts } = options;
  const seller = await plainSeller(
    (tool) => {
      if (tool === 'get_products')
        return { json: JSON.stringify({ status: 'completed', products: [plainProduct] }) };
      return {
        json: JSON.stringify(
          tool === 'list_accounts' ? { status: 'completed', accounts } : { media_buys: [] },
        ),
      };
    },
    {
      ...(accounts !== undefined && {
        tools: ['list_accounts'],
        capabilities: { account: { require_operator_auth: true, supported_billing: ['operator'] } },
      }),
      guard: async (request, response) => {
        const { server, agentUrl = '' } = late;
        const place = '/.well-known/oauth-protected-resource/mcp';
        if (request.url === place) {
          const body = {
            resource: agentUrl,
            authorization_servers: [server?.issuer],
            scopes_supported: [sellerScope],
            bearer_methods_supported: ['header'],
          };
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
          return true;
        }
        const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
        const held = await server?.find(token);
        if (held !== undefined) {
          callers.push(held.clientId);
          tokens.add(token);
          return false;
        }
        const challenge = `Bearer resource_metadata="${new URL(place, agentUrl).href}", scope="${sellerScope}"`;
        response.writeHead(401, { 'www-authenticate': challenge }).end();
        return true;
      },
    },
  );
  late.agentUrl = seller.agentUrl;
  const server = await startAuthorizationServer({ resource: seller.agentUrl, ...options });
  late.server = server;
  return {
    ...seller,
    server,
    callers,
    tokens,
    close: async () => {
      await seller.close();
      await server.close();
    },
  };
}
