import { describe, expect, it } from '@jest/globals';
import { actionMembers } from './actions.js';

describe('what may be done to a buy', () => {
  it('is said once in 3.1, however often its seller says it', () => {
    const pause = { action: 'pause', mode: 'self_serve' } as const;
    const cancel = { action: 'cancel', mode: 'requires_approval' } as const;
    expect(actionMembers([pause, cancel, pause], '3.1')).toEqual({
      valid_actions: ['pause', 'cancel'],
      available_actions: [pause, cancel],
    });
  });
});
