import { describe, expect, it } from '@jest/globals';
import { makeOperation, openBuyingHarness } from '@switchyard/testing';
import type { BuyPlace } from '../model/operation-store.js';
import { readAtMost, walkBuys } from './walk-buys.js';
import { readPortsOf } from '../testkit/read-requests.js';

/** A caller with buys that start later, none of which has reached its seller, and one that is older than all of them. */
async function withBuys(count: number) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const options = { principalId: harness.principalId, sellers: ['acme'], packagesPerLeg: 1 };
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const draft = makeOperation(harness.scope, { ...options, createdAt: harness.clock.now() + at });
    const buy = at === 0 ? { ...draft.buy, status: 'active' as const } : draft.buy;
    await harness.store.begin(harness.scope, { ...draft, buy });
    ids.unshift(buy.id);
  }
  const ports = readPortsOf(harness.ports);
  const query = { scope: harness.scope, deadlineMs: 5_000, signal: new AbortController().signal };
  const wish = { filter: { principalId: harness.principalId }, statuses: ['active'], includeSnapshot: false };
  const walk = async (size: number, after?: BuyPlace) => {
    const walked = await walkBuys(ports, query, wish, after === undefined ? { size } : { size, after });
    return { ...walked, shown: walked.shown.map(({ buy }) => buy.id) };
  };
  return { ids, walk };
}

describe('a paged read of buys', () => {
  it('ends when one request has checked enough, and continues from there', async () => {
    const { ids, walk } = await withBuys(readAtMost + 1);
    const first = await walk(1);
    expect([first.shown, first.read.length]).toEqual([[], readAtMost]);
    expect(first.next?.id).toBe(ids[readAtMost - 1]);
    const second = await walk(1, first.next);
    expect([second.shown, second.next]).toEqual([[ids[readAtMost]], undefined]);
  });

  it('finds the last buy behind many others within one request', async () => {
    const { ids, walk } = await withBuys(readAtMost - 1);
    const only = await walk(1);
    expect([only.shown, only.next]).toEqual([[ids.at(-1)], undefined]);
  });
});
