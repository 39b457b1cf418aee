import { randomUUID } from 'node:crypto';
import type Provider from 'oidc-provider';
import type {
  Configuration,
  errors as OidcErrors,
  KoaContextWithOIDC,
  Adapter,
  AdapterPayload,
} from 'oidc-provider';
import type { OAuthStore } from '@switchyard/store';
import { programScopes } from '@switchyard/tenancy';
import type { Clock, Instant, JsonObject } from '@switchyard/values';
import { resourcePaths } from '../../platform/http/access/schemes.js';
import { faultPage } from './pages.js';
import { grantedMetadata, grantTypes, openidScopes } from './granted-metadata.js';
import { isFitRedirect } from './redirect-rule.js';
import { isJustSpent } from './refresh-successor.js';
import type { OpenKeys } from './signing-keys.js';
import type { OAuthDeps } from './ports.js';

/** Lifetimes in seconds. An access token ends with its grant, and after this time in any case. */
export const lifetimes = {
  AccessToken: 600,
  AuthorizationCode: 60,
  RefreshToken: 14 * 86_400,
  Grant: 30 * 86_400,
  Interaction: 900,
  Session: 900,
  IdToken: 600,
} as const;

/** The most bytes of a client's metadata, registered or in a document. */
const documentBytes = 16_384;
const redirectsAtMost = 10;

export const oauthRoutes = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  interaction: '/oauth/interaction',
} as const;

/** Where the state of a request holds the scope that a registration is answered with. */
export const grantedScope = 'grantedScope';

/** How long a client without any consent is stored after its registration. */
export const unusedClientMs = 86_400_000;

/** The configuration of the library: everything that RFC 9700 does not name as good practice is switched off. */
export function providerOptions(deps: OAuthDeps, keys: OpenKeys, errors: typeof OidcErrors): Configuration {
  const { ports, clock, issuer } = deps;
  const resources = new Set(resourcePaths.map((path) => `${issuer()}${path}`));
  const invalidGrant = (): Error => new errors.InvalidGrant('it has been used already');
  return {
    adapter: (model: string) => artifactsOf({ store: ports.store, clock, invalidGrant }, model),
    jwks: keys.jwks,
    findAccount: async (_ctx, accountId) => {
      const person = await personOf(deps, accountId);
      return person === undefined
        ? undefined
        : { accountId, claims: () => Promise.resolve({ sub: accountId }) };
    },
    clientDefaults: {
      application_type: 'native',
      grant_types: [...grantTypes],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    // Every client is public and uses PKCE (RFC 7636): no client secret is stored.
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    scopes: [...openidScopes, ...programScopes],
    pkce: { required: () => true },
    routes: {
      authorization: oauthRoutes.authorization,
      token: oauthRoutes.token,
      registration: oauthRoutes.registration,
      revocation: oauthRoutes.revocation,
      jwks: oauthRoutes.jwks,
    },
    interactions: { url: (_ctx, interaction) => `${oauthRoutes.interaction}/${interaction.uid}` },
    cookies: {
      keys: keys.cookieKeys,
      names: { session: 'switchyard_oauth', interaction: 'switchyard_consent', resume: 'switchyard_resume' },
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/oauth' },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    issueRefreshToken: (_ctx, client) => Promise.resolve(client.grantTypeAllowed('refresh_token')),
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    ttl: lifetimes,
    features: {
      devInteractions: { enabled: false },
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        // The library calls this right before it reads the metadata.
        idFactory: (ctx: KoaContextWithOIDC) => {
          const { metadata, scope } = grantedMetadata((ctx.oidc.body ?? {}) as JsonObject);
          Object.assign(ctx.oidc, { body: metadata });
          ctx.state[grantedScope] = scope;
          return `client_${randomUUID()}`;
        },
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => Promise.resolve(token.clientId === client.clientId),
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: () => true,
        allowClient: (_ctx: KoaContextWithOIDC, client: InstanceType<Provider['Client']>) =>
          (client.redirectUris ?? []).every(isFitRedirect),
        cacheDuration: { min: 60, max: 3_600 },
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      clientCredentials: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => Promise.resolve(oneOf ?? `${issuer()}${resourcePaths[0]}`),
        useGrantedResource: () => Promise.resolve(true),
        getResourceServerInfo: (_ctx, indicator) => {
          const resource = indicator.replace(/\/$/, '');
          if (!resources.has(resource)) throw new errors.InvalidTarget('there is no such resource here');
          return {
            scope: programScopes.join(' '),
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: lifetimes.AccessToken,
            jwt: { sign: { alg: 'ES256' } },
          };
        },
      },
    },
    // The grant is read at every use: revoking it ends its tokens at once.
    extraTokenClaims: (_ctx, token) => ('grantId' in token ? { grant_id: token.grantId } : {}),
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator: (_ctx, key, value, metadata) => {
        if (key !== 'redirect_uris') return;
        if (Buffer.byteLength(JSON.stringify(metadata)) > documentBytes)
          throw new errors.InvalidClientMetadata(`the metadata may have ${documentBytes} bytes at most`);
        if (Array.isArray(value) && value.length <= redirectsAtMost && value.every(isFitRedirect)) return;
        throw new errors.InvalidRedirectUri(
          'redirect_uris should be https, http of this machine, or a scheme of the application, ten at most',
        );
      },
    },
    fetch: (url: string | URL | Request, init?: RequestInit) =>
      ports.egress.fetchLike(url, { ...init, maxBytes: documentBytes }),
    renderError: (ctx, out) => {
      const shown = faultPage(ctx.status, `${out.error}: ${out.error_description ?? 'no more is known'}`);
      for (const [name, value] of Object.entries(shown.headers)) ctx.set(name, value);
      ctx.body = shown.html;
    },
  };
}

