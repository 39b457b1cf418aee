import { describe, expect, it } from '@jest/globals';
import { testClock } from '@switchyard/testing';
import { enqueueOnce } from './webhook-intake.js';

describe('enqueueOnce', () => {
  it('adds a job at once, and one more for everything within the pause', () => {
    const clock = testClock();
    const enqueued: string[] = [];
    const enqueue = enqueueOnce(clock, (organizationId) => enqueued.push(organizationId), 1_000);
    for (const organizationId of ['a', 'a', 'b', 'a', 'b']) enqueue(organizationId);
    expect(enqueued).toEqual(['a', 'b']);
    clock.advance(1_000);
    expect(enqueued).toEqual(['a', 'b', 'a', 'b']);
  });

  it('adds a job at once again after a pause without events', () => {
    const clock = testClock();
    const enqueued: string[] = [];
    const enqueue = enqueueOnce(clock, (organizationId) => enqueued.push(organizationId), 1_000);
    enqueue('a');
    clock.advance(1_000);
    enqueue('a');
    expect(enqueued).toEqual(['a', 'a']);
  });

  it('misses no event: a job always follows the last of them', () => {
    const clock = testClock();
    let events = 0;
    let received = 0;
    const enqueue = enqueueOnce(clock, () => (received = events), 200);
    for (let round = 0; round < 200; round += 1) {
      events += 1;
      enqueue('a');
      clock.advance(round % 33);
    }
    clock.advance(1_000);
    expect(received).toBe(events);
  });
});
