import type { AccountStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import type { Connection } from '../connection.js';

/**
 * In which account a client buys at a seller. `own`: its own. `common`: that of the connection. `none`: it has none, and
 * that of the connection is another client's. `unproved`: its assignment is not as we stored it, so nothing is sent.
 */
export type ClientAccount =
  | {
      readonly kind: 'own';
      readonly accountId: string;
      readonly status?: AccountStatus;
      readonly isSplit: true;
    }
  | { readonly kind: 'common'; readonly status?: AccountStatus; readonly isSplit: boolean }
  | { readonly kind: 'none'; readonly isSplit: true }
  | { readonly kind: 'unproved'; readonly isSplit: true };

/** Reads the accounts of a client at sellers, by connection; without sellers whose accounts were never read. */
export type ClientAccounts = (
  scope: TenantScope,
  clientId: string | undefined,
  connections: readonly Connection[],
) => Promise<ReadonlyMap<string, ClientAccount>>;

/** The seller as a client uses it: with the client's account, or with none if it has none there. */
export function asClient(connection: Connection, found: ClientAccount | undefined): Connection {
  if (found === undefined || found.kind === 'common') return connection;
  if (found.kind === 'own') return { ...connection, account: { accountId: found.accountId } };
  return withoutAccount(connection);
}

export function withoutAccount(connection: Connection): Connection {
  const { account: _none, ...bare } = connection;
  return bare;
}

/** Whether the seller declares that questions for products name an account. */
export function wantsAccountForProducts({ capabilities }: Pick<Connection, 'capabilities'>): boolean {
  const declared = capabilities?.original['account'];
  return isJsonObject(declared) && declared['required_for_products'] === true;
}

/** Whether the seller knows accounts by its own ids alone, which it lists. */
export function wantsListedAccount({ capabilities }: Pick<Connection, 'capabilities'>): boolean {
  const declared = capabilities?.original['account'];
  return isJsonObject(declared) && declared['require_operator_auth'] === true;
}
