import { entryOf, voidPostings, type Posting } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { rowReader } from '../core/row-mapper.js';
import { storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { recommitBuys } from '../spending/recommit-parts.js';
import { buysOfInvoices } from './invoice-repository.js';
import { reverseResolutions } from './reverse-resolutions.js';
import { lockRow } from '../core/lock-row.js';

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
  const columns = ['seller', 'number', 'connection_id', 'period', 'entry_id'] as const;
  const invoice = await lockRow(client, 'invoice', { id: invoiceId }, columns);
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
export async function postingsOf(
  { models, organizationId }: TenantSession,
  entryId: string,
): Promise<readonly Posting[]> {
  const rows = await models.ledger_posting.findMany({
    where: { organization_id: organizationId, entry_id: entryId },
    orderBy: { line: 'asc' },
  });
  return rows.map(postingOf);
}

const postingOf = rowReader<Posting>()('account, day, currency, amount_micros');
