import type { BankAccount } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';

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
export async function readAccounts(client: TenantSession): Promise<readonly StoredAccount[]> {
  const rows = await client.models.bank_account.findMany({
    where: { organization_id: client.organizationId },
    orderBy: [{ seller: 'asc' }, { currency: 'asc' }],
    take: 5000,
  });
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
  client: TenantSession,
  owner: AccountOwner,
  account: BankAccount,
  { by, at }: { readonly by: string; readonly at: Instant },
): Promise<void> {
  const isSellers = 'seller' in owner;
  const key = {
    organization_id: client.organizationId,
    seller: isSellers ? owner.seller : '',
    currency: isSellers ? '' : owner.currency,
  };
  const columns = {
    name: storableText(account.name),
    iban: account.iban,
    bic: account.bic ?? null,
    set_by: by,
    set_at: new Date(at),
    usable_from: new Date(isSellers ? at + waitMs : at),
  };
  await client.models.bank_account.upsert({
    where: { organization_id_seller_currency: key },
    create: { ...key, ...columns },
    update: columns,
  });
}
