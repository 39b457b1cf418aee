import { createHash } from 'node:crypto';
import type { BankEntry } from '@switchyard/ledger';
import type { TenantClient } from '../core/tenant-client.js';

/** The key of a transaction in its table: SHA-256, hexadecimal. */
export const entryKeyOf = (entry: BankEntry): string =>
  createHash('sha256').update(entry.key, 'utf8').digest('hex');

const before = 'bank ';

/** A transaction as the reference of the payment that it was matched with. */
export const referenceOf = (entry: BankEntry): string => `${before}${entryKeyOf(entry).slice(0, 24)}`;

/**
 * Lists the transaction again whose payment a person takes back: the bank has moved the money all the same. It is not matched
 * a second time when its statement comes again.
 */
export async function freeBankEntry(
  client: TenantClient,
  of: { readonly orderId: string } | { readonly reference: string | null },
): Promise<void> {
  if ('orderId' in of)
    await client.query(
      `update bank_entry set state = 'freed' where organization_id = $1 and state = 'booked' and order_id = $2`,
      [client.organizationId, of.orderId],
    );
  else if (of.reference?.startsWith(before) === true)
    await client.query(
      `update bank_entry set state = 'freed' where organization_id = $1 and state = 'booked' and key like $2`,
      [client.organizationId, `${of.reference.slice(before.length).replaceAll(/[^0-9a-f]/g, '')}%`],
    );
}
