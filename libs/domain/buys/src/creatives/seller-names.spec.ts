import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { withBuyerIds } from '../model/buyer-creative-ids.js';
import { withSellerIds, sellerIdsIn } from './creatives-at-sellers.js';
import { endingAt, nameOfLocal } from '../model/name-at-seller.js';

const at = 'connection-1';
const ours = nameOfLocal('spot', at);
const names = new Map([['spot', ours]]);

/** Every way in which a form names a creative to a seller, and how often each of these does. */
const requests: Readonly<Record<string, readonly [number, JsonObject]>> = {
  'a library that is synced': [
    3,
    {
      creatives: [
        { creative_id: 'spot', name: 'spot', assets: { main: { creative_id: 'spot' } } },
        { creative_id: 'two' },
      ],
      creative_ids: ['spot', 'two'],
      assignments: [{ creative_id: 'spot', package_id: 'spot' }],
    },
  ],
  'assignments by creative': [1, { assignments: { spot: ['p1'], two: ['p2'] } }],
  'packages of a buy': [
    4,
    {
      packages: [
        { creatives: [{ creative_id: 'spot' }], creative_ids: ['two', 'spot'] },
        { creative_assignments: [{ creative_id: 'spot', weight: 50 }] },
      ],
      new_packages: [{ creative_ids: ['spot'] }],
    },
  ],
  'changes under updates': [1, { updates: { packages: [{ creative_ids: ['spot'] }] } }],
  'a filter': [1, { filters: { creative_ids: ['spot'] } }],
  'figures of a creative': [2, { creative_id: 'spot', usage: [{ creative_id: 'spot' }] }],
};

describe('a creative that a seller knows under an id of ours', () => {
  it.each(Object.entries(requests))(
    'has it in %s, and is returned under the buyer’s id',
    (_what, [places, args]) => {
      const sent = withSellerIds(args, names);
      expect(JSON.stringify(sent).split(JSON.stringify(ours))).toHaveLength(places + 1);
      expect(withBuyerIds(sent, at)).toEqual(args);
      expect([...sellerIdsIn(sent, at)]).toEqual([['spot', ours]]);
    },
  );

  it('has it in no other place: neither in its content nor in the buyer’s texts', () => {
    const words = { context: { creative_id: 'spot' }, ext: { creative_ids: ['spot'] }, name: 'spot' };
    const args = {
      ...words,
      creatives: [{ creative_id: 'other', assets: { main: { creative_id: 'spot' } } }],
    };
    expect(withSellerIds(args, names)).toEqual(args);
    expect(withSellerIds(args, new Map())).toBe(args);
  });

  it('is shown to the buyer under its own id in messages, names of members and values, at any depth', () => {
    const reported = {
      [ours]: [`No creative ${ours}.`, { field: `creatives[${ours}].url`, creative_id: ours }],
    };
    expect(withBuyerIds(reported, at)).toEqual({
      spot: ['No creative spot.', { field: 'creatives[spot].url', creative_id: 'spot' }],
    });
    expect(withBuyerIds(reported, 'connection-2')).toBe(reported);
  });

  it('has an id that is derived from the connection and cannot be guessed', () => {
    expect(nameOfLocal('spot', at)).toBe(ours);
    // Sellers have it under this very id: whoever makes it otherwise no longer knows what stands there.
    expect(endingAt(at)).toBe('-2c293e6741d3e34a36a7f42b');
    expect(endingAt('connection-2')).not.toBe(endingAt(at));
    expect(ours).not.toContain(at);
  });
});
