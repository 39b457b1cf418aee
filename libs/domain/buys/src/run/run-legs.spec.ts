import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';

describe('a leg that failed to run', () => {
  it('is reported with the thrown error, and affects no other leg', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const { store } = harness.ports;
    const lost = new Error('The connection to the database was lost.');
    const broken: typeof store = {
      ...store,
      takeLeg: async (scope, legId, ...rest) => {
        const leg = await store.leg(scope, legId);
        if (leg?.seller === 'acme') throw lost;
        return store.takeLeg(scope, legId, ...rest);
      },
    };
    const made = must(
      await createMediaBuy({ ...harness.ports, store: broken }, harness.request(['acme', 'bravo'])),
    );
    expect(harness.notices).toEqual([{ code: 'LEG_INTERRUPTED', seller: 'acme', cause: lost }]);
    const statuses = made.state.legs.map(({ seller, status }) => [seller, status]);
    expect(Object.fromEntries(statuses)).toEqual({ acme: 'pending', bravo: 'completed' });
  });
});
