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
  { models, organizationId }: TenantSession,
  of: { readonly orderId: string } | { readonly reference: string | null },
): Promise<void> {
  const key = 'orderId' in of ? undefined : keyIn(of.reference);
  const which =
    'orderId' in of ? { order_id: of.orderId } : key !== undefined && { key: { startsWith: key } };
  if (which === false) return;
  await models.bank_entry.updateMany({
    where: { organization_id: organizationId, state: 'booked', ...which },
    data: { state: 'freed' },
  });
}
