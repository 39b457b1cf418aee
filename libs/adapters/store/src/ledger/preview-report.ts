import {
  decideReport,
  ReportRepository,
  type FigureChange,
  type Observation,
  type ReportDecision,
  type ReportedFigure,
  type ReportPreview,
  type ReportVersion,
  type SpendLimit,
  type StoredVersion,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { readLedger } from './lock-ledger.js';
import { readSnapshot } from './read-snapshot.js';

/** The most figures of one preview. */
const mostChanges = 500;

/**
 * Says what a report would change: decides about it on a snapshot, as `applyReports` does under the lock, and writes
 * nothing. So nobody who books waits for it. `newId` returns UUIDs.
 */
export function previewReport(
  store: Store,
  scope: TenantScope,
  report: Observation,
  { limit, newId }: { readonly limit: SpendLimit; readonly newId: () => string },
): Promise<ReportPreview> {
  return readSnapshot(store, scope, async (client) => {
    const contents = await readLedger(client, [report]);
    const decision = decideReport(report, new ReportRepository(contents), newId, limit);
    return {
      outcome: decision.outcome,
      changes: changesOf(decision, contents.versions),
      books: await booksOf(client, decision),
    };
  });
}

function changesOf({ versions }: ReportDecision, stored: readonly StoredVersion[]): readonly FigureChange[] {
  const current = new Map(
    stored.filter(({ isCurrent }) => isCurrent).map((version) => [factOf(version), version]),
  );
  return versions
    .toSorted(byPeriod)
    .slice(0, mostChanges)
    .map((version) => {
      const before = current.get(factOf(version));
      const { mediaBuyId, seller, packageRef, periodStart, periodEnd, currency } = version;
      return {
        ...{ mediaBuyId, seller, packageRef, periodStart, periodEnd, currency },
        ...(before !== undefined && { before: figureOf(before) }),
        after: figureOf(version),
      };
    });
}

const byPeriod = (one: ReportVersion, other: ReportVersion): number =>
  one.periodStart - other.periodStart || (one.packageRef < other.packageRef ? -1 : 1);

const factOf = ({ sellerBuyId, packageRef, periodStart, periodEnd }: ReportVersion): string =>
  [sellerBuyId, packageRef, periodStart, periodEnd].join(' ');

const figureOf = ({
  spendMicros,
  impressions,
  clicks,
  notificationType,
  isFinal,
}: ReportVersion): ReportedFigure => ({ spendMicros, impressions, clicks, notificationType, isFinal });

/** The sums that would differ. */
async function booksOf(client: TenantClient, { moves }: ReportDecision): Promise<ReportPreview['books']> {
  const sums = new Map<
    string,
    Omit<ReportPreview['books'][number], 'beforeMicros' | 'afterMicros'> & { micros: bigint }
  >();
  for (const { mediaBuyId, seller, day, currency, amountMicros } of moves) {
    const month = day.slice(0, 7);
    const key = [month, seller, mediaBuyId, currency].join(' ');
    const micros = (sums.get(key)?.micros ?? 0n) + amountMicros;
    sums.set(key, { mediaBuyId, seller, month, currency, micros });
  }
  const differing = [...sums].filter(([, { micros }]) => micros !== 0n);
  if (differing.length === 0) return [];
  const { rows } = await client.query<{ key: string; amount: string }>(
    `select concat_ws(' ', month, seller, media_buy_id, currency) as key, sum(amount_micros)::text as amount
     from package_spend where organization_id = $1 and media_buy_id = any($2::text[]) group by 1`,
    [client.organizationId, [...new Set(differing.map(([, { mediaBuyId }]) => mediaBuyId))]],
  );
  const booked = new Map(rows.map(({ key, amount }) => [key, BigInt(amount)]));
  return differing
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { micros, ...of }]) => {
      const beforeMicros = booked.get(key) ?? 0n;
      return { ...of, beforeMicros, afterMicros: beforeMicros + micros };
    });
}
