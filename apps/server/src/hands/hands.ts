import type { WakeUpQueue } from '@switchyard/queue';
import { applyInbox } from './apply-inbox.js';
import { every } from './every.js';
import { followEnds, type EndedBuy } from './follow-ends.js';
import { followLegs } from './follow-legs.js';
import type { HandsParts } from './hands-parts.js';
import { oneAtATime } from './one-at-a-time.js';
import { refreshCreatives } from './refresh-creatives.js';
import { refreshSignals } from './refresh-signals.js';

/** Topics of the wake-ups. Each names a kind of row that wants attention. */
export const topics = { inbox: 'inbox', legs: 'legs' } as const;

export interface Hands {
  /** Stops the sweep, then resolves when what was under way is done. The queue is closed by who opened it. */
  stop(): Promise<void>;
}

/**
 * What nobody wakes us for, because sellers say nothing of it: they are asked when it is time. Each is a lane of its own,
 * since one answer may take a minute, and neither legs nor webhooks wait for it.
 */
const looks = { creatives: refreshCreatives, signals: refreshSignals } as const;

/** How often everything due is looked for without any wake-up. */
const sweepMs = 1_000;

/**
 * Starts the hands: woken by the queue at once, and by a sweep of the database once a second. Wake-ups may be lost,
 * doubled or late; the rows say what is to be done.
 */
export async function startHands(parts: HandsParts, queue: WakeUpQueue): Promise<Hands> {
  const perTenant = oneAtATime();
  const stopped = new AbortController();
  const ends = endsLane(parts, perTenant);
  const run = (topic: string, organizationId: string): Promise<void> =>
    perTenant(`${topic} ${organizationId}`, async () => {
      const scope = { organizationId };
      if (topic === topics.inbox) ends(organizationId, (await applyInbox(parts, scope)).ended);
      else await followLegs(parts, scope);
    });
  const look = (name: keyof typeof looks, organizationId: string): Promise<void> =>
    perTenant(`${name} ${organizationId}`, () => looks[name](parts, { organizationId }, stopped.signal));
  for (const topic of Object.values(topics)) {
    const handled = await queue.handle(topic, ({ organizationId }) => run(topic, organizationId), {
      concurrency: 4,
    });
    if (!handled.ok) parts.onUnexpected(new Error(handled.error.message), `listening for ${topic}`);
  }
  const sweep = every(
    parts.ports.clock,
    sweepMs,
    () => requestAll(parts, run, look),
    (error) => parts.onUnexpected(error, 'the sweep'),
  );
  return {
    stop: async () => {
      await sweep.stop();
      // What is asked of sellers for our own sake is asked again by whoever comes next.
      stopped.abort();
      await perTenant.idle();
    },
  };
}

/**
 * Asks for every tenant's work and waits for none of it: a seller that hangs in one tenant's legs holds up nobody's
 * inbox. What is still running from the last sweep is the same request.
 */
async function requestAll(
  parts: HandsParts,
  run: (topic: string, organizationId: string) => Promise<void>,
  look: (name: keyof typeof looks, organizationId: string) => Promise<void>,
): Promise<void> {
  for (const organizationId of await parts.organizations.ids()) {
    const begun = [
      ...Object.values(topics).map((topic) => [topic, run(topic, organizationId)] as const),
      ...(['creatives', 'signals'] as const).map((name) => [name, look(name, organizationId)] as const),
    ];
    for (const [name, work] of begun)
      work.catch((error: unknown) => parts.onUnexpected(error, `the sweep of ${name}`));
  }
}

/** Follows ended buys beside the inbox, never in its way. What ends while one look is under way is in the next. */
function endsLane(
  parts: HandsParts,
  perTenant: ReturnType<typeof oneAtATime>,
): (organizationId: string, ended: readonly EndedBuy[]) => void {
  const collected = new Map<string, EndedBuy[]>();
  return (organizationId, ended) => {
    if (ended.length === 0) return;
    collected.set(organizationId, [...(collected.get(organizationId) ?? []), ...ended]);
    perTenant(`ends ${organizationId}`, async () => {
      const taken = collected.get(organizationId) ?? [];
      collected.delete(organizationId);
      await followEnds(parts, { organizationId }, taken);
    }).catch((error: unknown) => parts.onUnexpected(error, 'following ended buys'));
  };
}
