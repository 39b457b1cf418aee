import { randomUUID } from 'node:crypto';
import type { Clock } from '@switchyard/values';
import { z } from 'zod';
import { readMessage, type Exchange } from '../exchange.js';
import { type RateLimits, createRateLimits, type RateSettings } from './rate-limits.js';

/** How long a process collects what it has granted before it tells the others, in milliseconds. */
const tellAfterMs = 50;
/** Budgets in one message. */
const mostBudgets = 1_000;
const topic = 'rates';

const told = z.strictObject({
  from: z.string(),
  taken: z.array(z.tuple([z.string().max(400), z.int().min(-100_000).max(100_000)])).max(mostBudgets),
});

/**
 * Rate limits over several processes. Each decides by itself, without waiting for anything, and tells the others what it
 * has granted: what several grant within that time is owed, so that in the long run all of them together grant the rate
 * once. Without the exchange each goes on with its own limits.
 */
export function shareRateLimits(settings: RateSettings, clock: Clock, exchange: Exchange): RateLimits {
  const from = randomUUID();
  const taken = new Map<string, number>();
  let isArmed = false;
  const tell = (): void => {
    isArmed = false;
    const budgets = [...taken].filter(([, amount]) => amount !== 0);
    taken.clear();
    for (let first = 0; first < budgets.length; first += mostBudgets)
      exchange.publish(topic, JSON.stringify({ from, taken: budgets.slice(first, first + mostBudgets) }));
  };
  const local = createRateLimits(settings, clock, (budget, amount) => {
    taken.set(budget, (taken.get(budget) ?? 0) + amount);
    if (isArmed) return;
    isArmed = true;
    clock.after(tellAfterMs, tell);
  });
  exchange.subscribe(topic, (text) => {
    const message = readMessage(told, text);
    if (message === undefined || message.from === from) return;
    for (const [budget, amount] of message.taken) local.debit(budget, amount);
  });
  return local;
}
