import { refreshAt, type Connection, type SellerAuthorization } from '@switchyard/sellers';
import type { RenewalLease, SealedToken, SellerAuthorizations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import {
  defined,
  err,
  isoOf,
  ok,
  type Clock,
  type Instant,
  type Result,
  type Secret,
} from '@switchyard/values';
import { destinationOf, type LeaseRequest, type PreparedVersion, type Vault } from '@switchyard/vault';
import type { AssertClient } from './client-assertion.js';
import { isSignedDocument } from './client-document.js';
import type { OAuthClient, TokenRefusal, Tokens, TokenScope } from './token-requests.js';

export interface ObtainDeps {
  readonly authorizations: SellerAuthorizations;
  readonly vault: Pick<Vault, 'prepare' | 'lease'>;
  readonly clock: Clock;
  /** Proves our client by our published key, where it has no secret. */
  readonly assertClient: AssertClient;
  /** Our public address, without a trailing slash. */
  readonly url: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Asks the authorization server for tokens. */
type Ask = (
  client: OAuthClient,
  scope: TokenScope,
  refresh: Secret | undefined,
) => Promise<Result<Tokens, TokenRefusal>>;

/** Another process has renewed it meanwhile, or a person has signed in again. */
const overtaken: TokenRefusal = {
  kind: 'passing',
  code: 'overtaken',
  words: 'Another process renews its token.',
};

/**
 * Gets tokens under a lease and stores them: data keys first, so that no token is lost because the key service does not
 * answer; then the secrets that are sent; then one request; then everything in one transaction. The lease is not given
 * back after a refusal: the caller stores what follows from it.
 */
export async function obtainToken(
  deps: ObtainDeps,
  scope: TenantScope,
  {
    lease,
    connection,
    ask,
  }: { readonly lease: RenewalLease; readonly connection: Connection; readonly ask: Ask },
): Promise<Result<SellerAuthorization, TokenRefusal>> {
  const { authorization } = lease;
  const prepared = await prepare(deps, scope, connection, authorization);
  if (!prepared.ok) return prepared;
  const { access, refresh } = prepared.value;
  try {
    const secrets = await leaseSecrets(deps, scope, connection, authorization);
    if (!secrets.ok) return secrets;
    if (!(await deps.authorizations.sending(scope, lease))) return err(overtaken);
    const { resource, scopes } = authorization;
    const client = clientOf(deps, scope, authorization, secrets.value.client);
    const got = await ask(client, { resource, scopes }, secrets.value.refresh).finally(() => {
      secrets.value.client?.wipe();
      secrets.value.refresh?.wipe();
    });
    if (!got.ok) return got;
    const next = nextOf(deps, authorization, got.value, { access, refresh });
    const tokens: SealedToken[] = [
      { sealed: access.seal(got.value.access), ...(next.endsAt !== undefined && { endsAt: next.endsAt }) },
    ];
    if (refresh !== undefined && got.value.refresh !== undefined)
      tokens.push({ sealed: refresh.seal(got.value.refresh) });
    got.value.access.wipe();
    got.value.refresh?.wipe();
    const stored = await deps.authorizations.settle(
      scope,
      lease,
      next.authorization,
      tokens,
      deps.clock.now(),
    );
    return stored ? ok(next.authorization) : err(overtaken);
  } finally {
    access.discard();
    refresh?.discard();
  }
}

/**
 * For which client of ours the secret of our OAuth client is sealed: what is registered once for a connection serves the
 * consents of all, and a client with an OAuth client of its own has its secret alone.
 */
export const holderOfSecret = ({
  grant,
  forClient,
}: Pick<SellerAuthorization, 'grant' | 'forClient'>): string | undefined =>
  grant === 'client_credentials' ? forClient : undefined;

/** Our client there. Without a secret it is proved by our published key where the server takes that, else not at all. */
export function clientOf(
  { assertClient, url }: Pick<ObtainDeps, 'assertClient' | 'url'>,
  scope: TenantScope,
  { server, clientId = '', grant, connectionId }: SellerAuthorization,
  secret: Secret | undefined,
): OAuthClient {
  if (secret !== undefined) return { server, id: clientId, secret };
  const isSigned =
    server.tokenAuthMethods.includes('private_key_jwt') &&
    (grant === 'client_credentials' || isSignedDocument(clientId, url(), connectionId));
  const assert = (audience: string) => assertClient(scope, clientId, audience);
  return { server, id: clientId, ...(isSigned && { assert }) };
}

interface Prepared {
  readonly access: PreparedVersion;
  readonly refresh: PreparedVersion | undefined;
}

async function prepare(
  { vault }: ObtainDeps,
  scope: TenantScope,
  { id: connectionId, slug: seller, agentUrl }: Connection,
  authorization: SellerAuthorization,
): Promise<Result<Prepared, TokenRefusal>> {
  const { accessCredentialId, accessVersion, refreshCredentialId, refreshVersion, server, grant } =
    authorization;
  const ofClient = defined({ clientId: authorization.forClient });
  const after = (id: string | undefined, version: number | undefined) =>
    id === undefined || version === undefined ? undefined : { credentialId: id, version, ...ofClient };
  const of = { connectionId, seller, ...ofClient };
  const access = await vault.prepare(
    scope,
    after(accessCredentialId, accessVersion) ?? {
      kind: 'oauth_access',
      destination: destinationOf(agentUrl),
      ...of,
    },
  );
  if (!access.ok) return err(unsealed);
  if (grant === 'client_credentials') return ok({ access: access.value, refresh: undefined });
  const refresh = await vault.prepare(
    scope,
    after(refreshCredentialId, refreshVersion) ?? {
      kind: 'oauth_refresh',
      destination: destinationOf(server.tokenEndpoint),
      ...of,
    },
  );
  if (refresh.ok) return ok({ access: access.value, refresh: refresh.value });
  access.value.discard();
  return err(unsealed);
}

const unsealed: TokenRefusal = {
  kind: 'passing',
  code: 'vault_unavailable',
  words: 'The key service does not answer, so no token was asked for.',
};

async function leaseSecrets(
  { vault }: ObtainDeps,
  scope: TenantScope,
  { id: connectionId, slug: seller }: Connection,
  authorization: SellerAuthorization,
): Promise<Result<{ readonly client?: Secret; readonly refresh?: Secret }, TokenRefusal>> {
  const { clientCredentialId, refreshCredentialId, server, forClient } = authorization;
  const of = { connectionId, seller, destination: destinationOf(server.tokenEndpoint) };
  const requests: LeaseRequest[] = [
    ...(clientCredentialId === undefined
      ? []
      : [
          {
            credentialId: clientCredentialId,
            kind: 'oauth_client' as const,
            ...of,
            ...defined({ clientId: holderOfSecret(authorization) }),
          },
        ]),
    ...(refreshCredentialId === undefined
      ? []
      : [
          {
            credentialId: refreshCredentialId,
            kind: 'oauth_refresh' as const,
            ...of,
            ...defined({ clientId: forClient }),
          },
        ]),
  ];
  if (requests.length === 0) return ok({});
  const leased = await vault.lease(scope, requests, { purpose: 'oauth.token', actor: 'sign-in' });
  if (!leased.ok) return err(unsealed);
  const [client, refresh] = [clientCredentialId, refreshCredentialId].map((id) => {
    const found = id === undefined ? undefined : leased.value.get(id);
    return found?.ok === true ? found.value.secret : undefined;
  });
  if (clientCredentialId !== undefined && client === undefined)
    return err({
      ...unsealed,
      kind: 'client',
      code: 'secret_unopened',
      words: 'The secret of our client cannot be opened.',
    });
  return ok({ ...(client && { client }), ...(refresh && { refresh }) });
}

/** The authorization with its new tokens. A token without a told end is renewed after five minutes if it can be. */
function nextOf(
  { clock, random }: ObtainDeps,
  authorization: SellerAuthorization,
  { lifeMs, refresh: newRefresh }: Tokens,
  prepared: Prepared,
): { readonly authorization: SellerAuthorization; readonly endsAt?: Instant } {
  const at = clock.now();
  const { refreshCredentialId, refreshVersion, dueAt: _due, expiresAt: _end, ...kept } = authorization;
  const refresh =
    prepared.refresh !== undefined && newRefresh !== undefined
      ? { refreshCredentialId: prepared.refresh.credentialId, refreshVersion: prepared.refresh.version }
      : refreshCredentialId !== undefined && refreshVersion !== undefined
        ? { refreshCredentialId, refreshVersion }
        : {};
  const isRenewable = authorization.grant === 'client_credentials' || 'refreshCredentialId' in refresh;
  const isEndless = lifeMs === undefined && !isRenewable;
  const times = refreshAt(at, lifeMs, random());
  return {
    authorization: {
      ...kept,
      ...refresh,
      state: isRenewable || isEndless ? 'authorised' : 'expiring',
      code: isRenewable || isEndless ? 'authorised' : 'not_renewable',
      words: isEndless
        ? 'Its token is used; nobody said when it ends.'
        : isRenewable
          ? `Its token is used until ${isoOf(times.expiresAt)}, and renewed before.`
          : `Its token is used until ${isoOf(times.expiresAt)}, and cannot be renewed: sign in again before.`,
      accessCredentialId: prepared.access.credentialId,
      accessVersion: prepared.access.version,
      obtainedAt: at,
      failures: 0,
      ...(!isEndless && { expiresAt: times.expiresAt, dueAt: isRenewable ? times.dueAt : times.expiresAt }),
    },
    // A token whose end was not told may live longer than we think: it ends when it is replaced.
    ...(lifeMs !== undefined && { endsAt: times.expiresAt }),
  };
}
