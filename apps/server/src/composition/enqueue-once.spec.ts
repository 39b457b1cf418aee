import { describe, expect, it } from '@jest/globals';
import { testClock } from '@switchyard/testing';
import { enqueueOnce } from './enqueue-once.js';

describe('enqueueOnce', () => {
  it('wakes at once, and once more for all that came within the pause', () => {
    const clock = testClock();
    const woken: string[] = [];
    const wake = enqueueOnce(clock, (organizationId) => woken.push(organizationId));
    for (const organizationId of ['a', 'a', 'b', 'a', 'b']) wake(organizationId);
    expect(woken).toEqual(['a', 'b']);
    clock.advance(1_000);
    expect(woken).toEqual(['a', 'b', 'a', 'b']);
  });

  it('wakes at once again after a pause in which nothing came', () => {
    const clock = testClock();
    const woken: string[] = [];
    const wake = enqueueOnce(clock, (organizationId) => woken.push(organizationId));
    wake('a');
    clock.advance(1_000);
    wake('a');
    expect(woken).toEqual(['a', 'a']);
  });

  it('leaves no event untold: a wake-up always follows the last of them', () => {
    const clock = testClock();
    let events = 0;
    let received = 0;
    const wake = enqueueOnce(clock, () => (received = events));
    for (let round = 0; round < 200; round += 1) {
      events += 1;
      wake('a');
      clock.advance(round % 33);
    }
    clock.advance(1_000);
    expect(received).toBe(events);
  });
});
