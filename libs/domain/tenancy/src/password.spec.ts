import { describe, expect, it } from '@jest/globals';
import { countAttempt, type Attempts } from './password.js';

const minuteMs = 60_000;

/** An address under attack: each call is one wrong password, and answers whether it would have been checked. */
function address() {
  let stored: Attempts = { failed: 0, sources: {} };
  return (source: string, at: number, isKnown = false): boolean => {
    const next = countAttempt(stored, source, isKnown, at);
    stored = next ?? stored;
    return next !== undefined;
  };
}

const times = (count: number, one: () => boolean): number =>
  Array.from({ length: count }, one).filter(Boolean).length;

describe('wrong passwords on one address', () => {
  it('lock out their own source after five, for 15 minutes, and nobody else', () => {
    const guess = address();
    expect(times(20, () => guess('here', 0))).toBe(5);
    expect(guess('there', 0)).toBe(true);
    expect(guess('here', 14 * minuteMs)).toBe(false);
    expect(guess('here', 15 * minuteMs)).toBe(true);
  });

  it('are ten at most in 15 minutes, from any number of sources', () => {
    const guess = address();
    let source = 0;
    expect(times(100, () => guess(`source ${(source += 1)}`, 0))).toBe(10);
    expect(guess('another', 14 * minuteMs)).toBe(false);
    expect(guess('another', 15 * minuteMs)).toBe(true);
  });

  it('do not lock a source that the person has used before, whose own wrong ones lock no other source', () => {
    const guess = address();
    let source = 0;
    times(100, () => guess(`source ${(source += 1)}`, 0));
    expect(times(20, () => guess('home', 0, true))).toBe(5);
    const other = address();
    times(20, () => other('home', 0, true));
    expect(times(20, () => other('a stranger', 0))).toBe(5);
  });

  it('are stored for ten sources at most, and forgotten once they are old', () => {
    let stored: Attempts = { failed: 0, sources: {} };
    for (let minute = 0; minute < 1_000; minute += 1)
      stored = countAttempt(stored, `source ${minute}`, false, minute * minuteMs) ?? stored;
    expect(Object.keys(stored.sources).length).toBeLessThanOrEqual(10);
  });
});
