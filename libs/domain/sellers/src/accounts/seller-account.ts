import type { AccountStatus } from '@switchyard/protocol';
import type { LimitedReach, TenantScope } from '@switchyard/tenancy';
import type { ClientLogin } from './client-login.js';
import type { Instant, PageRead } from '@switchyard/values';

/** What a seller says of one of our accounts there. */
export interface ListedAccount {
  /** The seller's id. */
  readonly accountId: string;
  readonly name?: string;
  readonly status: AccountStatus;
  readonly brandDomain?: string;
  readonly brandId?: string;
  readonly operator?: string;
  readonly billing?: string;
  readonly paymentTerms?: string;
  readonly isSandbox: boolean;
  /** What is still to be done, in the seller's words, and the host of the page for it. The page is never read. */
  readonly setup?: { readonly message?: string; readonly host?: string };
}

/** One of our accounts at a seller, as it is stored. */
export interface SellerAccount extends ListedAccount {
  readonly source: 'listed' | 'declared';
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
  /** Since when the seller lists it no more. */
  readonly missingSince?: Instant;
  /** The clients that buy in it, of those in reach. */
  readonly clients: readonly { readonly id: string; readonly name: string }[];
}

/** The clients' assignment: in which account at a seller a client buys. */
export interface AccountUse {
  /** UUID. */
  readonly connectionId: string;
  /** UUID. */
  readonly clientId: string;
  readonly accountId: string;
  readonly since: Instant;
}

/** An assignment with what proves that nobody changed it but us (docs/protocol/accounts.md#accounts-at-sellers). */
export interface BoundUse extends AccountUse {
  /** 32 bytes. */
  readonly binding: Buffer;
}

/** A client's login as it is stored. */
export interface StoredLogin extends ClientLogin {
  /** UUID. */
  readonly connectionId: string;
  readonly since: Instant;
}

/** A login with the name of its client. */
export interface NamedLogin extends StoredLogin {
  readonly client: string;
}

/** What is stored about a client's account at one seller. */
export interface StandingAt {
  readonly connectionId: string;
  /** Its own account; absent if it has none. */
  readonly use?: BoundUse;
  /** Its own login; absent if it uses that of the connection. */
  readonly login?: ClientLogin;
  /** Status of its own account, or of the connection's; absent if the seller did not list it. */
  readonly status?: AccountStatus;
  readonly isMissing: boolean;
  /** Whether any client has an account of its own at this seller. */
  readonly isSplit: boolean;
  /** Whether the connection's account is another client's. */
  readonly isOfAnother: boolean;
}

/** What a reading of a seller's accounts changed. */
export interface AccountsRead {
  readonly added: readonly string[];
  /** Ids with another status than before. */
  readonly changed: readonly { readonly accountId: string; readonly from: string; readonly to: string }[];
  readonly missing: readonly string[];
}

/** A page of logins: the sort key is the id of the client. */
export interface LoginsPage extends PageRead {
  readonly clientIds?: readonly string[];
}

/** The port that `adapters/store` implements. */
export interface SellerAccounts {
  /** Stores what a seller listed. With `isWhole`, what it did not list is marked as missing. */
  record(
    scope: TenantScope,
    connectionId: string,
    listed: {
      readonly accounts: readonly ListedAccount[];
      readonly isWhole: boolean;
      readonly source: SellerAccount['source'];
    },
    at: Instant,
  ): Promise<AccountsRead>;
  isActiveClient(scope: TenantScope, clientId: string): Promise<boolean>;
  /** Accounts in which a client buys, and that are not active or that the seller lists no more; at most twenty. */
  held(
    scope: TenantScope,
    connectionId: string,
  ): Promise<readonly { readonly accountId: string; readonly status: AccountStatus | 'missing' }[]>;
  /** By the seller's id. A limited reach sees the accounts of its clients alone. */
  list(
    scope: TenantScope,
    filter: PageRead & { readonly connectionId: string; readonly reach?: LimitedReach },
  ): Promise<readonly SellerAccount[]>;
  /** Stores a client's account, in place of the one before. `no_account`: the seller did not list it. */
  use(scope: TenantScope, use: BoundUse, by: string): Promise<'used' | 'no_account' | 'no_client'>;
  /** Takes it back. False if the client had none. */
  release(scope: TenantScope, use: Pick<AccountUse, 'connectionId' | 'clientId'>): Promise<boolean>;
  /** Stores a client's own login, in place of the one before. Answers the secret before. */
  logIn(
    scope: TenantScope,
    login: StoredLogin,
    by: string,
  ): Promise<'no_client' | { readonly before?: string }>;
  /** Takes it back. The sealed secret that it had; undefined if the client had none. */
  logOut(
    scope: TenantScope,
    login: Pick<StoredLogin, 'connectionId' | 'clientId'>,
  ): Promise<string | undefined>;
  /** One page, by id of the client; of these clients alone if they are named. */
  logins(scope: TenantScope, connectionId: string, page: LoginsPage): Promise<readonly NamedLogin[]>;
  /** How a client stands at these sellers; without a client, a brand that nobody entered. */
  standings(
    scope: TenantScope,
    clientId: string | undefined,
    connectionIds: readonly string[],
  ): Promise<readonly StandingAt[]>;
}
