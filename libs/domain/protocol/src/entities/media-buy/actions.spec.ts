import { describe, expect, it } from '@jest/globals';
import { readActions } from './actions.js';

describe('what may be done to a buy', () => {
  it('is known once, however often its seller says it: 3.1 takes no two that are alike', () => {
    const pause = { action: 'pause', mode: 'self_serve' } as const;
    const cancel = { action: 'cancel', mode: 'requires_approval' } as const;
    expect(readActions({ available_actions: [pause, cancel, pause] })).toEqual([pause, cancel]);
    expect(readActions({ valid_actions: ['pause', 'pause'] })).toEqual([pause]);
  });
});
