import type { ReportSeen } from '@switchyard/events';
import type { ReportOutcome } from '@switchyard/ledger';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { InboxRound } from './inbox-marks.js';
import { type EndedBuy, announcedWithinMs, postponedUntil } from '../../buys/index.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { markIfOverdue } from './inbox-marks.js';
import { readReport, type ReadReport } from './read-report.js';

const nothing: InboxRound = { done: 0, ended: [] };

/** An event of a report, with its contents or its fault; one that could not be read yet waits. */
export interface ReadEvent {
  readonly event: WaitingEvent;
  readonly reading: ReadReport | InboxMark | undefined;
}

/** Reads reports from their events; their result is decided while the ledger is locked. */
export function readReports(
  deps: WorkerDeps,
  scope: TenantScope,
  events: readonly WaitingEvent[],
): Promise<readonly ReadEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      try {
        return { event, reading: await readReport(deps, scope, event) };
      } catch (error) {
        // An event that fails to be read stops no other.
        deps.onUnexpected(error, `reading report ${event.id}`);
        return { event, reading: markIfOverdue(event, deps.ports.clock.now()) };
      }
    }),
  );
}

/**
 * Posts delivery reports to the ledger, one block for the batch, and marks their events in the same transaction: a
 * crash leaves either both or neither.
 */
export async function applyReports(
  deps: WorkerDeps,
  scope: TenantScope,
  events: readonly ReadEvent[],
): Promise<InboxRound> {
  if (events.length === 0) return nothing;
  try {
    return await applyTogether(deps, scope, events);
  } catch (error) {
    return applyApart(deps, scope, events, error);
  }
}

async function applyTogether(
  deps: WorkerDeps,
  scope: TenantScope,
  events: readonly ReadEvent[],
): Promise<InboxRound> {
  const now = deps.ports.clock.now();
  const readings = events.flatMap(({ reading }) => reading ?? []);
  const read = readings.filter((reading) => 'observation' in reading);
  const unreadable = readings.filter((reading) => 'state' in reading);
  const marks: InboxMark[] = [];
  const outcomes = await deps.ledger.applyReports(
    scope,
    read.map((item) => item.observation),
    {
      now,
      alongside: async (client, known) => {
        marks.push(...unreadable, ...known.flatMap((outcome, index) => markOf(read[index], outcome, now)));
        await deps.inbox.mark(client, marks, now);
        await deps.watches?.note(client, seenIn(read, known, now), now);
      },
    },
  );
  for (const { state } of marks) deps.metrics?.inboxEvents.inc({ outcome: state });
  for (const outcome of outcomes)
    if (outcome.kind === 'applied')
      deps.metrics?.ledgerEntries.inc({ kind: 'report' }, outcome.entryIds.length);
  const applied = read.filter((_, index) => outcomes[index]?.kind === 'applied');
  return { done: marks.length, ended: endedIn(applied) };
}

/**
 * After a failure: if another process has applied some of these, the next round finds the rest. Else the batch is
 * halved until the event that breaks the ledger's rules is alone, and the others are applied without it.
 */
async function applyApart(
  deps: WorkerDeps,
  scope: TenantScope,
  events: readonly ReadEvent[],
  error: unknown,
): Promise<InboxRound> {
  for (const { event } of events)
    if ((await deps.inbox.find(scope, event.id))?.state !== 'received') return nothing;
  const [only, another] = events;
  if (only !== undefined && another === undefined) {
    deps.onUnexpected(error, `applying report ${only.event.id}`);
    return quarantineIfOverdue(deps, scope, only.event);
  }
  const middle = Math.ceil(events.length / 2);
  const first = await applyReports(deps, scope, events.slice(0, middle));
  const second = await applyReports(deps, scope, events.slice(middle));
  return { done: first.done + second.done, ended: [...first.ended, ...second.ended] };
}

async function quarantineIfOverdue(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
): Promise<InboxRound> {
  const now = deps.ports.clock.now();
  const mark = markIfOverdue(event, now);
  if (mark === undefined) return nothing;
  await deps.inbox.markAlone(scope, mark, now);
  return { done: 1, ended: [] };
}

/** The received reports, even if the ledger does not use them: they are not missing. */
function seenIn(
  read: readonly ReadReport[],
  outcomes: readonly ReportOutcome[],
  now: Instant,
): readonly (ReportSeen & { readonly legId: string })[] {
  return read
    .filter((_, index) => outcomes[index]?.kind !== 'deferred')
    .map(({ event, observation: { report } }) => {
      const nextExpectedAt = Date.parse(report.nextExpectedAt ?? '');
      return {
        legId: event.legId,
        ...(report.sequenceNumber === undefined ? {} : { sequenceNumber: report.sequenceNumber }),
        // A time too far ahead would keep us from ever polling.
        figuresExpectedAt: postponedUntil(report, now),
        ...(nextExpectedAt > 0 && nextExpectedAt < now + announcedWithinMs ? { nextExpectedAt } : {}),
      };
    });
}

function markOf(read: ReadReport | undefined, outcome: ReportOutcome, now: Instant): readonly InboxMark[] {
  if (read === undefined) return [];
  const { id } = read.event;
  switch (outcome.kind) {
    case 'applied':
    case 'nothing':
      return [{ id, state: 'applied' }];
    case 'duplicate':
      return [{ id, state: 'stale', reason: 'already_recorded' }];
    case 'quarantined':
      return [{ id, state: 'quarantined', reason: codesOf(outcome.reasons) }];
    case 'deferred': {
      const mark = markIfOverdue(read.event, now);
      return mark === undefined ? [] : [mark];
    }
  }
}

/** Each code once: a report may name thousands of packages that are not ours. */
function codesOf(reasons: readonly { readonly code: string }[]): string {
  return [...new Set(reasons.map(({ code }) => code))].join(',');
}

function endedIn(applied: readonly ReadReport[]): readonly EndedBuy[] {
  return applied
    .filter(({ observation }) => observation.report.notificationType === 'final')
    .flatMap(({ observation }) =>
      observation.report.deliveries.map(({ mediaBuyId }) => ({
        connectionId: observation.connectionId,
        sellerMediaBuyId: mediaBuyId,
      })),
    );
}
