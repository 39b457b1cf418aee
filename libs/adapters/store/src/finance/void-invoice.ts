import { entryOf, voidPostings, type Posting } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { invoiceModel } from '../generated/models.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { recommitBuys } from '../spending/recommit-parts.js';
import { buysOfInvoices } from './invoice-repository.js';
import { reverseResolutions } from './reverse-resolutions.js';

/**
 * Takes a document of a seller back: an entry with the lines of its entry negated, on the day of each or the first open day.
 * What was decided about its differences is taken back too. Its number is free again; its bytes and lines stay. The caller has judged that nothing is applied to it.
 */
export async function voidInvoice(
  client: TenantSession,
  { invoiceId, reason, by }: { readonly invoiceId: string; readonly reason: string; readonly by: string },
  at: Instant,
): Promise<{ readonly entryId: string }> {
  const head = await lockHead(client);
  const { rows } = await client.query<
    Pick<invoiceModel, 'seller' | 'number' | 'connection_id' | 'period' | 'entry_id'>
  >(
    'select seller, number, connection_id, period, entry_id from invoice where organization_id = $1 and id = $2 for update',
    [client.organizationId, invoiceId],
  );
  const [invoice] = rows;
  if (invoice === undefined) throw new Error('The invoice of a request is gone.');
  const entry = entryOf({
    id: timeOrderedId(at),
    kind: 'void',
    operationId: invoiceId,
    seller: invoice.seller,
    occurredAt: at,
    postings: voidPostings(await postingsOf(client, invoice.entry_id), await openFrom(client)),
    facts: {
      invoice_id: invoiceId,
      number: invoice.number,
      voids: invoice.entry_id,
      reason: storableText(reason),
    },
  });
  const voided = { voided_at: new Date(at), voided_by: by, void_reason: storableText(reason) };
  await client.models.invoice.updateMany({
    where: { id: invoiceId },
    data: { ...voided, void_entry_id: entry.id, folded: null },
  });
  const reversed = await reverseResolutions(client, { invoiceId, period: invoice.period, by }, at);
  await appendBlock(client, head, [entry, ...reversed], at);
  await recommitBuys(client, await buysOfInvoices(client, [invoiceId], invoice.connection_id), at);
  return { entryId: entry.id };
}

/** The lines of an entry, in their order. */
export async function postingsOf(client: TenantClient, entryId: string): Promise<readonly Posting[]> {
  const { rows } = await client.query<{
    account: Posting['account'];
    day: string;
    currency: string;
    amount: string;
  }>(
    `select account, day, currency, amount_micros::text as amount from ledger_posting
     where organization_id = $1 and entry_id = $2 order by line`,
    [client.organizationId, entryId],
  );
  return rows.map(({ amount, ...line }) => ({ ...line, amountMicros: BigInt(amount) }));
}
