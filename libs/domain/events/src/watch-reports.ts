import type { Instant } from '@switchyard/values';

/** The expected reports of one stream. Sellers cannot send lost reports again on request. */
export interface ReportWatch {
  /** 0 until the first numbered report. */
  readonly highestSequence: number;
  /** Skipped numbers that have not arrived since. */
  readonly missing: readonly number[];
  readonly nextExpectedAt?: Instant;
  /** When the seller expects delayed figures, earliest first. */
  readonly figuresExpectedAt: readonly Instant[];
}

/** A received report, whatever the ledger decided about it: it is not lost. */
export interface ReportSeen {
  readonly sequenceNumber?: number;
  readonly nextExpectedAt?: Instant;
  /** One time for each delayed row with an expected time. */
  readonly figuresExpectedAt?: readonly Instant[];
}

/**
 * Milliseconds between two polls while reports are missing: with webhooks, and without
 * (docs/protocol/delivery.md#missing-reports).
 */
export const recoveryPaceMs = { withWebhooks: 120_000, without: 30_000 } as const;

/** How late a report may be before the seller is polled, in milliseconds, without a declared delay. */
export const reportGraceMs = 120_000;

/**
 * Maximum time between two polls of a seller whose reports arrive in time, in milliseconds: reports contain
 * neither the seller's own changes of a buy nor its impairments (docs/protocol/delivery.md#missing-reports).
 */
export const longestQuietMs = 24 * 3_600_000;

/** A larger gap counts as one loss, because one pull covers it. */
const missingAtMost = 100;
/** Only this many times are kept, the earliest ones. */
const expectedAtMost = 100;

/**
 * Applies one report to the watch. A gap shows a loss, and says nothing about which figure is right
 * (docs/protocol/delivery.md#missing-reports).
 */
export function recordReport(watch: ReportWatch, seen: ReportSeen): ReportWatch {
  const { sequenceNumber: number, nextExpectedAt } = seen;
  const expected = {
    ...(nextExpectedAt === undefined ? {} : { nextExpectedAt }),
    figuresExpectedAt: earliest([...watch.figuresExpectedAt, ...(seen.figuresExpectedAt ?? [])]),
  };
  const { nextExpectedAt: _before, ...rest } = watch;
  if (number === undefined || number < 1) return { ...rest, ...expected };
  if (number <= watch.highestSequence) {
    const missing = watch.missing.filter((missed) => missed !== number);
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

/** One poll of a seller, with the watch before it and its result. */
export interface ReportPoll {
  /** The watch before the poll. */
  readonly watch: ReportWatch;
  readonly at: Instant;
  /** Whether the figures now agree, so that numbers missing before the poll are no longer missing. */
  readonly isRecovered: boolean;
  /** Times until which the answer delays figures. */
  readonly postponedUntil: readonly Instant[];
}

/**
 * Applies one poll to the current watch. Of the watch before the poll, recovered numbers are removed from
 * `missing`, and past times from `figuresExpectedAt`; the times in the answer are added. What reports changed
 * since the poll began is kept, because the answer may be older.
 */
export function recordPoll(
  watch: ReportWatch,
  { watch: seen, at, isRecovered, postponedUntil }: ReportPoll,
): ReportWatch {
  const isOver = (time: Instant): boolean => time <= at && seen.figuresExpectedAt.includes(time);
  return {
    ...watch,
    missing: isRecovered ? watch.missing.filter((number) => !seen.missing.includes(number)) : watch.missing,
    figuresExpectedAt: earliest([
      ...watch.figuresExpectedAt.filter((time) => !isOver(time)),
      ...postponedUntil.filter((time) => time > at),
    ]),
  };
}

export interface WatchState {
  readonly watch: ReportWatch;
  readonly hasWebhooks: boolean;
  /** The longest delay that the seller declared for its products, in milliseconds. */
  readonly expectedDelayMs?: number;
  readonly at: Instant;
  /** When the seller was polled last; default `at`. */
  readonly polledAt?: Instant;
}

/**
 * When the seller is polled next. With nothing missing and a report announced: when that report is late,
 * which is the announced time plus the declared delay (docs/protocol/delivery.md#missing-reports). Earlier
 * where delayed figures are expected before; never sooner than the pace
 * (docs/protocol/delivery.md#missing-reports), and at the latest a day after the last poll.
 */
export function nextPollAt({ watch, hasWebhooks, expectedDelayMs, at, polledAt = at }: WatchState): Instant {
  const pace = hasWebhooks ? recoveryPaceMs.withWebhooks : recoveryPaceMs.without;
  if (watch.missing.length > 0 || watch.nextExpectedAt === undefined) return at + pace;
  const late = watch.nextExpectedAt + (expectedDelayMs ?? reportGraceMs);
  const [available = late] = watch.figuresExpectedAt;
  return Math.max(at + pace, Math.min(late, available, polledAt + longestQuietMs));
}
