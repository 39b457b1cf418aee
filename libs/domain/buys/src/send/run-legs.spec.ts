import { describe, expect, it } from '@jest/globals';
import { openBuyingDesk } from '@switchyard/testing';
import { createMediaBuy } from '../create/create-media-buy.js';

describe('a leg that could not be run to its end', () => {
  it('is told with what was thrown, and hurts no other leg', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const { store } = desk.ports;
    const lost = new Error('The connection to the database was lost.');
    const broken: typeof store = {
      ...store,
      takeLeg: async (scope, legId, ...rest) => {
        const leg = await store.leg(scope, legId);
        if (leg?.seller === 'acme') throw lost;
        return store.takeLeg(scope, legId, ...rest);
      },
    };
    const made = await createMediaBuy({ ...desk.ports, store: broken }, desk.request(['acme', 'bravo']));
    if (!made.ok) throw new Error(JSON.stringify(made.error));
    expect(desk.notices).toEqual([{ code: 'LEG_INTERRUPTED', seller: 'acme', cause: lost }]);
    const statuses = made.value.state.legs.map(({ seller, status }) => [seller, status]);
    expect(Object.fromEntries(statuses)).toEqual({ acme: 'pending', bravo: 'completed' });
  });
});
