import { once } from 'node:events';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A client that needs no browser. */
export const machineClient = { id: 'switchyard-machine', secret: 'a secret: with/signs+and%20more' } as const;
/** A client without a secret, which signs. */
export const signedClientId = 'switchyard-signed';
/** A client for browsers, with the redirect addresses that a test names. */
export const browserClient = {
  id: 'switchyard-browser',
  secret: 'the-secret-of-the-browser-client',
} as const;

interface AuthorizationServerOptions {
  /** The address of the seller that its tokens are for. */
  readonly resource: string;
  /** Life of its access tokens; 600 unless set. */
  readonly lifeSeconds?: number;
  readonly redirectUris?: readonly string[];
  /** The address of the keys of a client that proves itself by signatures (RFC 7523). */
  readonly signedClientKeys?: string;
}

/** A real authorization server of a seller on loopback, which signs in one person without a page. */
export interface TestAuthorizationServer {
  readonly issuer: string;
  /** Grant types of the token requests, in order. */
  readonly tokenRequests: string[];
  /** The client and the scopes of a living access token for the seller; undefined for any other text. */
  find(token: string): Promise<{ readonly clientId: string; readonly scope: string } | undefined>;
  /** How many refresh tokens are alive. */
  refreshTokens(): number;
  /** Ends every grant and token, as a person does who takes the access away. */
  forgetGrants(): void;
  /** Answers token requests with this status from now on; undefined: as usual. */
  failWith: number | undefined;
  /** The first address outside it to which its redirects lead a browser. */
  signIn(address: string): Promise<URL>;
  close(): Promise<void>;
}

/** Scopes that it knows. */
export const sellerScope = 'adcp:products';

export async function startAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<TestAuthorizationServer> {
  const { default: Provider } = await import('oidc-provider');
  const { resource, lifeSeconds = 600, redirectUris = [], signedClientKeys } = options;
  let answer: (request: unknown, response: unknown) => unknown = () => undefined;
  const http: Server = createServer((request, response) => void answer(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  let data = new Map<string, Map<string, Record<string, unknown>>>();
  const provider = new Provider(issuer, {
    adapter: class {
      constructor(private readonly model: string) {}
      private get rows(): Map<string, Record<string, unknown>> {
        const rows = data.get(this.model) ?? new Map<string, Record<string, unknown>>();
        data.set(this.model, rows);
        return rows;
      }
      private by(name: string, value: string): Promise<Record<string, unknown> | undefined> {
        return Promise.resolve([...this.rows.values()].find((row) => row[name] === value));
      }
      upsert(id: string, payload: object): Promise<undefined> {
        this.rows.set(id, { ...payload });
        return Promise.resolve(undefined);
      }
      find(id: string): Promise<Record<string, unknown> | undefined> {
        return Promise.resolve(this.rows.get(id));
      }
      findByUid(uid: string): Promise<Record<string, unknown> | undefined> {
        return this.by('uid', uid);
      }
      findByUserCode(code: string): Promise<Record<string, unknown> | undefined> {
        return this.by('userCode', code);
      }
      consume(id: string): Promise<undefined> {
        const row = this.rows.get(id);
        if (row !== undefined) row['consumed'] = Math.floor(Date.now() / 1_000);
        return Promise.resolve(undefined);
      }
      destroy(id: string): Promise<undefined> {
        this.rows.delete(id);
        return Promise.resolve(undefined);
      }
      revokeByGrantId(grantId: string): Promise<undefined> {
        for (const rows of data.values())
          for (const [id, row] of rows) if (row['grantId'] === grantId) rows.delete(id);
        return Promise.resolve(undefined);
      }
    },
    clients: [
      {
        client_id: machineClient.id,
        client_secret: machineClient.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      ...(signedClientKeys === undefined
        ? []
        : [
            {
              client_id: signedClientId,
              token_endpoint_auth_method: 'private_key_jwt' as const,
              jwks_uri: signedClientKeys,
              grant_types: ['client_credentials'],
              redirect_uris: [],
              response_types: [],
            },
          ]),
      ...(redirectUris.length === 0
        ? []
        : [
            {
              client_id: browserClient.id,
              client_secret: browserClient.secret,
              grant_types: ['authorization_code', 'refresh_token'],
              redirect_uris: [...redirectUris],
              response_types: ['code' as const],
            },
          ]),
    ],
    jwks: { keys: [signingKey()] },
    cookies: { keys: ['a key of cookies'] },
    scopes: ['openid', 'offline_access', sellerScope],
    pkce: { required: () => true },
    ttl: {
      AccessToken: lifeSeconds,
      ClientCredentials: lifeSeconds,
      RefreshToken: 3_600,
      Grant: 3_600,
      Interaction: 600,
      Session: 600,
    },
    issueRefreshToken: () => Promise.resolve(true),
    rotateRefreshToken: () => true,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => Promise.resolve(true),
        getResourceServerInfo: (_context, named) => {
          if (named !== resource) throw new Error(`unknown resource ${named}`);
          return { scope: sellerScope, accessTokenTTL: lifeSeconds, accessTokenFormat: 'opaque' };
        },
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
  const server: TestAuthorizationServer = {
    issuer,
    tokenRequests: [],
    failWith: undefined,
    find: async (token) => {
      const found =
        (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      const isFor = found !== undefined && [found.aud].flat().includes(resource);
      return isFor ? { clientId: found.clientId ?? '', scope: found.scope ?? '' } : undefined;
    },
    refreshTokens: () =>
      [...(data.get('RefreshToken') ?? [])].filter(([, row]) => row['consumed'] === undefined).length,
    forgetGrants: () => {
      data = new Map([...data].filter(([model]) => model === 'Client'));
    },
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
        if (to === null)
          throw new Error(`The authorization server answered ${reply.status}: ${await reply.text()}`);
        url = new URL(to, url);
      }
      if (url.origin === issuer) throw new Error(`The authorization server leads nowhere: ${url.href}`);
      return url;
    },
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  provider.use(async (context, next) => {
    if (context.path.startsWith('/interaction/')) {
      const { prompt, params, session } = await provider.interactionDetails(context.req, context.res);
      const accountId = session?.accountId ?? 'the person of the test';
      const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
      grant.addOIDCScope(`openid offline_access ${sellerScope}`);
      grant.addResourceScope(resource, sellerScope);
      const result =
        prompt.name === 'login' ? { login: { accountId } } : { consent: { grantId: await grant.save() } };
      const merged = { mergeWithLastSubmission: true };
      context.redirect(await provider.interactionResult(context.req, context.res, result, merged));
      return;
    }
    if (context.path === '/token' && server.failWith !== undefined) {
      context.status = server.failWith;
      context.body = '';
      return;
    }
    await next();
    if (context.path !== '/token') return;
    const asked = (context['oidc'] as { params?: { grant_type?: string } } | undefined)?.params;
    server.tokenRequests.push(asked?.grant_type ?? 'unreadable');
  });
  answer = provider.callback() as typeof answer;
  return server;
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    ...createPrivateKey(privateKey).export({ format: 'jwk' }),
    kty: 'RSA' as const,
    kid: 'one',
    use: 'sig',
    alg: 'RS256',
  };
}
