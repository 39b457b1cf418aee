import type { JobQueue } from '@switchyard/queue';
import { applyInbox } from './inbox/apply-inbox.js';
import { followEnds, type EndedBuy } from './legs/follow-ends.js';
import { followLegs } from './legs/follow-legs.js';
import type { WorkerDeps } from './worker-deps.js';
import { startLanes, type Lane, type RunningLanes } from './lanes.js';
import { refreshCreatives } from './schedules/refresh-creatives.js';
import { refreshSignals } from './schedules/refresh-signals.js';
import { createVisits } from './visits.js';

/** Topics of the wake-ups. Each names a kind of row that wants attention. */
export const topics = { inbox: 'inbox', legs: 'legs' } as const;

export interface HandsOptions {
  /** Tenants that one lane visits at once; `defaultWorkers` when absent. */
  readonly workers?: number;
  /** What else is looked after tenant by tenant. */
  readonly lanes?: readonly Lane[];
}

/** As many tenants as one lane visits at once, unless set otherwise: with this the lanes fit 12 connections. */
export const defaultWorkers = 4;

/** How often everything due is looked for without any wake-up. */
const sweepMs = 1_000;

/**
 * Starts the hands: woken by the queue at once, and by a look for due work once a second. Wake-ups may be lost, doubled
 * or late; the rows say what is to be done. The queue is closed by who opened it.
 */
export async function startQueueWorkers(
  deps: WorkerDeps,
  queue: JobQueue,
  options: HandsOptions = {},
): Promise<Pick<RunningLanes, 'stop' | 'running'>> {
  const { clock } = deps.ports;
  const workers = options.workers ?? defaultWorkers;
  const ends = endsLane(deps, workers);
  const lanes = startLanes({ due: deps.due, clock, workers, onUnexpected: deps.onUnexpected }, [
    ...lanesOf(deps, ends.follow),
    ...(options.lanes ?? []),
  ]);
  for (const topic of Object.values(topics)) {
    const handled = await queue.handle(topic, ({ organizationId }) => lanes.request(topic, organizationId), {
      concurrency: workers,
    });
    if (!handled.ok) deps.onUnexpected(new Error(handled.error.message), `listening for ${topic}`);
  }
  return {
    stop: async () => {
      await lanes.stop();
      await ends.stop();
    },
    running: () => lanes.running(),
  };
}

function lanesOf(
  deps: WorkerDeps,
  follow: (organizationId: string, ended: readonly EndedBuy[]) => void,
): readonly Lane[] {
  const { clock } = deps.ports;
  return [
    {
      name: topics.inbox,
      everyMs: sweepMs,
      due: () => ({ inbox: clock.now(), changes: clock.now() }),
      visit: async (scope) => follow(scope.organizationId, (await applyInbox(deps, scope)).ended),
    },
    {
      name: topics.legs,
      everyMs: sweepMs,
      waitsFor: 'sellers',
      due: () => ({ legs: clock.now(), answers: clock.now() }),
      visit: async (scope) => {
        await followLegs(deps, scope);
      },
    },
    // What nobody wakes us for, because sellers say nothing of it. One answer may take a minute.
    {
      name: 'creatives',
      everyMs: sweepMs,
      waitsFor: 'sellers',
      due: () => ({ creatives: clock.now() }),
      visit: (scope, stopped) => refreshCreatives(deps, scope, stopped),
    },
    {
      name: 'signals',
      everyMs: sweepMs,
      waitsFor: 'sellers',
      due: () => ({ signals: clock.now() }),
      visit: (scope, stopped) => refreshSignals(deps, scope, stopped),
    },
  ];
}

/** Follows ended buys beside the inbox, never in its way. What ends while one look is under way is in the next. */
function endsLane(
  deps: WorkerDeps,
  workers: number,
): { readonly follow: (organizationId: string, ended: readonly EndedBuy[]) => void; stop(): Promise<void> } {
  const visits = createVisits(workers * 8);
  const collected = new Map<string, EndedBuy[]>();
  return {
    follow: (organizationId, ended) => {
      if (ended.length === 0) return;
      collected.set(organizationId, [...(collected.get(organizationId) ?? []), ...ended]);
      visits
        .request(organizationId, async () => {
          const taken = collected.get(organizationId) ?? [];
          collected.delete(organizationId);
          await followEnds(deps, { organizationId }, taken);
        })
        .catch((error: unknown) => deps.onUnexpected(error, 'following ended buys'));
    },
    stop: () => visits.stop(),
  };
}
