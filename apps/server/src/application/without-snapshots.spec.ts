import { describe, expect, it } from '@jest/globals';
import { withoutSnapshots } from './without-snapshots.js';

const payload = {
  media_buys: [{ media_buy_id: 'mb_1', packages: [{ package_id: 'p1' }, { package_id: 'p2' }] }],
};

describe('snapshots that nobody here has', () => {
  it('are said to be missing package by package, to whoever asked for them', () => {
    const reason = { snapshot_unavailable_reason: 'SNAPSHOT_UNSUPPORTED' };
    expect(withoutSnapshots(payload, true)).toEqual({
      media_buys: [
        {
          media_buy_id: 'mb_1',
          packages: [
            { package_id: 'p1', ...reason },
            { package_id: 'p2', ...reason },
          ],
        },
      ],
    });
  });

  it('are not spoken of to anybody else', () => {
    expect(withoutSnapshots(payload, false)).toBe(payload);
  });
});
