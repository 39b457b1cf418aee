import type { WakeUpQueue } from '@switchyard/queue';
import { applyInbox } from './inbox/apply-inbox.js';
import { followEnds, type EndedBuy } from './legs/follow-ends.js';
import { followLegs } from './legs/follow-legs.js';
import type { HandsParts } from './worker-deps.js';
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
export async function startHands(
  parts: HandsParts,
  queue: WakeUpQueue,
  options: HandsOptions = {},
): Promise<Pick<RunningLanes, 'stop' | 'running'>> {
  const { clock } = parts.ports;
  const workers = options.workers ?? defaultWorkers;
  const ends = endsLane(parts, workers);
  const lanes = startLanes({ due: parts.due, clock, workers, onUnexpected: parts.onUnexpected }, [
    ...lanesOf(parts, ends.follow),
    ...(options.lanes ?? []),
  ]);
  for (const topic of Object.values(topics)) {
    const handled = await queue.handle(topic, ({ organizationId }) => lanes.request(topic, organizationId), {
      concurrency: workers,
    });
    if (!handled.ok) parts.onUnexpected(new Error(handled.error.message), `listening for ${topic}`);
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
  parts: HandsParts,
  follow: (organizationId: string, ended: readonly EndedBuy[]) => void,
): readonly Lane[] {
  const { clock } = parts.ports;
  return [
    {
      name: topics.inbox,
      everyMs: sweepMs,
      due: () => ({ inbox: clock.now(), changes: clock.now() }),
      visit: async (scope) => follow(scope.organizationId, (await applyInbox(parts, scope)).ended),
    },
    {
      name: topics.legs,
      everyMs: sweepMs,
      waitsFor: 'sellers',
      due: () => ({ legs: clock.now(), answers: clock.now() }),
      visit: async (scope) => {
        await followLegs(parts, scope);
      },
    },
    // What nobody wakes us for, because sellers say nothing of it. One answer may take a minute.
    {
      name: 'creatives',
      everyMs: sweepMs,
      waitsFor: 'sellers',
      due: () => ({ creatives: clock.now() }),
      visit: (scope, stopped) => refreshCreatives(parts, scope, stopped),
    },
    {
      name: 'signals',
      everyMs: sweepMs,
      waitsFor: 'sellers',
      due: () => ({ signals: clock.now() }),
      visit: (scope, stopped) => refreshSignals(parts, scope, stopped),
    },
  ];
}

/** Follows ended buys beside the inbox, never in its way. What ends while one look is under way is in the next. */
function endsLane(
  parts: HandsParts,
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
          await followEnds(parts, { organizationId }, taken);
        })
        .catch((error: unknown) => parts.onUnexpected(error, 'following ended buys'));
    },
    stop: () => visits.stop(),
  };
}
