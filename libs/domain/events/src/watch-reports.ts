import type { Instant } from '@switchyard/values';

/** What is expected of one stream of delivery reports: there is no way to ask a seller for lost ones again. */
export interface ReportWatch {
  /** 0 until a numbered report came. */
  readonly highestSequence: number;
  /** Numbers that were passed over and have not come since. */
  readonly missing: readonly number[];
  readonly nextExpectedAt?: Instant;
  /** When its seller expects to have figures that it has put off, earliest first. */
  readonly figuresExpectedAt: readonly Instant[];
}

/** A report that came, whatever the ledger made of it: it is not lost. */
export interface ReportSeen {
  readonly sequenceNumber?: number;
  readonly nextExpectedAt?: Instant;
  /** For each of its rows that is delayed and says until when. */
  readonly figuresExpectedAt?: readonly Instant[];
}

/**
 * How often a seller is asked while something is owed: with webhooks, and where there are none
 * (docs/protocol/delivery.md#missing-reports).
 */
export const recoveryPaceMs = { withWebhooks: 120_000, without: 30_000 } as const;

/** How late a report may be before the seller is asked instead, where it has not declared a delay itself. */
export const reportGraceMs = 120_000;

/**
 * How long a seller whose reports all come in time is left alone at most: what it does to a buy by itself, and what hurts
 * the buy there, no report says (docs/protocol/delivery.md#missing-reports).
 */
export const longestQuietMs = 24 * 3_600_000;

/** A hole of more than this is one loss, whatever its size: what is pulled covers it. */
const missingAtMost = 100;
/** Of more times than these the earliest are kept. */
const expectedAtMost = 100;

/**
 * Takes one report into the watch. A gap is a sign of loss and says nothing about which figure is right
 * (docs/protocol/delivery.md#missing-reports).
 */
export function noteReport(watch: ReportWatch, seen: ReportSeen): ReportWatch {
  const { sequenceNumber: number, nextExpectedAt } = seen;
  const expected = {
    ...(nextExpectedAt === undefined ? {} : { nextExpectedAt }),
    figuresExpectedAt: earliest([...watch.figuresExpectedAt, ...(seen.figuresExpectedAt ?? [])]),
  };
  const { nextExpectedAt: _before, ...rest } = watch;
  if (number === undefined || number < 1) return { ...rest, ...expected };
  if (number <= watch.highestSequence) {
    const missing = watch.missing.filter((one) => one !== number);
    return { ...watch, missing, figuresExpectedAt: expected.figuresExpectedAt };
  }
  const from = Math.max(watch.highestSequence + 1, number - missingAtMost);
  const skipped = Array.from({ length: number - from }, (_, index) => from + index);
  return {
    ...rest,
    ...expected,
    highestSequence: number,
    missing: [...watch.missing, ...skipped].slice(-missingAtMost),
  };
}

function earliest(times: readonly Instant[]): readonly Instant[] {
  return [...new Set(times)].sort((one, other) => one - other).slice(0, expectedAtMost);
}

/** One look at a seller: what it set out with, and what it brought. */
export interface ReportPoll {
  /** The watch as it stood before the seller was asked. */
  readonly watch: ReportWatch;
  readonly at: Instant;
  /** Whether the figures agree now, so that nothing is missing any more that was when the look began. */
  readonly isMadeGood: boolean;
  /** Until when the answer puts figures off. */
  readonly putOffUntil: readonly Instant[];
}

/**
 * Takes one look at the seller into the watch as it stands now. Of what the look set out with, numbers that it made good
 * are missing no more, and times that have come are over, whatever it brought; those that its answer puts figures off
 * until are waited for. What reports have said since it set out stays: the answer may be older.
 */
export function recordPoll(
  watch: ReportWatch,
  { watch: seen, at, isMadeGood, putOffUntil }: ReportPoll,
): ReportWatch {
  const isOver = (time: Instant): boolean => time <= at && seen.figuresExpectedAt.includes(time);
  return {
    ...watch,
    missing: isMadeGood ? watch.missing.filter((one) => !seen.missing.includes(one)) : watch.missing,
    figuresExpectedAt: earliest([
      ...watch.figuresExpectedAt.filter((time) => !isOver(time)),
      ...putOffUntil.filter((time) => time > at),
    ]),
  };
}

export interface WatchState {
  readonly watch: ReportWatch;
  readonly hasWebhooks: boolean;
  /** What the seller declared of its products, the longest of them, in milliseconds. */
  readonly expectedDelayMs?: number;
  readonly at: Instant;
  /** When the seller was asked last; `at` where that is now. */
  readonly lookedAt?: Instant;
}

/**
 * When the seller is asked next. With nothing missing and a report announced, not before that is late: the announced
 * time, and the delay that the seller itself declared for its reports (docs/protocol/delivery.md#missing-reports).
 * Sooner where it has put figures off until a time before that, never sooner than the pace
 * (docs/protocol/delivery.md#missing-reports), and a day after the last look at the latest.
 */
export function nextLookAt({ watch, hasWebhooks, expectedDelayMs, at, lookedAt = at }: WatchState): Instant {
  const pace = hasWebhooks ? recoveryPaceMs.withWebhooks : recoveryPaceMs.without;
  if (watch.missing.length > 0 || watch.nextExpectedAt === undefined) return at + pace;
  const late = watch.nextExpectedAt + (expectedDelayMs ?? reportGraceMs);
  const [available = late] = watch.figuresExpectedAt;
  return Math.max(at + pace, Math.min(late, available, lookedAt + longestQuietMs));
}
