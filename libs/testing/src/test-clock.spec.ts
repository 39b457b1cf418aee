import { describe, expect, it } from '@jest/globals';
import { testClock } from './test-clock.js';

describe('the test clock', () => {
  it('does not advance until it is moved, and then calls due timers in order of time', () => {
    const clock = testClock(1000);
    const received: string[] = [];
    clock.after(20, () => received.push(`late at ${clock.now()}`));
    clock.after(10, () => {
      received.push(`early at ${clock.now()}`);
      clock.after(5, () => received.push(`nested at ${clock.now()}`));
    });
    const cancel = clock.after(15, () => received.push('canceled'));
    cancel();
    clock.advance(9);
    expect(received).toEqual([]);
    clock.advance(11);
    expect(received).toEqual(['early at 1010', 'nested at 1015', 'late at 1020']);
    expect(clock.now()).toBe(1020);
  });
});
