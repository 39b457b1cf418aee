import {
  restoreEntry,
  usualSpendLimit,
  type EntryFilter,
  type LedgerEntry,
  type LedgerStore,
  type Observation,
  type PackageDelivered,
  type SpendLimit,
} from '@switchyard/ledger';
import { isUuid, type Instant } from '@switchyard/values';
import { readArchive } from './read-archive.js';
import { allLanded } from '../core/flight.js';
import { comparedBy, directionOf } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { bookAssignments } from './book-assignments.js';
import { withinReach } from '../core/within-reach.js';
import { recommitBuys } from '../spending/recommit-parts.js';
import { bookChanges } from './book-changes.js';
import { appendBlock } from './append-block.js';
import { applyReports } from './apply-reports.js';
import { previewReport } from './preview-report.js';
import { readSnapshot } from './read-snapshot.js';
import { blocksOf } from './read-pages.js';
import { verifyIn } from './verify-in.js';
import { ledgerStream, lockHead, readHead } from './stream-head.js';
import { timeOrderedId } from './time-ordered-id.js';

/** The ledger in PostgreSQL. */
export function ledgerStore(store: Store, limit: SpendLimit = usualSpendLimit): LedgerStore<TenantClient> {
  const apply = (client: TenantClient, batch: readonly Observation[], now: Instant) =>
    applyReports(client, batch, { now, limit, newId: () => timeOrderedId(now) });
  return {
    applyReports: (scope, batch, { now, alongside }) =>
      store.inTenant(scope, async (client) => {
        const { outcomes, landed, changed } = await apply(client, batch, now);
        // The caller's statements are sent after ours.
        await allLanded([landed, ...(alongside === undefined ? [] : [alongside(client, outcomes)])]);
        // Last, because no lock may be waited for in the turn that this takes.
        await recommitBuys(client, await changed, now);
        return outcomes;
      }),
    preview: (scope, report, now) =>
      previewReport(store, scope, report, { limit, newId: () => timeOrderedId(now) }),
    bookChanges: (scope, at, limit) =>
      store.inTenant(scope, async (client) => {
        const changes = await bookChanges(client, at, limit);
        return changes + (await bookAssignments(client, at, limit));
      }),
    append: async (client, entries, now) => appendBlock(client, await lockHead(client), entries, now),
    deliveredBy: (scope, mediaBuyId) => store.inTenant(scope, (client) => readDelivered(client, mediaBuyId)),
    entriesOf: (scope, mediaBuyId, of = {}) =>
      store.inTenant(scope, (client) => readEntries(client, mediaBuyId, of)),
    stream: (scope, read) =>
      readSnapshot(store, scope, async (client) =>
        read({ head: await readHead(client), blocks: blocksOf(client) }),
      ),
    head: (scope) => store.inTenant(scope, readHead),
    archive: (scope) => store.inTenant(scope, readArchive),
    verify: (scope, options) => verifyIn(store, scope, options),
  };
}

async function readDelivered(client: TenantClient, mediaBuyId: string): Promise<readonly PackageDelivered[]> {
  const { rows } = await client.query<{
    seller: string;
    package_ref: string;
    spend: string;
    impressions: string | null;
    as_of: Date;
  }>(
    `select seller, package_ref, max(least(reported_at, received_at)) as as_of, sum(spend_micros)::text as spend,
       case when bool_and(impressions is not null) then sum(impressions)::text end as impressions
     from report_version where organization_id = $1 and media_buy_id = $2 and is_current
     group by seller, package_ref order by seller, package_ref`,
    [client.organizationId, mediaBuyId],
  );
  return rows.map(({ seller, package_ref: packageRef, spend, impressions, as_of: asOf }) => ({
    seller,
    packageRef,
    spendMicros: BigInt(spend),
    asOf: asOf.getTime(),
    ...(impressions === null ? {} : { impressions: BigInt(impressions) }),
  }));
}

async function readEntries(
  client: TenantClient,
  mediaBuyId: string,
  { sort = 'oldest', after = [], limit, reach }: EntryFilter,
): Promise<readonly LedgerEntry[]> {
  const [behind] = after;
  if (behind !== undefined && !isUuid(String(behind))) return [];
  if (reach !== undefined) {
    const { text, values } = withinReach('b', reach, 2);
    const found = await client.query(`select from media_buy b where b.id = $1 and ${text}`, [
      mediaBuyId,
      ...values,
    ]);
    if (found.rowCount === 0) return [];
  }
  const { rows } = await client.query<{ id: string; body: string }>(
    `select id, body from ledger_entry
     where organization_id = $1 and stream = $2 and media_buy_id = $3
       and ($4::uuid is null or (block_number, position) ${comparedBy(sort)} (select e.block_number, e.position from ledger_entry e where e.id = $4))
     order by block_number ${directionOf(sort)}, position ${directionOf(sort)} limit $5`,
    [client.organizationId, ledgerStream, mediaBuyId, behind ?? null, limit ?? null],
  );
  return rows.map(({ id, body }) => {
    const entry = restoreEntry(body);
    // Without this error, a forged ledger would look whole.
    if (entry === undefined) throw new Error(`Entry ${id} is not what was written: verify the ledger.`);
    return entry;
  });
}
