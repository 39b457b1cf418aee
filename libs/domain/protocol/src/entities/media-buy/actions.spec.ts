import { describe, expect, it } from '@jest/globals';
import { readActions } from './buy-actions.js';

describe('the available actions of a buy', () => {
  it('are listed once, even if its seller repeats them: 3.1 accepts no duplicates', () => {
    const pause = { action: 'pause', mode: 'self_serve' } as const;
    const cancel = { action: 'cancel', mode: 'requires_approval' } as const;
    expect(readActions({ available_actions: [pause, cancel, pause] })).toEqual([pause, cancel]);
    expect(readActions({ valid_actions: ['pause', 'pause'] })).toEqual([pause]);
  });
});
