import { describe, expect, it } from '@jest/globals';
import {
  nextPollAt,
  recordPoll,
  recordReport,
  recoveryPaceMs,
  reportGraceMs,
  type ReportWatch,
} from './watch-reports.js';

const none: ReportWatch = { highestSequence: 0, missing: [], figuresExpectedAt: [] };
const after = (...numbers: readonly number[]): ReportWatch =>
  numbers.reduce((watch, sequenceNumber) => recordReport(watch, { sequenceNumber }), none);

describe('recordReport', () => {
  it.each([
    ['nothing where all came', [1, 2, 3], []],
    ['what was passed over', [1, 4], [2, 3]],
    ['the first ones, when the stream is first heard of late', [3], [1, 2]],
    ['nothing any more when the late ones arrive', [1, 4, 3, 2], []],
    ['nothing for a repetition', [1, 2, 2, 1], []],
  ])('misses %s', (_what, numbers, missing) => {
    expect(after(...numbers).missing).toEqual(missing);
  });

  it('stores a bounded number of missing reports for a gap of any size', () => {
    expect(after(1, 2_000_000_000).missing.length).toBeLessThanOrEqual(100);
  });

  it('removes the announced time when the newest report announces none', () => {
    const announced = recordReport(none, { sequenceNumber: 1, nextExpectedAt: 5 });
    expect(announced.nextExpectedAt).toBe(5);
    expect(recordReport(announced, { sequenceNumber: 2 })).not.toHaveProperty('nextExpectedAt');
  });

  it('ignores the announced time of a late report', () => {
    const watch = recordReport(recordReport(none, { sequenceNumber: 2, nextExpectedAt: 9 }), {
      sequenceNumber: 1,
      nextExpectedAt: 5,
    });
    expect(watch.nextExpectedAt).toBe(9);
  });
});

describe('recordPoll', () => {
  const seen: ReportWatch = { highestSequence: 4, missing: [2, 3], figuresExpectedAt: [5, 20] };
  const since = recordReport(seen, { sequenceNumber: 7, nextExpectedAt: 90, figuresExpectedAt: [6, 30] });
  const poll = { watch: seen, at: 10, isRecovered: true, postponedUntil: [] };

  it('recovers the numbers missing before the poll, and keeps what reports changed since', () => {
    expect(recordPoll(seen, poll)).toEqual({ ...seen, missing: [], figuresExpectedAt: [20] });
    expect(recordPoll(since, poll)).toEqual({ ...since, missing: [5, 6], figuresExpectedAt: [6, 20, 30] });
  });

  it('keeps missing numbers that it could not recover', () => {
    expect(recordPoll(seen, { ...poll, isRecovered: false }).missing).toEqual([2, 3]);
  });

  it('waits for the future times to which the answer postpones figures', () => {
    expect(recordPoll(seen, { ...poll, postponedUntil: [15, 9] }).figuresExpectedAt).toEqual([15, 20]);
  });
});

describe('nextPollAt', () => {
  it('follows the pace while something is missing or nothing is announced', () => {
    const owed: ReportWatch = {
      highestSequence: 3,
      missing: [2],
      nextExpectedAt: 10_000_000,
      figuresExpectedAt: [],
    };
    for (const watch of [owed, none]) {
      expect(nextPollAt({ watch, hasWebhooks: true, at: 0 })).toBe(recoveryPaceMs.withWebhooks);
      expect(nextPollAt({ watch, hasWebhooks: false, at: 0 })).toBe(recoveryPaceMs.without);
    }
  });

  it('waits until an announced report is late', () => {
    const watch: ReportWatch = {
      highestSequence: 1,
      missing: [],
      nextExpectedAt: 10_000_000,
      figuresExpectedAt: [],
    };
    expect(nextPollAt({ watch, hasWebhooks: true, at: 0 })).toBe(10_000_000 + reportGraceMs);
  });

  it("R24: counts a report as late after the seller's declared delay", () => {
    const watch: ReportWatch = {
      highestSequence: 1,
      missing: [],
      nextExpectedAt: 10_000_000,
      figuresExpectedAt: [],
    };
    const hours = 4 * 3_600_000;
    expect(nextPollAt({ watch, hasWebhooks: true, expectedDelayMs: hours, at: 0 })).toBe(10_000_000 + hours);
    expect(nextPollAt({ watch, hasWebhooks: true, expectedDelayMs: 0, at: 0 })).toBe(10_000_000);
    const owed = { ...watch, missing: [2] };
    expect(nextPollAt({ watch: owed, hasWebhooks: true, expectedDelayMs: hours, at: 0 })).toBe(
      recoveryPaceMs.withWebhooks,
    );
  });

  it('is when postponed figures are expected, between the pace and when the next report is late', () => {
    const late = 10_000_000 + reportGraceMs;
    const pollFor = (...times: readonly number[]) => {
      const watch = recordReport(none, {
        sequenceNumber: 1,
        nextExpectedAt: 10_000_000,
        figuresExpectedAt: times,
      });
      return nextPollAt({ watch, hasWebhooks: true, at: 0 });
    };
    expect(pollFor(5_000_000)).toBe(5_000_000);
    expect(pollFor(9_000_000, 5_000_000)).toBe(5_000_000);
    expect(pollFor(7)).toBe(recoveryPaceMs.withWebhooks);
    expect(pollFor(99_000_000)).toBe(late);
  });

  it('keeps postponed times over later and repeated reports, until they were polled', () => {
    const first = recordReport(none, {
      sequenceNumber: 2,
      nextExpectedAt: 60_000_000,
      figuresExpectedAt: [9_000_000],
    });
    const again = recordReport(first, { sequenceNumber: 1, figuresExpectedAt: [5_000_000, 9_000_000] });
    const watch = recordReport(again, { sequenceNumber: 3, nextExpectedAt: 70_000_000 });
    expect(watch.figuresExpectedAt).toEqual([5_000_000, 9_000_000]);
    const poll = { watch, isRecovered: true, postponedUntil: [] };
    const polled = recordPoll(watch, { ...poll, at: 5_000_000 });
    expect(nextPollAt({ watch: polled, hasWebhooks: true, at: 5_000_000 })).toBe(9_000_000);
    const over = recordPoll(polled, { ...poll, at: 9_000_000 });
    expect(nextPollAt({ watch: over, hasWebhooks: true, at: 9_000_000 })).toBe(70_000_000 + reportGraceMs);
  });

  it('R21: is within a day of the last poll, even if reports arrive in time', () => {
    const day = 24 * 3_600_000;
    const watch: ReportWatch = {
      highestSequence: 9,
      missing: [],
      nextExpectedAt: 20 * day,
      figuresExpectedAt: [19 * day],
    };
    expect(nextPollAt({ watch, hasWebhooks: true, at: 7 })).toBe(7 + day);
    expect(nextPollAt({ watch, hasWebhooks: true, at: day / 2, polledAt: 7 })).toBe(7 + day);
    const overdue = nextPollAt({ watch, hasWebhooks: true, at: 3 * day, polledAt: 7 });
    expect(overdue).toBe(3 * day + recoveryPaceMs.withWebhooks);
  });

  it('stores a limited number of times, the earliest ones', () => {
    const times = Array.from({ length: 500 }, (_, index) => 500 - index);
    const { figuresExpectedAt } = recordReport(none, { figuresExpectedAt: times });
    expect(figuresExpectedAt[0]).toBe(1);
    expect(figuresExpectedAt.length).toBe(100);
  });
});
