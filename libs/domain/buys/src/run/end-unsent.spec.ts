import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeOperation, openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { followLeg } from './follow-leg.js';
import type { Leg, OperationStore } from '../index.js';

const minuteMs = 60_000;

/** A harness with one leg that nobody has sent yet, at a seller whose credential cannot be used here. */
async function unsent() {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const connection = { ...harness.connection('acme'), credentialId: randomUUID() };
  const connectionIds = { acme: connection.id };
  const draft = makeOperation(harness.scope, {
    sellers: ['acme'],
    connectionIds,
    createdAt: harness.clock.now(),
  });
  await harness.store.begin(harness.scope, draft);
  const run = { connection, signal: new AbortController().signal };
  return { harness, id: draft.legs[0]!.id, run };
}

/** The store as one sees it that is slow: right after it has read a leg for the nth time, another process gets on. */
function slowAfter(store: OperationStore, nth: number, other: () => Promise<unknown>): OperationStore {
  let reads = 0;
  return {
    ...store,
    leg: async (...args) => {
      const leg = await store.leg(...args);
      reads += 1;
      if (reads === nth) await other();
      return leg;
    },
  };
}

const legOf = (harness: BuyingHarness, id: string): Promise<Leg | undefined> =>
  harness.store.leg(harness.scope, id);

describe('a leg whose seller’s credential cannot be used', () => {
  it('has failed if nothing was sent', async () => {
    const { harness, id, run } = await unsent();
    const state = await followLeg(harness.ports, harness.scope, id, run);
    expect(state?.legs[0]).toMatchObject({ status: 'failed', errors: [{ code: 'CONFIGURATION_ERROR' }] });
  });

  for (const nth of [1, 2])
    it(`is left to the process that has the credential and sends it meanwhile, at read ${nth}`, async () => {
      const { harness, id, run } = await unsent();
      const now = harness.clock.now();
      const store = slowAfter(harness.store, nth, () =>
        harness.store.takeLeg(harness.scope, id, now, now + minuteMs),
      );
      expect(await followLeg({ ...harness.ports, store }, harness.scope, id, run)).toBeUndefined();
      expect(await legOf(harness, id)).toMatchObject({ status: 'sent', attempts: 1 });
      expect(await harness.store.takeLeg(harness.scope, id, now + 1, now + minuteMs)).toBeUndefined();
      expect(await harness.store.dueLegs(harness.scope, now + minuteMs - 1, 9)).toEqual([]);
    });

  it('does not end what another process sent and could not finish', async () => {
    const { harness, id, run } = await unsent();
    const now = harness.clock.now();
    const store = slowAfter(harness.store, 2, () => harness.store.takeLeg(harness.scope, id, now, now));
    expect(await followLeg({ ...harness.ports, store }, harness.scope, id, run)).toBeUndefined();
    expect(await legOf(harness, id)).toMatchObject({ status: 'sent', nextPollAt: now + 4_000 });
    expect(await harness.store.takeLeg(harness.scope, id, now + 1, now + minuteMs)).toBeDefined();
  });

  it('waits for its credential if it was sent, and counts no attempt for that', async () => {
    const { harness, id, run } = await unsent();
    const now = harness.clock.now();
    await harness.store.takeLeg(harness.scope, id, now, now);
    expect(await followLeg(harness.ports, harness.scope, id, run)).toBeUndefined();
    expect(await legOf(harness, id)).toMatchObject({ status: 'sent', attempts: 1, nextPollAt: now + 2_000 });
  });
});
