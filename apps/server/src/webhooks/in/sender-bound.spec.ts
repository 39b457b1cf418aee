import { describe, expect, it } from '@jest/globals';
import { testClock } from '@switchyard/testing';
import { senderBound } from './sender-bound.js';

describe('senderBound', () => {
  it('allows each sender its share of a minute, and says when it may send again', () => {
    const clock = testClock();
    const bound = senderBound(clock, 2);
    expect([bound.take('a'), bound.take('a'), bound.take('b')]).toEqual([undefined, undefined, undefined]);
    clock.advance(15_000);
    expect(bound.take('a')).toBe(45);
    clock.advance(45_000);
    expect(bound.take('a')).toBeUndefined();
  });

  it('counts no message that was given back', () => {
    const bound = senderBound(testClock(), 1);
    expect(bound.take('a')).toBeUndefined();
    bound.giveBack('a');
    expect(bound.take('a')).toBeUndefined();
    expect(bound.take('a')).toBeGreaterThan(0);
  });
});
