import { describe, expect, it } from '@jest/globals';
import { nextLookAt, noteReport, recoveryPaceMs, reportGraceMs, type ReportWatch } from './watch-reports.js';

const none: ReportWatch = { highestSequence: 0, missing: [] };
const after = (...numbers: readonly number[]): ReportWatch =>
  numbers.reduce((watch, sequenceNumber) => noteReport(watch, { sequenceNumber }), none);

describe('noteReport', () => {
  it.each([
    ['nothing where all came', [1, 2, 3], []],
    ['what was passed over', [1, 4], [2, 3]],
    ['the first ones, when the stream is first heard of late', [3], [1, 2]],
    ['nothing any more when the late ones arrive', [1, 4, 3, 2], []],
    ['nothing for a repetition', [1, 2, 2, 1], []],
  ])('misses %s', (_what, numbers, missing) => {
    expect(after(...numbers).missing).toEqual(missing);
  });

  it('keeps a hole of any size small', () => {
    expect(after(1, 2_000_000_000).missing.length).toBeLessThanOrEqual(100);
  });

  it('forgets an announcement when the newest report announces nothing', () => {
    const announced = noteReport(none, { sequenceNumber: 1, nextExpectedAt: 5 });
    expect(announced.nextExpectedAt).toBe(5);
    expect(noteReport(announced, { sequenceNumber: 2 })).not.toHaveProperty('nextExpectedAt');
  });

  it('does not take the announcement of a late report for the newest', () => {
    const watch = noteReport(noteReport(none, { sequenceNumber: 2, nextExpectedAt: 9 }), {
      sequenceNumber: 1,
      nextExpectedAt: 5,
    });
    expect(watch.nextExpectedAt).toBe(9);
  });
});

describe('nextLookAt', () => {
  it('is at the pace while something is missing or nothing is announced', () => {
    const owed: ReportWatch = { highestSequence: 3, missing: [2], nextExpectedAt: 10_000_000 };
    for (const watch of [owed, none]) {
      expect(nextLookAt({ watch, hasWebhooks: true, at: 0 })).toBe(recoveryPaceMs.withWebhooks);
      expect(nextLookAt({ watch, hasWebhooks: false, at: 0 })).toBe(recoveryPaceMs.without);
    }
  });

  it('waits until an announced report is late', () => {
    const watch: ReportWatch = { highestSequence: 1, missing: [], nextExpectedAt: 10_000_000 };
    expect(nextLookAt({ watch, hasWebhooks: true, at: 0 })).toBe(10_000_000 + reportGraceMs);
  });

  it('takes a report for late by the delay that its seller declared, where it declared one', () => {
    const watch: ReportWatch = { highestSequence: 1, missing: [], nextExpectedAt: 10_000_000 };
    const hours = 4 * 3_600_000;
    expect(nextLookAt({ watch, hasWebhooks: true, expectedDelayMs: hours, at: 0 })).toBe(10_000_000 + hours);
    expect(nextLookAt({ watch, hasWebhooks: true, expectedDelayMs: 0, at: 0 })).toBe(10_000_000);
    const owed = { ...watch, missing: [2] };
    expect(nextLookAt({ watch: owed, hasWebhooks: true, expectedDelayMs: hours, at: 0 })).toBe(
      recoveryPaceMs.withWebhooks,
    );
  });
});
