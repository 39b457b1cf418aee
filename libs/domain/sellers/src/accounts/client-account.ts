import type { AccountStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import type { Connection } from '../connection.js';
import type { ClientLogin } from './client-login.js';

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
      readonly login?: ClientLogin;
    }
  | {
      readonly kind: 'common';
      readonly status?: AccountStatus;
      readonly isSplit: boolean;
      readonly login?: ClientLogin;
    }
  | { readonly kind: 'none'; readonly isSplit: true; readonly login?: never }
  | { readonly kind: 'unproved'; readonly isSplit: true; readonly login?: ClientLogin };

/** Reads the accounts of a client at sellers, by connection; without sellers whose accounts were never read. */
export type ClientAccounts = (
  scope: TenantScope,
  clientId: string | undefined,
  connections: readonly Connection[],
) => Promise<ReadonlyMap<string, ClientAccount>>;

/**
 * The seller as a client uses it: through the client's login and with the client's account, or with none if it has none
 * there. The account of the connection belongs to the connection's login.
 */
export function asClient(connection: Connection, found: ClientAccount | undefined): Connection {
  if (found === undefined) return connection;
  const at = throughLogin(connection, found.login);
  if (found.kind === 'own') return { ...at, account: { accountId: found.accountId } };
  return found.kind === 'common' ? at : withoutAccount(at);
}

/** The seller under a client's own login; under that of the connection without one. */
export function throughLogin(connection: Connection, login: ClientLogin | undefined): Connection {
  if (login === undefined) return connection;
  const { clientId, credentialId } = login;
  return { ...withoutAccount(connection), credentialId, login: { clientId, credentialId } };
}

/**
 * What an answer of the seller holds for: the text is the same for all that may use it. A client with a login of its own
 * is shown what its login is shown, and a seller that names accounts in its products shows each account its own.
 */
export function shownTo(connection: Connection): string | undefined {
  const { account, hasAccounts, login } = connection;
  const isOfAccount = hasAccounts === true && wantsAccountForProducts(connection);
  const named =
    isOfAccount && account !== undefined && 'accountId' in account ? account.accountId : undefined;
  return login === undefined ? named : `login ${login.clientId}${named === undefined ? '' : ` ${named}`}`;
}

export function withoutAccount(connection: Connection): Connection {
  const { account: _none, ...bare } = connection;
  return bare;
}

/** Whether questions for products name an account: the seller declares it, or has refused one without. */
export function wantsAccountForProducts({
  capabilities,
  wantsAccount,
}: Pick<Connection, 'capabilities' | 'wantsAccount'>): boolean {
  const declared = capabilities?.original['account'];
  return wantsAccount === true || (isJsonObject(declared) && declared['required_for_products'] === true);
}

const accountCodes =
  /^(?:ACCOUNT_(?:REQUIRED|SETUP_REQUIRED|NOT_FOUND|AMBIGUOUS)|SALES_AGENT_ACCOUNT_REQUIRED)$/;

/** Whether an error says that an account is missing, whatever the release calls it. */
export const isAboutAccount = ({ code }: { readonly code: string }): boolean => accountCodes.test(code);

/** Whether the seller knows accounts by its own ids alone, which it lists. */
export function wantsListedAccount({ capabilities }: Pick<Connection, 'capabilities'>): boolean {
  const declared = capabilities?.original['account'];
  return isJsonObject(declared) && declared['require_operator_auth'] === true;
}
