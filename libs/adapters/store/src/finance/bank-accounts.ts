import type { BankAccount } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/** Hours in which nothing is paid to a seller whose bank data changed: a change by fraud can be found in time. */
const waitMs = 24 * 3_600_000;

/** Whose account: a seller's by its slug, or our own for a currency. */
export type AccountOwner = { readonly seller: string } | { readonly currency: string };

export interface StoredAccount extends BankAccount {
  readonly seller?: string;
  readonly currency?: string;
  readonly setAt: Instant;
  /** Nothing is paid to it before. */
  readonly usableFrom: Instant;
}

/** Accounts at banks. They are changed by `controlRequests`, by two people. */
export function bankAccounts(store: Store) {
  return {
    list: (scope: TenantScope): Promise<readonly StoredAccount[]> =>
      store.inTenant(scope, (client) => readAccounts(client)),
  };
}

export type BankAccounts = ReturnType<typeof bankAccounts>;

/** All accounts of the organization: at most one for each seller and currency. */
export async function readAccounts(client: TenantClient): Promise<readonly StoredAccount[]> {
  const { rows } = await client.query<{
    seller: string;
    currency: string;
    name: string;
    iban: string;
    bic: string | null;
    set_at: Date;
    usable_from: Date;
  }>(
    `select seller, currency, name, iban, bic, set_at, usable_from from bank_account
     where organization_id = $1 order by seller, currency limit 5000`,
    [client.organizationId],
  );
  return rows.map(({ seller, currency, name, iban, bic, set_at: setAt, usable_from: from }) => ({
    name,
    iban,
    ...present({ bic, seller: seller || null, currency: currency || null }),
    setAt: setAt.getTime(),
    usableFrom: from.getTime(),
  }));
}

/** Sets an account. Our own can be used at once, a seller's after a day. */
export async function setAccount(
  client: TenantClient,
  owner: AccountOwner,
  account: BankAccount,
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<void> {
  const isSellers = 'seller' in owner;
  await client.query(
    `insert into bank_account (organization_id, seller, currency, name, iban, bic, set_by, set_at, usable_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (organization_id, seller, currency) do update set name = excluded.name, iban = excluded.iban,
       bic = excluded.bic, set_by = excluded.set_by, set_at = excluded.set_at, usable_from = excluded.usable_from`,
    [
      client.organizationId,
      isSellers ? owner.seller : '',
      isSellers ? '' : owner.currency,
      storableText(account.name),
      account.iban,
      account.bic ?? null,
      by,
      new Date(at),
      new Date(isSellers ? at + waitMs : at),
    ],
  );
}
