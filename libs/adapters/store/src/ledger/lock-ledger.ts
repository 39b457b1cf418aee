import type { StreamHead } from '@switchyard/journal';
import type { LedgerContents, Observation } from '@switchyard/ledger';
import type { TenantClient } from '../core/tenant-client.js';
import { openFrom } from './open-from.js';
import { readAwaitedLegs, readBuys } from './read-buys.js';
import { readVersions } from './read-versions.js';
import { lockHead, lockKnownHead } from './stream-head.js';
import { wantedBuys, type WantedBuys } from './wanted-buys.js';

interface LockedLedger {
  /** Locked until the transaction ends. */
  readonly head: StreamHead;
  readonly contents: LedgerContents;
}

/**
 * Locks the ledger and reads what is needed to decide a batch of reports. The statements are sent together, and
 * PostgreSQL starts the reads once it has the lock.
 */
export async function lockLedger(client: TenantClient, batch: readonly Observation[]): Promise<LockedLedger> {
  const [, head, contents] = await Promise.all([
    byIndex(client),
    lockKnownHead(client),
    readContents(client, batch),
  ]);
  if (head !== undefined) return { head, contents };
  // There was no row to lock, so the reads were too early.
  return { head: await lockHead(client), contents: await readContents(client, batch) };
}

/** The same without the lock, for what only looks. */
export async function readLedger(
  client: TenantClient,
  batch: readonly Observation[],
): Promise<LedgerContents> {
  const [, contents] = await Promise.all([byIndex(client), readContents(client, batch)]);
  return contents;
}

/**
 * Makes PostgreSQL find everything of a batch by an index. Plans are kept per connection, and one from when a table was
 * small would read the whole table for every batch while it grows.
 */
async function byIndex(client: TenantClient): Promise<void> {
  await client.query({
    name: 'ledger_by_index',
    text: `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                  set_config('enable_mergejoin', 'off', true)`,
  });
}

async function readContents(client: TenantClient, batch: readonly Observation[]): Promise<LedgerContents> {
  const wanted = wantedBuys(batch);
  const [buys, versions, spent, awaitedLegs, open] = await Promise.all([
    readBuys(client, wanted),
    readVersions(client, wanted),
    readSpent(client, wanted),
    readAwaitedLegs(client, batch),
    openFrom(client),
  ]);
  return { buys, versions, spent, awaitedLegs, ...(open !== undefined && { openFrom: open }) };
}

/** What counts for each package over all time, to compare with its budget: the sum of its months. */
async function readSpent(client: TenantClient, wanted: WantedBuys): Promise<LedgerContents['spent']> {
  const { rows } = await client.query<{ seller_buy_id: string; package_ref: string; spent: string }>({
    name: 'ledger_read_spent',
    text: `select b.id as seller_buy_id, s.package_ref, s.spent
           from unnest($1::uuid[], $2::text[]) w(connection_id, seller_media_buy_id)
           join seller_buy b using (connection_id, seller_media_buy_id)
           cross join lateral (
             select p.package_ref, sum(p.amount_micros)::text as spent from package_spend p
             where p.seller_buy_id = b.id group by p.package_ref) s`,
    values: [wanted.connections, wanted.ids],
  });
  return rows.map(({ seller_buy_id: sellerBuyId, package_ref: packageRef, spent }) => ({
    sellerBuyId,
    packageRef,
    spendMicros: BigInt(spent),
  }));
}
