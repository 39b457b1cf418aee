import type { FigureChange, ReportOutcome, ReportPreview, ReportedFigure } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';

/** The most figures of one preview. */
const mostChanges = 500;

/** Thrown to roll back what a preview has written. */
class NotMeant extends Error {}

/** What a report writes, before its transaction is rolled back. */
interface Written {
  readonly outcome: ReportOutcome;
  readonly buys: readonly string[];
}

/**
 * Says what a report would change: applies it, reads what came of it, and rolls that back. `apply` writes the report with
 * this client; whatever it does is undone.
 */
export async function previewReport(
  store: Store,
  scope: TenantScope,
  apply: (client: TenantClient) => Promise<Written>,
): Promise<ReportPreview> {
  const found: {
    value?: { outcome: ReportOutcome; figures: readonly FigureRow[]; sums: readonly SumRow[] };
  } = {};
  try {
    await store.inTenant(scope, async (client) => {
      const { outcome, buys } = await apply(client);
      const entries = outcome.kind === 'applied' ? outcome.entryIds : [];
      const values = [client.organizationId, buys];
      const { rows: figures } = await client.query<FigureRow>(written, [...values, entries, mostChanges]);
      found.value = { outcome, figures, sums: (await client.query<SumRow>(booked, values)).rows };
      throw new NotMeant();
    });
  } catch (error) {
    if (!(error instanceof NotMeant)) throw error;
  }
  const { value } = found;
  if (value === undefined) throw new Error('The report was not applied.');
  const { outcome, figures, sums } = value;
  return store.inTenant(scope, async (client) => {
    const facts = [
      figures.map((row) => row.seller_buy_id),
      figures.map((row) => row.package_ref),
      figures.map((row) => row.period_start),
      figures.map((row) => row.period_end),
    ];
    const { rows: counted } = await client.query<FigureRow>(current, [client.organizationId, ...facts]);
    const buys = [...new Set(figures.map((row) => row.media_buy_id))];
    const { rows: before } = await client.query<SumRow>(booked, [client.organizationId, buys]);
    return { outcome, changes: figures.map((row) => changeOf(row, counted)), books: booksOf(before, sums) };
  });
}

interface FigureRow {
  readonly seller_buy_id: string;
  readonly media_buy_id: string;
  readonly seller: string;
  readonly package_ref: string;
  readonly period_start: Date;
  readonly period_end: Date;
  readonly currency: string;
  readonly spend: string;
  readonly impressions: string | null;
  readonly clicks: string | null;
  readonly notification_type: string;
  readonly is_final: boolean | null;
}

interface SumRow {
  readonly media_buy_id: string;
  readonly seller: string;
  readonly month: string;
  readonly currency: string;
  readonly amount: string;
}

const figureOf = (row: FigureRow): ReportedFigure => ({
  spendMicros: BigInt(row.spend),
  impressions: row.impressions === null ? null : BigInt(row.impressions),
  clicks: row.clicks === null ? null : BigInt(row.clicks),
  notificationType: row.notification_type,
  isFinal: row.is_final,
});

const factOf = (row: FigureRow): string =>
  [row.seller_buy_id, row.package_ref, row.period_start.getTime(), row.period_end.getTime()].join(' ');

function changeOf(row: FigureRow, counted: readonly FigureRow[]): FigureChange {
  const before = counted.find((one) => factOf(one) === factOf(row));
  return {
    mediaBuyId: row.media_buy_id,
    seller: row.seller,
    packageRef: row.package_ref,
    periodStart: row.period_start.getTime(),
    periodEnd: row.period_end.getTime(),
    currency: row.currency,
    ...(before !== undefined && { before: figureOf(before) }),
    after: figureOf(row),
  };
}

/** The sums that would differ. */
function booksOf(before: readonly SumRow[], after: readonly SumRow[]): ReportPreview['books'] {
  const keyOf = (row: SumRow): string => [row.media_buy_id, row.seller, row.month, row.currency].join(' ');
  const known = new Map(before.map((row) => [keyOf(row), BigInt(row.amount)]));
  return after.flatMap((row) => {
    const beforeMicros = known.get(keyOf(row)) ?? 0n;
    const afterMicros = BigInt(row.amount);
    if (beforeMicros === afterMicros) return [];
    const { media_buy_id: mediaBuyId, seller, month, currency } = row;
    return [{ mediaBuyId, seller, month, currency, beforeMicros, afterMicros }];
  });
}

const figure = `v.seller_buy_id, v.media_buy_id, v.seller, v.package_ref, v.period_start, v.period_end, v.currency,
  v.spend_micros::text as spend, v.impressions::text, v.clicks::text, v.notification_type, v.is_final`;

const written = `
  select ${figure} from report_version v
  where v.organization_id = $1 and v.media_buy_id = any($2::text[]) and v.entry_id = any($3::uuid[])
  order by v.period_start, v.package_ref limit $4`;

const current = `
  select ${figure} from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[])
    f(seller_buy_id, package_ref, period_start, period_end)
  join report_version v on v.seller_buy_id = f.seller_buy_id and v.package_ref = f.package_ref
    and v.period_start = f.period_start and v.period_end = f.period_end
  where v.organization_id = $1 and v.is_current`;

const booked = `
  select media_buy_id, seller, month, currency, sum(amount_micros)::text as amount from package_spend
  where organization_id = $1 and media_buy_id = any($2::text[])
  group by media_buy_id, seller, month, currency order by month, seller`;
