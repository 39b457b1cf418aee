import { entryOf, voidPostings } from '@switchyard/ledger';
import { isUuid, isoOf, type Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import { freeBankEntry } from '../finance/bank-entry.js';
import { postingsOf } from '../finance/void-invoice.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { addPaid } from './client-invoices.js';

/** Takes a payment of a client back; the document is open again, and the reference is free. */
export async function voidClientPayment(
  client: TenantSession,
  paymentId: string,
  { by, reason }: { readonly by: string; readonly reason: string },
  at: Instant,
): Promise<{ readonly invoiceId: string } | undefined> {
  if (!isUuid(paymentId)) return undefined;
  const head = await lockHead(client);
  const { rows } = await client.query<{
    invoice_id: string;
    client_id: string;
    entry_id: string;
    amount: string;
    gross: string;
    paid: string;
    reference: string;
  }>(
    `select p.invoice_id, i.client_id, p.entry_id, p.amount_micros::text as amount, p.reference,
       i.gross_micros::text as gross, i.paid_micros::text as paid from client_payment p
     join client_invoice i on i.organization_id = p.organization_id and i.id = p.invoice_id
     where p.organization_id = $1 and p.id = $2 and p.voided_at is null for update of p, i`,
    [client.organizationId, paymentId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const entry = entryOf({
    id: timeOrderedId(at),
    kind: 'client_payment',
    operationId: row.invoice_id,
    seller: '',
    occurredAt: at,
    postings: voidPostings(await postingsOf(client, row.entry_id), await openFrom(client)),
    facts: {
      ...{ client_invoice_id: row.invoice_id, client_id: row.client_id, payment_id: paymentId },
      ...{ voids: row.entry_id, reason: storableText(reason), by, reference: row.reference },
    },
  });
  // Its reference is free again.
  const reference = `${row.reference} void ${paymentId}`;
  await client.models.client_payment.updateMany({
    where: { organization_id: client.organizationId, id: paymentId },
    data: { voided_at: new Date(at), void_reason: storableText(reason), reference },
  });
  await freeBankEntry(client, row);
  await addPaid(client, { ...row, id: row.invoice_id }, -BigInt(row.amount), isoOf(at).slice(0, 10));
  await appendBlock(client, head, [entry], at);
  return { invoiceId: row.invoice_id };
}
