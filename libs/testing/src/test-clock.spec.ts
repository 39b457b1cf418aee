import { describe, expect, it } from '@jest/globals';
import { testClock } from './test-clock.js';

describe('the test clock', () => {
  it('stands still until it is moved, and calls what falls due in order of time', () => {
    const clock = testClock(1000);
    const heard: string[] = [];
    clock.after(20, () => heard.push(`late at ${clock.now()}`));
    clock.after(10, () => {
      heard.push(`early at ${clock.now()}`);
      clock.after(5, () => heard.push(`nested at ${clock.now()}`));
    });
    const cancel = clock.after(15, () => heard.push('canceled'));
    cancel();
    clock.advance(9);
    expect(heard).toEqual([]);
    clock.advance(11);
    expect(heard).toEqual(['early at 1010', 'nested at 1015', 'late at 1020']);
    expect(clock.now()).toBe(1020);
  });
});
