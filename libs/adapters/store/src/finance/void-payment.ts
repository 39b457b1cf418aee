import { entryOf, voidPostings } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { freeBankEntry } from './bank-entry.js';
import { postingsOf } from './void-invoice.js';

interface PaymentRow {
  readonly invoice_id: string;
  readonly seller: string;
  readonly amount: string;
  readonly entry_id: string;
  readonly difference_entry_id: string | null;
  readonly reference: string | null;
  readonly discount: string | null;
  readonly discount_entry_id: string | null;
}

/**
 * Takes a payment back, because its bank returned it or it was entered wrongly: its entries negated in one entry, and the
 * invoice is open by its amount again. Its reference is free. False if no payment that stands has the id.
 */
export async function voidPayment(
  client: TenantClient,
  { paymentId, reason, by }: { readonly paymentId: string; readonly reason: string; readonly by: string },
  at: Instant,
): Promise<boolean> {
  const head = await lockHead(client);
  const { rows } = await client.query<PaymentRow>(
    `select p.invoice_id, i.seller, p.amount_micros::text as amount, p.entry_id, p.difference_entry_id, p.reference,
       o.discount_micros::text as discount, o.discount_entry_id
     from invoice_payment p join invoice i on i.id = p.invoice_id
     left join payment_order_item o on o.organization_id = p.organization_id and o.invoice_id = p.invoice_id
       and o.payment_id = p.id
     where p.organization_id = $1 and p.id = $2 and p.voided_at is null for update of p, i`,
    [client.organizationId, paymentId],
  );
  const [row] = rows;
  if (row === undefined) return false;
  const entries = [row.entry_id, row.difference_entry_id, row.discount_entry_id].filter((id) => id !== null);
  const posted = await Promise.all(entries.map((id) => postingsOf(client, id)));
  const entry = entryOf({
    id: timeOrderedId(at),
    kind: 'void',
    operationId: row.invoice_id,
    seller: row.seller,
    occurredAt: at,
    postings: voidPostings(posted.flat(), await openFrom(client)),
    facts: {
      invoice_id: row.invoice_id,
      payment_id: paymentId,
      voids: entries,
      reason: storableText(reason),
      by,
      ...(row.reference !== null && { reference: row.reference }),
    },
  });
  await client.query(
    `update invoice_payment set voided_at = $3, void_entry_id = $4, reference = null
     where organization_id = $1 and id = $2`,
    [client.organizationId, paymentId, new Date(at), entry.id],
  );
  const back = BigInt(row.amount) + (row.discount_entry_id === null ? 0n : BigInt(row.discount ?? '0'));
  await client.query(
    `update invoice set paid_micros = paid_micros - $3::bigint, settled_on = null where organization_id = $1 and id = $2`,
    [client.organizationId, row.invoice_id, back.toString()],
  );
  await freeBankEntry(client, row);
  await appendBlock(client, head, [entry], at);
  return true;
}
