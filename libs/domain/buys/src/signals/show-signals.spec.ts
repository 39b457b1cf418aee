import { describe, expect, it } from '@jest/globals';
import { shownAs } from './show-signals.js';

describe('a place of a signal that was shown a while ago', () => {
  const target = { type: 'platform' as const, platform: 'p' };
  const row = { connectionId: 'c', segmentId: 's', target, seenAt: 1 };
  const activationKey = { type: 'segment_id' as const, segmentId: 'k' };
  const live = { ...target, isLive: true, activationKey, deployedAt: '2026-01-01T00:00:00Z' };

  it('is not live any more where it was taken back since, and its key is gone with it', () => {
    expect(shownAs(live, { ...row, state: 'off' }, 5)).toEqual({ ...target, isLive: false });
  });

  it('stays as its agent said it where nothing else is known', () => {
    expect(shownAs(live, undefined, 5)).toEqual(live);
    expect(shownAs(live, { ...row, state: 'live' }, 5)).toEqual(live);
  });
});
