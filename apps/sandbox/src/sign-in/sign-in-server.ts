import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import type { default as Provider } from 'oidc-provider';
import { consentPage } from './consent-page.js';
import { SignInStore } from './sign-in-store.js';

/** The authorization server of one agent, at the agent's own origin. */
export interface SignInServer {
  /** Whether it answers a request with this address; the agent answers all others. */
  owns(url: string): boolean;
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Whether this is a living access token for the agent. */
  takes(token: string): Promise<boolean>;
}

interface SignInSettings {
  readonly origin: string;
  /** The address of the agent, which its tokens are for. */
  readonly resource: string;
  readonly sellerName: string;
  /** The client that its desk has given us, for machines. */
  readonly client: { readonly id: string; readonly secret: string };
  /** Where it keeps clients, grants and tokens. */
  readonly file: string;
}

/** The one scope that it knows. */
export const sellerScope = 'adcp:products';
const paths =
  /^\/(?:auth|token|jwks|reg|session|interaction|\.well-known\/(?:openid-configuration$|oauth-authorization-server$))/;
/** Lives of what it issues, in seconds. */
const hour = 3_600;
const month = 30 * 24 * hour;

/**
 * A real authorization server (RFC 6749, RFC 8414, RFC 7591, RFC 8707, PKCE): anybody may register a client, and whoever
 * sits at the browser consents by a button, because there is nobody to keep out of a market for practice.
 */
export async function openSignIn(settings: SignInSettings): Promise<SignInServer> {
  const { origin, resource, client, file } = settings;
  const { default: ProviderClass } = await import('oidc-provider');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const store = new SignInStore(file);
  const adapter = (model: string) => store.adapterOf(model);
  const provider: Provider = new ProviderClass(origin, {
    adapter,
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    jwks: { keys: [signingKey()] },
    cookies: { keys: [client.secret] },
    scopes: ['offline_access', sellerScope],
    pkce: { required: () => true },
    ttl: {
      AccessToken: hour,
      ClientCredentials: hour,
      RefreshToken: month,
      Grant: month,
      Interaction: hour,
      Session: hour,
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
          return { scope: sellerScope, accessTokenTTL: hour, accessTokenFormat: 'opaque' };
        },
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
  provider.use(async (context, next) => {
    if (context.path.startsWith('/interaction/')) await consent(provider, settings, context);
    else await next();
  });
  const callback = provider.callback();
  return {
    owns: (url) => paths.test(url.split('?', 1)[0] ?? ''),
    answer: (request, response) => void callback(request, response),
    takes: async (token) => {
      const found =
        (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      return found !== undefined && [found.aud].flat().includes(resource);
    },
  };
}

type Context = Parameters<Parameters<Provider['use']>[0]>[0];

/** Shows who asks for what, and goes on once the person at the browser has pressed the button. */
async function consent(
  provider: Provider,
  { resource, sellerName }: SignInSettings,
  context: Context,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(context.req, context.res);
  const clientId = String(params['client_id']);
  if (context.method !== 'POST') {
    const known = await provider.Client.find(clientId);
    context.type = 'html';
    context.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    context.body = consentPage(sellerName, known?.clientName ?? clientId);
    return;
  }
  const accountId = session?.accountId ?? 'practice';
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(`offline_access ${sellerScope}`);
  grant.addResourceScope(resource, sellerScope);
  const login = prompt.name === 'login' ? { login: { accountId } } : {};
  const result = { ...login, consent: { grantId: await grant.save() } };
  const merged = { mergeWithLastSubmission: true };
  context.redirect(await provider.interactionResult(context.req, context.res, result, merged));
}

/** It signs nothing that anybody keeps: its tokens are opaque. */
function signingKey() {
  const { privateKey: pem } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const privateKey = createPrivateKey(pem);
  return {
    ...privateKey.export({ format: 'jwk' }),
    kty: 'EC' as const,
    kid: 'one',
    use: 'sig',
    alg: 'ES256',
  };
}
