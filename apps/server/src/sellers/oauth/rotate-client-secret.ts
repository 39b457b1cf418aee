import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import { noteRefusal, type RenewDeps } from './renew-token.js';
import { obtainToken } from './obtain-token.js';
import type { TokenRefusal } from './token-requests.js';

/** Longer than a request to an authorization server may take, in milliseconds. */
const leaseMs = 15_000;

const busy: TokenRefusal = {
  kind: 'passing',
  code: 'busy',
  words: 'Its token is being renewed at this moment: try again in some seconds.',
};

const unprovable: TokenRefusal = {
  kind: 'grant',
  code: 'not_renewable',
  words: 'Its token cannot be renewed, so the secret cannot be tried: sign in at the seller again.',
};

/**
 * Gets the next token of a seller with another secret of our client, so that the authorization server itself says whether it
 * takes that. The token is stored like any other; the secret is not, and whoever calls stores it. A refusal of the secret
 * changes nothing.
 */
export async function proveClientSecret(
  deps: RenewDeps,
  scope: TenantScope,
  {
    connection,
    credentialId,
    secret,
  }: { readonly connection: Connection; readonly credentialId: string; readonly secret: Secret },
): Promise<Result<undefined, TokenRefusal>> {
  const all = await deps.authorizations.all(scope, connection.id);
  const using = all.filter(({ clientCredentialId }) => clientCredentialId === credentialId);
  const seen = using.find(
    ({ grant, refreshCredentialId }) => grant === 'client_credentials' || refreshCredentialId !== undefined,
  );
  if (seen === undefined) return err(unprovable);
  const lease = await deps.authorizations.take(scope, seen, { by: deps.processId, ms: leaseMs });
  if (lease === undefined) return err(busy);
  const got = await obtainToken(deps, scope, {
    lease,
    connection,
    ask: ({ server, id }, wanted, refresh) => {
      const client = { server, id, secret };
      if (seen.grant === 'client_credentials') return deps.requests.byClient(client, wanted);
      return refresh === undefined
        ? Promise.resolve(err(unprovable))
        : deps.requests.byRefresh(client, refresh, wanted);
    },
  });
  if (got.ok) return ok(undefined);
  const { kind } = got.error;
  // A grant that is over, or an answer that is lost, is so whatever secret was sent.
  if (kind === 'grant' || kind === 'lost')
    await noteRefusal(deps, scope, { lease, connection, refusal: got.error });
  else await deps.authorizations.settle(scope, lease, lease.authorization, [], deps.clock.now());
  return err(got.error);
}
