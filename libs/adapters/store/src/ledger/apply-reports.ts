import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  decideReport,
  figuresDifferWidely,
  illegalRowMove,
  ReportRepository,
  type Observation,
  type ReportDecision,
  type ReportOutcome,
  type SpendLimit,
} from '@switchyard/ledger';
import { slicesOf, type Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { enqueueReports } from '../outbox/report-streams.js';
import { raiseAlarm } from '../signing/alarm-repository.js';
import { BatchWriter } from './batch-writer.js';
import { lockLedger } from './lock-ledger.js';

/**
 * Number of reports and figures of packages that are decided before their writes are sent: PostgreSQL works on one part
 * while the next is decided. Deciding and writing one part blocks the event loop for about 40 ms.
 */
const decidedAtOnce = 256;

const weightOf = ({ report }: Observation): number =>
  report.deliveries.reduce((sum, { byPackage }) => sum + byPackage.length, 1);

/** A decided batch, whose rows may still be in progress. */
interface AppliedReports {
  readonly outcomes: readonly ReportOutcome[];
  /** Resolves when everything is written; rejects with PostgreSQL's error. */
  readonly landed: Promise<void>;
  /** Buys whose figures changed, once everything is written: what they commit is computed again. */
  readonly changed: Promise<readonly string[]>;
}

/**
 * Applies a batch of reports inside the caller's transaction: lock the head, read, decide, write.
 *
 * It waits only for the lock, before anything is read, so no other writer can change what a decision is based on. The
 * number of reads does not depend on the number of reports.
 */
export async function applyReports(
  client: TenantClient,
  batch: readonly Observation[],
  { now, limit, newId }: { readonly now: Instant; readonly limit: SpendLimit; readonly newId: () => string },
): Promise<AppliedReports> {
  if (batch.length === 0) return { outcomes: [], landed: Promise.resolve(), changed: Promise.resolve([]) };
  const { head, contents } = await lockLedger(client, batch);
  const repository = new ReportRepository(contents);
  const writer = new BatchWriter(client, head, contents.versions);
  const decisions: ReportDecision[] = [];
  for (const { items } of slicesOf(batch, decidedAtOnce, weightOf)) {
    const decided = items.map((observation) => decideReport(observation, repository, newId, limit));
    decisions.push(...decided);
    writer.add(decided, repository);
    // The bytes are sent in the next turn of the event loop, in which other requests can run too.
    await nextTurn();
  }
  writer.seal(repository, now);
  const over = endReporting(
    client,
    decisions.flatMap(({ ended }) => ended),
  );
  // Buyers get the figures that count now: in this transaction, so that a crash cannot separate the two.
  const reported = decisions.flatMap(({ versions }) => versions.map(({ mediaBuyId }) => mediaBuyId));
  const changed = over.then((ids) => [...new Set([...reported, ...ids])]);
  writer.send(raiseFindingAlarms(client, batch, decisions, now));
  writer.send(raiseSpendAlarms(client, batch, decisions, now));
  writer.send(changed.then((ids) => enqueueReports(client, ids)));
  return { outcomes: decisions.map(({ outcome }) => outcome), landed: writer.landed(), changed };
}

/** Findings that raise an alarm: a seller reopens final figures, or pushes other figures than it answers. */
const alarmOfCode = {
  [illegalRowMove]: 'illegal_transition',
  [figuresDifferWidely]: 'figures_differ',
} as const;

async function raiseFindingAlarms(
  client: TenantClient,
  batch: readonly Observation[],
  decisions: readonly ReportDecision[],
  now: Instant,
): Promise<void> {
  for (const [at, { outcome, entries }] of decisions.entries()) {
    const findings = outcome.kind === 'applied' ? outcome.findings : [];
    const [entry] = entries;
    for (const { code, message, field = '' } of findings) {
      if (!Object.hasOwn(alarmOfCode, code) || entry === undefined) continue;
      const kind = alarmOfCode[code as keyof typeof alarmOfCode];
      const { seller, mediaBuyId = '' } = entry;
      const subject = `delivery ${mediaBuyId} ${seller} ${field}`.trimEnd();
      const event_id = batch[at]?.eventId ?? '';
      const detail = { media_buy_id: mediaBuyId, seller, package_id: field, message, event_id };
      await raiseAlarm(client, { kind, subject, detail }, now);
    }
  }
}

/**
 * Raises an alarm for a pulled report beyond the spend limit. A pushed report waits in quarantine; a pulled one has no
 * event that could wait, and is pulled again later.
 */
async function raiseSpendAlarms(
  client: TenantClient,
  batch: readonly Observation[],
  decisions: readonly ReportDecision[],
  now: Instant,
): Promise<void> {
  for (const [at, { outcome }] of decisions.entries()) {
    const observation = batch[at];
    if (outcome.kind !== 'quarantined' || observation?.source !== 'pull') continue;
    const reason = outcome.reasons.find(({ code }) => code === 'beyond_budget');
    if (reason === undefined) continue;
    const { connectionId, report } = observation;
    const seller_media_buy_id = report.deliveries[0]?.mediaBuyId ?? '';
    const detail = { connection_id: connectionId, seller_media_buy_id, message: reason.message };
    const subject = `delivery ${connectionId} ${seller_media_buy_id}`;
    await raiseAlarm(client, { kind: 'spend_beyond_budget', subject, detail }, now);
  }
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
