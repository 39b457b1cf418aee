import { describe, expect, it } from '@jest/globals';
import { namedIn } from './sealed-subject.js';

describe('the ids that a sealed request names', () => {
  it('are found at any depth and under the member names of every version', () => {
    expect(
      namedIn({
        media_buy_id: 'b1',
        updates: { media_buy_ids: ['b2', 7], packages: [{ creative_ids: ['c1'] }] },
        packages: [{ package_id: 'inside-b1', creative_assignments: [{ creative_id: 'c2' }] }],
        assignments: { c3: ['p1', 'p2'] },
      }),
    ).toEqual({ buys: ['b1', 'b2'], creatives: ['c1', 'c2', 'c3'], assigned: ['p1', 'p2'] });
    expect(namedIn({ assignments: [{ creative_id: 'c', package_id: 'p' }] })).toEqual({
      buys: [],
      creatives: ['c'],
      assigned: ['p'],
    });
  });

  it('include objects that come with the request, and not its context', () => {
    expect(
      namedIn({
        context: { media_buy_id: 'b', creative_id: 'c' },
        creatives: [{ creative_id: 'new', assets: { main: { media_buy_id: 'odd' } } }],
        assignments: [{ creative_id: 'new', package_id: 'p' }],
      }),
    ).toEqual({ buys: ['odd'], creatives: ['new'], assigned: ['p'] });
  });
});
