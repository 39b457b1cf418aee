import type { WakeUpQueue } from '@switchyard/queue';
import { applyInbox } from './apply-inbox.js';
import { followLegs } from './follow-legs.js';
import type { HandsParts } from './hands-parts.js';

/** Topics of the wake-ups. Each names a kind of row that wants attention. */
export const topics = { inbox: 'inbox', legs: 'legs' } as const;

export interface Hands {
  /** Stops the sweep, then resolves when what was under way is done. The queue is closed by who opened it. */
  stop(): Promise<void>;
}

/** How often everything due is looked for without any wake-up. */
const sweepMs = 1_000;

/**
 * Starts the hands: woken by the queue at once, and by a sweep of the database once a second. Wake-ups may be lost,
 * doubled or late; the rows say what is to be done.
 */
export async function startHands(parts: HandsParts, queue: WakeUpQueue): Promise<Hands> {
  const perTenant = oneAtATime();
  const run = (topic: string, organizationId: string): Promise<void> =>
    perTenant(`${topic} ${organizationId}`, async () => {
      const scope = { organizationId };
      await (topic === topics.inbox ? applyInbox(parts, scope) : followLegs(parts, scope));
    });
  for (const topic of Object.values(topics)) {
    const handled = await queue.handle(topic, ({ organizationId }) => run(topic, organizationId), {
      concurrency: 4,
    });
    if (!handled.ok) parts.onUnexpected(new Error(handled.error.message), `listening for ${topic}`);
  }
  let stopped = false;
  let sweeping = Promise.resolve();
  let cancel = (): void => undefined;
  const sweep = (): void => {
    sweeping = sweepAll(parts, run)
      .catch((error: unknown) => parts.onUnexpected(error, 'the sweep'))
      .then(() => {
        if (!stopped) cancel = parts.ports.clock.after(sweepMs, sweep);
      });
  };
  sweep();
  return {
    stop: async () => {
      stopped = true;
      cancel();
      await sweeping;
      await perTenant.idle();
    },
  };
}

async function sweepAll(
  parts: HandsParts,
  run: (topic: string, organizationId: string) => Promise<void>,
): Promise<void> {
  for (const organizationId of await parts.organizations.ids()) {
    for (const topic of Object.values(topics)) await run(topic, organizationId);
  }
}

/** Runs work of one name one after another; a second request that comes while one waits is the same request. */
function oneAtATime(): ((name: string, work: () => Promise<void>) => Promise<void>) & {
  idle(): Promise<void>;
} {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  const start = (name: string, work: () => Promise<void>): Promise<void> => {
    const run = work().finally(() => running.delete(name));
    running.set(name, run);
    return run;
  };
  const request = (name: string, work: () => Promise<void>): Promise<void> => {
    const current = running.get(name);
    if (current === undefined) return start(name, work);
    const queued = waiting.get(name);
    if (queued !== undefined) return queued;
    const next = current.then(
      () => undefined,
      () => undefined,
    );
    const then = next.then(() => {
      waiting.delete(name);
      return start(name, work);
    });
    waiting.set(name, then);
    return then;
  };
  return Object.assign(request, {
    idle: async () => {
      await Promise.allSettled([...running.values(), ...waiting.values()]);
    },
  });
}
