import { daysOfPeriod, shiftDay, type AccountAmounts, type Posting } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import type { Row } from '../core/row-mapper.js';
import type { TenantClient } from '../core/tenant-client.js';
import { openFrom } from '../ledger/open-from.js';

/**
 * How a break can be resolved, and the account that gets its difference. `corrected` and `expected` post nothing: what is
 * expected will be billed later, and stays accrued.
 */
const resolutions = {
  accept: 'invoice_difference',
  'write-off': 'write_off',
  credit: 'seller_credit',
  dispute: 'disputed',
  corrected: undefined,
  expected: undefined,
} as const;
export type BreakResolution = keyof typeof resolutions;
export const breakResolutions = Object.keys(resolutions) as readonly BreakResolution[];

export interface BreakRow extends Row {
  readonly id: string;
  readonly period: string;
  readonly fingerprint: string;
  readonly round: number;
  readonly kind: string;
  readonly seller: string;
  readonly media_buy_id: string | null;
  readonly currency: string;
  readonly invoiced_micros: string | null;
  readonly difference_micros: string;
  readonly resolution: BreakResolution | null;
  readonly cause: string;
  readonly evidence: readonly string[];
  readonly dispute_id: string | null;
}

/** Kinds whose difference is between an invoice and what is owed by delivery: only these move money. */
export const owedKinds: ReadonlySet<string> = new Set([
  'late_report',
  'window_mismatch',
  'time_zone_cut',
  'missing_package',
  'currency',
  'price',
  'duplicate_invoice',
  'unknown',
]);

/** What a resolution leaves on the accounts. */
export function amountsOf(as: BreakResolution | null | undefined, row: BreakRow | undefined): AccountAmounts {
  const account = as === null || as === undefined ? undefined : resolutions[as];
  if (row === undefined || account === undefined || row.invoiced_micros === null || !owedKinds.has(row.kind))
    return new Map();
  const amount = BigInt(row.difference_micros);
  return new Map<Posting['account'], bigint>([
    [account, amount],
    ['seller_payable', -amount],
  ]);
}

/** The last resolution of a difference in a round before. */
export async function resolvedBefore(
  client: TenantClient,
  row: Pick<BreakRow, 'period' | 'fingerprint' | 'round'>,
): Promise<BreakRow | undefined> {
  const { rows } = await client.query<BreakRow>(
    `select * from reconciliation_break where organization_id = $1 and period = $2 and fingerprint = $3
       and round < $4 and state = 'resolved' order by round desc limit 1`,
    [client.organizationId, row.period, row.fingerprint, row.round],
  );
  return rows[0];
}

/** The last day of a period, or the first open day. */
export async function dayOfResolution(client: TenantClient, period: string): Promise<string> {
  const open = await openFrom(client);
  const last = shiftDay(daysOfPeriod(period).to, -1);
  return open !== undefined && last < open ? open : last;
}

/** The documents that a difference is about. The evidence of a duplicate names the first one, and then its repetition. */
export const billedBy = ({ kind, evidence }: Pick<BreakRow, 'kind' | 'evidence'>): readonly string[] =>
  kind === 'duplicate_invoice' ? evidence.slice(1, 2) : evidence;

/**
 * What a verdict leaves to pay, in its own transaction: a disputed amount, or one for which a credit note is owed, is held
 * back from the invoices that bill it; a duplicate whole. Every other verdict frees what an earlier one held.
 */
export async function holdByVerdict(client: TenantClient, row: BreakRow, at: Instant): Promise<void> {
  const { organizationId } = client;
  await freeHold(client, row.fingerprint);
  const difference = BigInt(row.difference_micros);
  const isHeld = row.resolution === 'dispute' || row.resolution === 'credit';
  if (!isHeld || difference <= 0n || row.invoiced_micros === null) return;
  const { rows } = await client.query<{ id: string; open: string }>(
    `select id, (total_micros - paid_micros)::text as open from invoice
     where organization_id = $1 and id::text = any($2::text[]) and voided_at is null order by total_micros desc, id for update`,
    [organizationId, billedBy(row)],
  );
  let left = difference;
  for (const { id, open } of rows) {
    const amount = row.kind === 'duplicate_invoice' || left > BigInt(open) ? BigInt(open) : left;
    if (amount <= 0n) continue;
    await insertHold(client, { invoiceId: id, key: row.fingerprint, amountMicros: amount }, at);
    left -= amount;
    if (left <= 0n) return;
  }
}

/** Holds an amount of an invoice back. */
export async function insertHold(
  client: TenantClient,
  {
    invoiceId,
    key,
    amountMicros,
  }: { readonly invoiceId: string; readonly key: string; readonly amountMicros: bigint },
  at: Instant,
): Promise<void> {
  await client.query(
    `insert into invoice_hold (organization_id, invoice_id, fingerprint, amount_micros, held_at)
     values ($1, $2, $3, $4, $5)`,
    [client.organizationId, invoiceId, key, amountMicros.toString(), new Date(at)],
  );
}

/** Frees what one difference or case holds. */
export async function freeHold(client: TenantClient, key: string): Promise<void> {
  await client.query('delete from invoice_hold where organization_id = $1 and fingerprint = $2', [
    client.organizationId,
    key,
  ]);
}
