import { decideReport, ReportBook, type Observation, type ReportOutcome } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { appendBlock } from './append-block.js';
import { readBook } from './read-book.js';
import { wakeReports } from '../outbox/report-streams.js';
import { lockHead } from './stream-head.js';
import { insertVersions, moveMarks } from './version-rows.js';

/**
 * Applies a batch of reports inside the caller's transaction: lock the head, read, decide, write.
 *
 * All waiting happens at the lock, before anything is read, so a decision never rests on what another writer is about
 * to change. The number of statements does not depend on the number of reports.
 */
export async function applyReports(
  client: TenantClient,
  batch: readonly Observation[],
  now: Instant,
  newId: () => string,
): Promise<readonly ReportOutcome[]> {
  if (batch.length === 0) return [];
  const head = await lockHead(client);
  const contents = await readBook(client, batch);
  const book = new ReportBook(contents);
  const decisions = batch.map((observation) => decideReport(observation, book, newId));
  const counted = book.counted();
  await insertVersions(
    client,
    decisions.flatMap(({ versions }) => versions),
    counted,
  );
  await moveMarks(client, contents.versions, counted);
  await appendBlock(
    client,
    head,
    decisions.flatMap(({ entries }) => entries),
    now,
  );
  const over = await endReporting(
    client,
    decisions.flatMap(({ ended }) => ended),
  );
  // Buyers are told from what counts now: in this transaction, so that no crash comes between the two.
  const changed = decisions.flatMap(({ versions }) => versions.map(({ mediaBuyId }) => mediaBuyId));
  await wakeReports(client, [...new Set([...changed, ...over])]);
  return decisions.map(({ outcome }) => outcome);
}

async function endReporting(
  client: TenantClient,
  ended: readonly { readonly sellerBuyId: string; readonly at: Instant }[],
): Promise<readonly string[]> {
  if (ended.length === 0) return [];
  const { rows } = await client.query<{ media_buy_id: string }>(
    `update seller_buy b set reporting_ended_at = e.at
     from unnest($1::uuid[], $2::timestamptz[]) e(id, at) where b.id = e.id and b.reporting_ended_at is null
     returning b.media_buy_id`,
    [ended.map(({ sellerBuyId }) => sellerBuyId), ended.map(({ at }) => new Date(at).toISOString())],
  );
  return rows.map((row) => row.media_buy_id);
}