interface ArtifactDeps {
  readonly store: OAuthStore;
  readonly clock: Clock;
  /** The error that refuses a code or a refresh token. */
  readonly invalidGrant: () => Error;
}

/** The storage of the authorization server. A secret id is stored as its hash alone, and removed from the stored value. */
function artifactsOf({ store, clock, invalidGrant }: ArtifactDeps, model: string): Adapter {
  const isToldAgain = (consumedAt: Instant | undefined): boolean =>
    model === 'RefreshToken' && isJustSpent(consumedAt, clock.now());
  const read = async (
    found: ReturnType<OAuthStore['find']>,
    more: JsonObject = {},
  ): Promise<AdapterPayload | undefined> => {
    const artifact = await found;
    if (artifact === undefined) return undefined;
    const { payload, consumedAt } = artifact;
    const isUsed = consumedAt !== undefined && !isToldAgain(consumedAt);
    const consumed = !isUsed ? {} : { consumed: Math.floor(consumedAt / 1000) };
    return { ...payload, ...more, ...consumed };
  };
  const revokeGrant = async (grantId: string): Promise<void> => {
    await store.revokeGrant(grantId);
    await store.destroy('Grant', grantId);
  };
  const find = (id: string) =>
    read(store.find(model, id, clock.now()), model === 'Client' ? {} : { jti: id });
  return {
    upsert: async (id, { jti: _secret, client_secret: _unused, ...payload }, expiresIn) => {
      const now = clock.now();
      const { grantId, uid, accountId, clientId } = payload;
      await store.upsert(
        {
          model,
          id,
          payload: payload as unknown as JsonObject,
          ...(typeof grantId === 'string' ? { grantId } : {}),
          ...(model === 'Session' && typeof uid === 'string' ? { uid } : {}),
          ...(model === 'Grant' && typeof accountId === 'string' ? { account: accountId } : {}),
          ...(typeof clientId === 'string' ? { clientId } : {}),
          expiresAt: now + (expiresIn === undefined || expiresIn === 0 ? unusedClientMs : expiresIn * 1000),
        },
        now,
      );
      // Each insert also removes expired rows, so that the table stays bounded.
      if (model === 'Client' || model === 'Interaction') await store.sweep(now);
    },
    find,
    findByUid: (uid) => read(store.findByUid(model, uid, clock.now())),
    findByUserCode: () => Promise.resolve(undefined),
    consume: async (id) => {
      if (await store.consume(model, id, clock.now())) return;
      // Of several concurrent uses one is the first; a second use means that somebody else has the secret.
      const found = await store.find(model, id, clock.now());
      if (isToldAgain(found?.consumedAt)) return;
      const grantId = found?.payload['grantId'];
      if (typeof grantId === 'string') await revokeGrant(grantId);
      throw invalidGrant();
    },
    destroy: (id) => store.destroy(model, id),
    revokeByGrantId: (grantId) => store.revokeGrant(grantId),
  };
}

/**
 * The account id of a person at the authorization server. A person who signed in with a token gets an id with that
 * token: a consent then grants no more than the token, and ends with it.
 */
export const accountOf = (person: {
  readonly organizationId: string;
  readonly principalId: string;
  readonly tokenId?: string;
}): string => [person.organizationId, person.principalId, person.tokenId ?? []].flat().join(':');

/** The person of an account id, with current grants; undefined if it was disabled or is no person. */
export function personOf(
  { ports, clock }: Pick<OAuthDeps, 'ports' | 'clock'>,
  account: string,
): ReturnType<OAuthDeps['ports']['store']['person']> {
  const [organizationId = '', principalId = '', tokenId] = account.split(':');
  return ports.store.person({ organizationId }, principalId, clock.now(), tokenId);
}
