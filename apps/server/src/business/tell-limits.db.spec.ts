import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { noticeRepository, openStore, spendingLimits, type Notice } from '@switchyard/store';
import { createOrganization, openTestStore, testClock } from '@switchyard/testing';
import { tellLimits } from './tell-limits.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

it('a limit that is used up is told once a month, and one with something left is not', async () => {
  const clock = testClock(Date.UTC(2026, 10, 20));
  const { id: organizationId } = await createOrganization(store);
  const scope = { organizationId };
  const by = randomUUID();
  const limits = spendingLimits(store);
  const notices = noticeRepository(store);
  const limit = { kind: 'brand', currency: 'EUR', above: 'ask', createdAt: clock.now() } as const;
  await limits.set(scope, { ...limit, id: randomUUID(), key: 'used.example', amount: 0n }, by);
  await limits.set(scope, { ...limit, id: randomUUID(), key: 'left.example', amount: 5_000_000n }, by);
  const deps = { spendingLimits: limits, notices, clock };
  const told = async (): Promise<readonly Notice[]> => {
    const all: Notice[] = [];
    await notices.handOut(scope, clock.now(), (waiting) => {
      all.push(...waiting);
      return { deliveries: [], needs: new Map() };
    });
    return all;
  };
  expect(await tellLimits(deps, scope)).toBe(1);
  await tellLimits(deps, scope);
  expect(await told()).toMatchObject([
    {
      kind: 'limit.reached',
      brandDomain: 'used.example',
      data: { subject: 'brand:used.example', limit: '0' },
    },
  ]);
  clock.advance(15 * 24 * 3_600_000);
  await tellLimits(deps, scope);
  expect(await told()).toHaveLength(1);
});
