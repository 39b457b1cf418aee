import { createHash } from 'node:crypto';
import type { BankEntry } from '@switchyard/ledger';
import type { TenantSession } from '../core/tenant-client.js';

/** The key of a transaction in its table: SHA-256, hexadecimal. */
export const entryKeyOf = (entry: BankEntry): string =>
  createHash('sha256').update(entry.key, 'utf8').digest('hex');

/** A transaction as the reference of the payment that it was matched with. */
export const referenceOf = (entry: BankEntry): string => `bank ${entryKeyOf(entry).slice(0, 24)}`;

/** The beginning of a key in such a reference. People write references too, such as `bank transfer 12`. */
const keyIn = (reference: string | null): string | undefined =>
  /^bank ([0-9a-f]{24})$/.exec(reference ?? '')?.[1];

/**
 * Lists the transaction again whose payment a person takes back: the bank has moved the money all the same. It is not matched
 * a second time when its statement comes again.
 */
export async function freeBankEntry(
  session: TenantSession,
  of: { readonly orderId: string } | { readonly reference: string | null },
): Promise<void> {
  if ('orderId' in of) return markFreed(session, { order_id: of.orderId });
  const key = keyIn(of.reference);
  // A range, and not a prefix: an index that sorts by a language finds no prefix. Keys are hexadecimal: `g` is after all.
  if (key !== undefined) await markFreed(session, { key: { gte: key, lt: `${key}g` } });
}

async function markFreed(
  { models, organizationId }: TenantSession,
  booked: { readonly order_id: string } | { readonly key: { readonly gte: string; readonly lt: string } },
): Promise<void> {
  await models.bank_entry.updateMany({
    where: { organization_id: organizationId, state: 'booked', ...booked },
    data: { state: 'freed' },
  });
}
