import { refreshBuys } from '@switchyard/buys';
import { longestQuietMs, nextPollAt, recoveryPaceMs, type WatchState } from '@switchyard/events';
import { isBuyOver } from '@switchyard/protocol';
import type { DueWatch, ReportWatches } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import type { Lane } from '../../platform/lanes/lanes.js';
import { pullReports, type Pulled, type PullOutcome } from './pull-reports.js';

export interface RecoveryDeps extends WorkerDeps {
  readonly watches: ReportWatches;
}

/** How often rows are checked, in milliseconds; each row has the time when its seller is polled. */
const everyMs = 10_000;
/** How long a row is leased, in milliseconds: longer than its reads take. */
const leaseMs = 10 * 60_000;
const pollsAtOnce = 8;
const slowPaceMs = 60 * 60_000;
const refreshMs = 10_000;

/** Separate from the inbox: a hanging seller must not delay reports. */
export function recoveryLane(deps: RecoveryDeps): Lane {
  const { clock } = deps.ports;
  return {
    name: 'recovery',
    everyMs,
    waitsFor: 'sellers',
    due: () => ({ report_watches: clock.now(), unwatched_buys: clock.now() }),
    visit: async (scope) => {
      await recoverReports(deps, scope);
    },
  };
}

/**
 * Reads from sellers what their webhooks did not bring: reports that are missing by number, or late, and the states of
 * their buys. A buy that is over is polled until its figures match once more and none are postponed, and then never
 * again.
 */
export async function recoverReports(deps: RecoveryDeps, scope: TenantScope): Promise<number> {
  const now = deps.ports.clock.now();
  await deps.watches.open(scope, now, now + recoveryPaceMs.withWebhooks);
  const due = await deps.watches.take(scope, now, now + leaseMs, pollsAtOnce);
  await Promise.all(
    due.map(async (watch) => {
      try {
        await poll(deps, scope, watch);
      } catch (error) {
        // Its lease expires, and it is tried again.
        deps.onUnexpected(error, `recovering the reports of leg ${watch.legId}`);
      }
    }),
  );
  return due.length;
}

async function poll(deps: RecoveryDeps, scope: TenantScope, due: DueWatch): Promise<void> {
  const connection = await deps.ports.connections.byId(scope, due.connectionId);
  const isOver = connection !== undefined && (await isOverByNow(deps, scope, due));
  const { outcome, figuresExpectedAt }: Pulled =
    connection === undefined
      ? { outcome: 'unreachable', figuresExpectedAt: [] }
      : await pullReports(deps, scope, connection, due);
  const at = deps.ports.clock.now();
  await deps.watches.recordPoll(scope, due, {
    at,
    outcome,
    isRecovered: outcome === 'in_step' || outcome === 'caught_up',
    postponedUntil: figuresExpectedAt,
    nextAt: (watch) => nextAt(outcome, isOver, { ...due, watch, at }),
  });
}

function nextAt(outcome: PullOutcome, isOver: boolean, state: WatchState): Instant | undefined {
  const { at, watch } = state;
  // An unusable answer needs a person: faster polling does not help.
  if (outcome === 'not_usable') return at + slowPaceMs;
  const isDone = isOver && outcome === 'in_step' && watch.missing.length === 0;
  if (isDone && watch.figuresExpectedAt.length === 0) return undefined;
  if (outcome !== 'put_off' && !isDone) return nextPollAt(state);
  const [expected = at + slowPaceMs] = watch.figuresExpectedAt;
  return Math.max(at + recoveryPaceMs.withWebhooks, Math.min(expected, at + longestQuietMs));
}

/** Polls the state of the buy, which no report carries, and answers whether it is over. */
async function isOverByNow(deps: RecoveryDeps, scope: TenantScope, due: DueWatch): Promise<boolean> {
  const record = await deps.ports.store.mediaBuy(scope, due.mediaBuyId);
  if (record === undefined) return false;
  const only = { ...record, sellerBuys: record.sellerBuys.filter(({ id }) => id === due.sellerBuyId) };
  const { signal } = new AbortController();
  const { principalId } = due;
  await refreshBuys(deps.ports, { scope, principalId, deadlineMs: refreshMs, signal }, [only]);
  const after = await deps.ports.store.sellerBuyOf(scope, due.connectionId, due.sellerMediaBuyId);
  return after !== undefined && isBuyOver(after.status);
}
