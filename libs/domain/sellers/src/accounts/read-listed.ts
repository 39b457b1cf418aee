import type { AccountStatus } from '@switchyard/protocol';
import { defined, isJsonObject, storedDomain, type JsonObject, type JsonValue } from '@switchyard/values';
import type { ListedAccount } from './seller-account.js';

const statuses: Readonly<Record<AccountStatus, true>> = {
  active: true,
  pending_approval: true,
  rejected: true,
  payment_required: true,
  suspended: true,
  closed: true,
};

const isStatus = (text: string): text is AccountStatus => Object.hasOwn(statuses, text);

/** The longest text of a seller that is stored of an account, in characters. */
const longest = 300;

/**
 * Reads the rows of a seller's `list_accounts`, or of its answer to `sync_accounts`. A row without an id or a known status
 * is left out: nothing can be bought in it. Texts are cut.
 */
export function readListed(rows: JsonValue | undefined): readonly ListedAccount[] {
  const listed = Array.isArray(rows) ? rows : [];
  const found = new Map<string, ListedAccount>();
  for (const row of listed) {
    const account = isJsonObject(row) ? readOne(row) : undefined;
    if (account !== undefined && !found.has(account.accountId)) found.set(account.accountId, account);
  }
  return [...found.values()];
}

function readOne(row: JsonObject): ListedAccount | undefined {
  const { account_id: accountId, status = 'active' } = row;
  // An id is sent back as it is, so one that is too long is not cut.
  if (typeof accountId !== 'string' || accountId === '' || accountId.length > longest) return undefined;
  if (typeof status !== 'string' || !isStatus(status)) return undefined;
  const brand = isJsonObject(row['brand']) ? row['brand'] : {};
  const setup = isJsonObject(row['setup']) ? row['setup'] : undefined;
  return {
    accountId,
    status,
    isSandbox: row['sandbox'] === true,
    ...defined({
      name: text(row['name']),
      brandDomain: domain(brand['domain']),
      brandId: text(brand['brand_id']),
      operator: domain(row['operator']),
      billing: text(row['billing']),
      paymentTerms: text(row['payment_terms']),
    }),
    ...(setup === undefined
      ? {}
      : { setup: defined({ message: text(setup['message']), host: hostOf(setup['url']) }) }),
  };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined;
}

function domain(value: JsonValue | undefined): string | undefined {
  const named = text(value);
  return named === undefined ? undefined : storedDomain(named);
}

function hostOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, host } = new URL(value);
  return protocol === 'https:' ? host.slice(0, longest) : undefined;
}
