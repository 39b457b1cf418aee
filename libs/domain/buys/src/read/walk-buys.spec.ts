import { describe, expect, it } from '@jest/globals';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { makeOperation, openBuyingDesk } from '@switchyard/testing';
import type { BuyPlace } from '../model/operation-store.js';
import { lookedAtMost, walkBuys } from './walk-buys.js';

/** A caller with buys that start later, none of which has reached its seller, and one that is older than all of them. */
async function withBuys(count: number) {
  const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
  const wishes = { principalId: desk.principalId, sellers: ['acme'], packagesPerLeg: 1 };
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const draft = makeOperation(desk.scope, { ...wishes, createdAt: desk.clock.now() + at });
    const buy = at === 0 ? { ...draft.buy, status: 'active' as const } : draft.buy;
    await desk.store.begin(desk.scope, { ...draft, buy });
    ids.unshift(buy.id);
  }
  const ports = {
    ...desk.ports,
    breakers: new BreakerBoard(defaultBreakerPolicy),
    bulkhead: new Bulkhead(8),
  };
  const ask = { scope: desk.scope, deadlineMs: 5_000, signal: new AbortController().signal };
  const wish = { filter: { principalId: desk.principalId }, statuses: ['active'], includeSnapshot: false };
  const walk = async (size: number, after?: BuyPlace) => {
    const walked = await walkBuys(ports, ask, wish, after === undefined ? { size } : { size, after });
    return { ...walked, shown: walked.shown.map(({ buy }) => buy.id) };
  };
  return { ids, walk };
}

describe('a walk through buys', () => {
  it('ends where one request has looked at enough, and goes on from there', async () => {
    const { ids, walk } = await withBuys(lookedAtMost + 1);
    const first = await walk(1);
    expect([first.shown, first.looked.length]).toEqual([[], lookedAtMost]);
    expect(first.next?.id).toBe(ids[lookedAtMost - 1]);
    const second = await walk(1, first.next);
    expect([second.shown, second.next]).toEqual([[ids[lookedAtMost]], undefined]);
  });

  it('finds the last one behind many others within one request', async () => {
    const { ids, walk } = await withBuys(lookedAtMost - 1);
    const only = await walk(1);
    expect([only.shown, only.next]).toEqual([[ids.at(-1)], undefined]);
  });
});
