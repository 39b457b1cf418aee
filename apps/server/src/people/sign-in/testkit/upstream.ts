import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import type { JsonObject } from '@switchyard/values';

export const upstreamClient = { id: 'switchyard', secret: 'what-the-client-shows-the-provider' } as const;

/** An account at the provider. */
export interface UpstreamAccount {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

/** An OpenID Connect provider on loopback, which signs in its current person without a page. */
export interface Upstream {
  readonly issuer: string;
  /** The person at the browser. */
  account: UpstreamAccount;
  /** Changes the claims of the next token before it is signed. */
  forge: ((claims: JsonObject) => JsonObject) | undefined;
  /** Signs with a key that the provider does not publish. */
  hasStrangeKey: boolean;
  /** Follows the provider's redirects from one of its URLs, and returns the first URL outside the provider. */
  signIn(address: string): Promise<URL>;
  register(callback: string, offers?: { readonly endsSessions: boolean }): void;
  /** Stops answering; its state and port are kept. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const [own, strange] = [
    await generateKeyPair('RS256', { extractable: true }),
    await generateKeyPair('RS256'),
  ];
  const jwk = { ...(await exportJWK(own.privateKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  let answer: (request: unknown, response: unknown) => unknown = () => undefined;
  const server: Server = createServer((request, response) => void answer(request, response));
  const start = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await start(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const upstream: Upstream = {
    issuer,
    account: { sub: 'nobody' },
    forge: undefined,
    hasStrangeKey: false,
    signIn: async (address) => {
      const jar = new Map<string, string>();
      let url = new URL(address);
      for (let hop = 0; hop < 12 && url.origin === issuer; hop += 1) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const reply = await fetch(url, { redirect: 'manual', headers: { cookie } });
        for (const line of reply.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          jar.set(name, value);
        }
        const to = reply.headers.get('location');
        if (to === null) throw new Error(`The provider answered ${reply.status}: ${await reply.text()}`);
        url = new URL(to, url);
      }
      return url;
    },
    register: (callback, { endsSessions } = { endsSessions: true }) => {
      const provider: Provider = new Provider(issuer, {
        clients: [
          {
            client_id: upstreamClient.id,
            client_secret: upstreamClient.secret,
            redirect_uris: [callback],
            post_logout_redirect_uris: [new URL('/console/', callback).href],
            grant_types: ['authorization_code'],
            response_types: ['code'],
          },
        ],
        jwks: { keys: [jwk] },
        cookies: { keys: ['a key of cookies'] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'] },
        ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        features: {
          devInteractions: { enabled: false },
          rpInitiatedLogout: { enabled: endsSessions },
        },
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
        findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...upstream.account, sub }) }),
        loadExistingGrant: async (ctx) => {
          const { client, session } = ctx.oidc;
          const grant = new provider.Grant({
            accountId: session?.accountId ?? '',
            clientId: client?.clientId ?? '',
          });
          grant.addOIDCScope('openid email');
          await grant.save();
          return grant;
        },
      });
      provider.use(async (ctx, next) => {
        if (ctx.path.startsWith('/interaction/')) {
          const login = { accountId: upstream.account.sub };
          ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login }));
          return;
        }
        await next();
        const body = ctx.body as Record<string, unknown> | undefined;
        if (ctx.path !== '/token' || typeof body?.['id_token'] !== 'string') return;
        const { forge = (claims) => claims, hasStrangeKey } = upstream;
        const signed = new SignJWT(forge(decodeJwt(body['id_token'])));
        ctx.body = {
          ...body,
          id_token: await signed
            .setProtectedHeader({ alg: 'RS256', kid: 'one' })
            .sign(hasStrangeKey ? strange.privateKey : own.privateKey),
        };
      });
      answer = provider.callback() as typeof answer;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    start: () => start(port),
  };
  return upstream;
}
