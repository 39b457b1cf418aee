import {
  billedBy,
  dayOfResolution,
  holdsOf,
  type BilledDocument,
  type Hold,
  type JudgedBreak,
} from '@switchyard/ledger';
import { isUuid, type Instant } from '@switchyard/values';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { openFrom } from '../ledger/open-from.js';

/** A break with its round, its state and its case. */
export interface JudgedRound extends JudgedBreak {
  readonly round: number;
  readonly state: 'open' | 'disputed' | 'resolved' | 'gone';
  /** UUID. */
  readonly disputeId?: string;
}

export const breakColumns = [
  ...(['id', 'period', 'fingerprint', 'round', 'kind', 'seller', 'media_buy_id', 'currency'] as const),
  ...([
    'invoiced_micros',
    'difference_micros',
    'resolution',
    'cause',
    'evidence',
    'state',
    'dispute_id',
  ] as const),
];

export const breakRow =
  rowReader<JudgedRound>()(`id, period, fingerprint, round, kind, seller, media_buy_id, currency,
  invoiced_micros, difference_micros, resolution, cause, evidence, state, dispute_id`);

/** The last resolution of a difference in a round before. */
export async function resolvedBefore(
  { models, organizationId }: TenantSession,
  row: Pick<JudgedRound, 'period' | 'fingerprint' | 'round'>,
): Promise<JudgedRound | undefined> {
  const { period, fingerprint, round } = row;
  const found = await models.reconciliation_break.findFirst({
    where: { organization_id: organizationId, period, fingerprint, round: { lt: round }, state: 'resolved' },
    orderBy: { round: 'desc' },
  });
  return found === null ? undefined : breakRow(found);
}

/** The day on which what is decided about a period is booked. */
export async function dayOf(client: TenantClient, period: string): Promise<string> {
  return dayOfResolution(period, await openFrom(client));
}

/** Reads and locks the documents that bill a difference and are not voided. */
export async function lockBilled(
  client: TenantClient,
  found: Pick<JudgedBreak, 'kind' | 'evidence'>,
): Promise<readonly BilledDocument[]> {
  const { rows } = await client.query<Row>(
    `select id, total_micros, total_micros - paid_micros as open_micros from invoice
     where organization_id = $1 and id = any($2::uuid[]) and voided_at is null order by id for update`,
    [client.organizationId, billedBy(found).filter((id) => isUuid(id))],
  );
  return rows.map(billedDocument);
}

const billedDocument = rowReader<BilledDocument>()('id, total_micros, open_micros');

/** Holds what a verdict leaves to pay back, and frees what an earlier one held. */
export async function holdByVerdict(client: TenantSession, row: JudgedRound, at: Instant): Promise<void> {
  const documents = await lockBilled(client, row);
  await replaceHolds(client, row.fingerprint, holdsOf(row, row.resolution, documents), at);
}

/** What one difference or case holds from now on. */
export async function replaceHolds(
  client: TenantSession,
  key: string,
  holds: readonly Hold[],
  at: Instant,
): Promise<void> {
  await freeHold(client, key);
  for (const hold of holds) await insertHold(client, { ...hold, key }, at);
}

/** Holds an amount of an invoice back. */
export async function insertHold(
  client: TenantSession,
  { invoiceId, key, amountMicros }: Hold & { readonly key: string },
  at: Instant,
): Promise<void> {
  const own = { organization_id: client.organizationId, invoice_id: invoiceId, fingerprint: key };
  const data = { ...own, amount_micros: amountMicros, held_at: new Date(at) };
  await client.models.invoice_hold.create({ data });
}

/** Frees what one difference or case holds. */
export async function freeHold(client: TenantSession, key: string): Promise<void> {
  const where = { organization_id: client.organizationId, fingerprint: key };
  await client.models.invoice_hold.deleteMany({ where });
}
