import { entryOf, voidPostings } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { invoice_paymentModel, payment_order_itemModel } from '../generated/models.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { freeBankEntry } from './bank-entry.js';
import { postingsOf } from './void-invoice.js';

type PaymentRow = Pick<
  invoice_paymentModel,
  'invoice_id' | 'entry_id' | 'difference_entry_id' | 'reference'
> &
  Pick<payment_order_itemModel, 'discount_entry_id'> & {
    readonly seller: string;
    readonly amount: string;
    readonly discount: string | null;
  };

/**
 * Takes a payment back, because its bank returned it or it was entered wrongly: its entries negated in one entry, and the
 * invoice is open by its amount again. Its reference is free. False if no payment that stands has the id.
 */
export async function voidPayment(
  client: TenantSession,
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
  await client.models.invoice_payment.updateMany({
    where: { organization_id: client.organizationId, id: paymentId },
    data: { voided_at: new Date(at), void_entry_id: entry.id, reference: null },
  });
  const back = BigInt(row.amount) + (row.discount_entry_id === null ? 0n : BigInt(row.discount ?? '0'));
  await client.models.invoice.updateMany({
    where: { id: row.invoice_id },
    data: { paid_micros: { decrement: back }, settled_on: null },
  });
  await freeBankEntry(client, row);
  await appendBlock(client, head, [entry], at);
  return true;
}
