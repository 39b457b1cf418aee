import {
  isBound,
  type BoundUse,
  type ClientAccount,
  type ClientAccounts,
  type Connection,
  type SellerAccounts,
  type StandingAt,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, type Result, type Secret } from '@switchyard/values';
import type { Vault, VaultFailure } from '@switchyard/vault';

export interface ClientAccountsDeps {
  readonly sellerAccounts: SellerAccounts;
  readonly vault: Pick<Vault, 'withSecret'>;
}

/**
 * Reads in which account a client buys at each seller, and proves each assignment under the connection's secret: one that
 * was changed in the database is not used (docs/protocol/accounts.md#accounts-at-sellers).
 */
export function clientAccountsFrom(deps: ClientAccountsDeps): ClientAccounts {
  return async (scope, clientId, connections) => {
    const ids = connections.map(({ id }) => id);
    const standings = await deps.sellerAccounts.standings(scope, clientId, ids);
    const found = await Promise.all(
      standings.map(async (standing): Promise<readonly [string, ClientAccount]> => {
        const connection = connections.find(({ id }) => id === standing.connectionId);
        return [standing.connectionId, await judged(deps, scope, connection, standing)];
      }),
    );
    return new Map(found);
  };
}

async function judged(
  { vault }: ClientAccountsDeps,
  scope: TenantScope,
  connection: Connection | undefined,
  { use, login, status, isSplit, isOfAnother }: StandingAt,
): Promise<ClientAccount> {
  const standing = defined({ status, login });
  // The account of the connection is one of the connection's login.
  if (use === undefined && login !== undefined) return { kind: 'common', isSplit: true, login };
  if (use === undefined)
    return isOfAnother ? { kind: 'none', isSplit: true } : { kind: 'common', isSplit, ...standing };
  const proved =
    connection !== undefined &&
    (await withBindingKey(vault, scope, connection, (secret) => isBound(scope, secret, use)));
  return proved === false || !proved.ok || !proved.value
    ? { kind: 'unproved', isSplit: true, ...defined({ login }) }
    : { kind: 'own', accountId: use.accountId, isSplit: true, ...standing };
}

/** Uses the secret of a connection under which its assignments are bound. */
export async function withBindingKey<T extends boolean | BoundUse>(
  vault: Pick<Vault, 'withSecret'>,
  scope: TenantScope,
  { id: connectionId, slug: seller, keyCredentialId }: Connection,
  work: (secret: Secret) => T,
): Promise<Result<T, VaultFailure>> {
  const request = {
    credentialId: keyCredentialId ?? connectionId,
    kind: 'idempotency',
    connectionId,
    seller,
  } as const;
  const reason = { purpose: 'accounts.bind', actor: 'accounts' };
  return vault.withSecret(scope, request, reason, (secret) => Promise.resolve(work(secret)));
}
