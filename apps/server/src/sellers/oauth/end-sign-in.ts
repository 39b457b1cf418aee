import type { Connection, SellerAuthorization } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, type Secret } from '@switchyard/values';
import { destinationOf, type LeaseRequest } from '@switchyard/vault';
import { clientOf, holderOfSecret } from './obtain-token.js';
import type { SignInDeps } from './sign-in-deps.js';
import type { TokenHint } from './token-requests.js';

/** Of one client, or without one of the connection and every client. */
export type EndSignIn = (
  scope: TenantScope,
  connection: Pick<Connection, 'id' | 'slug'>,
  forClient?: string,
) => Promise<void>;

type EndDeps = Pick<
  SignInDeps,
  'authorizations' | 'vault' | 'clock' | 'requests' | 'isStopped' | 'onUnexpected' | 'assertClient' | 'url'
>;

/**
 * Ends our sign-in at a seller that is removed. Its authorization server is told where it takes that (RFC 7009); a server
 * that does not answer holds nothing up, because here the tokens and our client's secret are revoked in any case.
 */
export async function endSignIn(
  deps: EndDeps,
  scope: TenantScope,
  connection: Pick<Connection, 'id' | 'slug'>,
  forClient?: string,
): Promise<void> {
  const found = await deps.authorizations.all(scope, connection.id);
  for (const known of found)
    if (forClient === undefined || known.forClient === forClient)
      await endOne(deps, scope, connection, known);
}

async function endOne(
  deps: EndDeps,
  scope: TenantScope,
  connection: Pick<Connection, 'id' | 'slug'>,
  known: SellerAuthorization,
): Promise<void> {
  const { authorizations, vault, clock } = deps;
  await tellServer(deps, scope, connection, known).catch((error: unknown) => {
    deps.onUnexpected(error, 'revoking a token at its authorization server');
  });
  const { accessCredentialId, refreshCredentialId, clientCredentialId, dueAt: _, ...kept } = known;
  // What is registered for the connection serves others, too.
  const isShared = known.forClient !== undefined && holderOfSecret(known) === undefined;
  for (const one of [accessCredentialId, refreshCredentialId, isShared ? undefined : clientCredentialId])
    if (one !== undefined) await vault.revoke(scope, one);
  const ended = { ...kept, state: 'revoked', code: 'revoked', words: 'We have ended this sign-in.' } as const;
  await authorizations.save(scope, ended, clock.now());
}

/**
 * The refresh token is the one that matters: with it goes what was given for it (RFC 7009, section 2.1). An access token is
 * sealed for the seller alone, so it is not sent to the authorization server; without a refresh token it ends by itself.
 */
async function tellServer(
  deps: EndDeps,
  scope: TenantScope,
  { id: connectionId, slug: seller }: Pick<Connection, 'id' | 'slug'>,
  authorization: SellerAuthorization,
): Promise<void> {
  const { server, clientId, clientCredentialId, refreshCredentialId, forClient } = authorization;
  if (server.revocationEndpoint === undefined || clientId === undefined || refreshCredentialId === undefined)
    return;
  // Each secret is sealed for the origin of the token endpoint, and is sent to no other.
  const destination = destinationOf(server.tokenEndpoint);
  if (destinationOf(server.revocationEndpoint) !== destination) return;
  if (await deps.isStopped(scope.organizationId, 'seller', connectionId)) return;
  const of = { connectionId, seller, destination };
  const wanted: LeaseRequest[] = [
    { credentialId: refreshCredentialId, kind: 'oauth_refresh', ...of, ...defined({ clientId: forClient }) },
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
  ];
  const leased = await deps.vault.lease(scope, wanted, { purpose: 'oauth.revoke', actor: 'sign-in' });
  if (!leased.ok) return;
  const opened = (id: string | undefined): Secret | undefined => {
    const found = id === undefined ? undefined : leased.value.get(id);
    return found?.ok === true ? found.value.secret : undefined;
  };
  const [token, secret] = [opened(refreshCredentialId), opened(clientCredentialId)];
  const hint: TokenHint = 'refresh_token';
  try {
    if (token !== undefined)
      await deps.requests.revoke(clientOf(deps, scope, authorization, secret), token, hint);
  } finally {
    token?.wipe();
    secret?.wipe();
  }
}
