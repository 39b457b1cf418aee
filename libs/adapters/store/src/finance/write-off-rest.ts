import { randomUUID } from 'node:crypto';
import type { WrittenOff } from '@switchyard/buys';
import { entryOf } from '@switchyard/ledger';
import { isoOf, type Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { payableInvoice } from './payable.js';

/**
 * Settles an invoice by what is left of it, which nobody pays: from `seller_invoiced` to `write_off`, today. It stands among
 * the payments of the invoice, so that `voidPayment` takes it back. The caller has judged that it may be written off.
 */
export async function writeOffRest(
  client: TenantSession,
  { invoiceId, reason, by }: { readonly invoiceId: string; readonly reason: string; readonly by: string },
  at: Instant,
): Promise<WrittenOff> {
  const head = await lockHead(client);
  const invoice = await payableInvoice(client, invoiceId);
  if (invoice === undefined) throw new Error('The invoice of a request is gone.');
  const { currency, number, seller, openMicros: amountMicros } = invoice;
  const [paymentId, today] = [randomUUID(), isoOf(at).slice(0, 10)];
  const open = await openFrom(client);
  const line = { day: open !== undefined && today < open ? open : today, currency };
  const entry = entryOf({
    id: timeOrderedId(at),
    kind: 'payment',
    operationId: invoiceId,
    seller,
    occurredAt: at,
    postings: [
      { ...line, account: 'seller_invoiced', amountMicros },
      { ...line, account: 'write_off', amountMicros: -amountMicros },
    ],
    facts: {
      ...{ invoice_id: invoiceId, payment_id: paymentId, number, paid_on: today },
      ...{ written_off: true, reason: storableText(reason), by },
    },
  });
  await client.models.invoice_payment.create({
    data: {
      organization_id: client.organizationId,
      id: paymentId,
      invoice_id: invoiceId,
      paid_on: today,
      amount_micros: amountMicros,
      paid_by: by,
      recorded_at: new Date(at),
      entry_id: entry.id,
      is_written_off: true,
    },
  });
  await client.models.invoice.updateMany({
    where: { id: invoiceId },
    data: { paid_micros: { increment: amountMicros }, settled_on: today },
  });
  await appendBlock(client, head, [entry], at);
  return { paymentId, entryId: entry.id, amountMicros, currency };
}
