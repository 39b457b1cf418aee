import type { Instant } from '@switchyard/values';

/** What is expected of one stream of delivery reports: there is no way to ask a seller for lost ones again. */
export interface ReportWatch {
  /** 0 until a numbered report came. */
  readonly highestSequence: number;
  /** Numbers that were passed over and have not come since. */
  readonly missing: readonly number[];
  readonly nextExpectedAt?: Instant;
}

/** A report that came, whatever the ledger made of it: it is not lost. */
export interface ReportSeen {
  readonly sequenceNumber?: number;
  readonly nextExpectedAt?: Instant;
}

/** How often a seller is asked while something is owed: with webhooks, and where there are none (tasks 14.3). */
export const recoveryPaceMs = { withWebhooks: 120_000, without: 30_000 } as const;

/** How late a report may be before the seller is asked instead, where it has not declared a delay itself. */
export const reportGraceMs = 120_000;

/** A hole of more than this is one loss, whatever its size: what is pulled covers it. */
const missingAtMost = 100;

/** Takes one report into the watch. A gap is a sign of loss and says nothing about which figure is right (tasks 10). */
export function noteReport(watch: ReportWatch, seen: ReportSeen): ReportWatch {
  const { sequenceNumber: number, nextExpectedAt } = seen;
  const expected = nextExpectedAt === undefined ? {} : { nextExpectedAt };
  const { nextExpectedAt: _before, ...rest } = watch;
  if (number === undefined || number < 1) return { ...rest, ...expected };
  if (number <= watch.highestSequence) {
    const missing = watch.missing.filter((one) => one !== number);
    return { ...watch, missing };
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

export interface WatchState {
  readonly watch: ReportWatch;
  readonly hasWebhooks: boolean;
  /** What the seller declared of its products, the longest of them, in milliseconds. */
  readonly expectedDelayMs?: number;
  readonly at: Instant;
}

/**
 * When the seller is asked next. With nothing missing and a report announced, not before that is late: the announced
 * time, and the delay that the seller itself declared for its reports (tasks 15, R24).
 */
export function nextLookAt({ watch, hasWebhooks, expectedDelayMs, at }: WatchState): Instant {
  const pace = hasWebhooks ? recoveryPaceMs.withWebhooks : recoveryPaceMs.without;
  if (watch.missing.length > 0 || watch.nextExpectedAt === undefined) return at + pace;
  return Math.max(at + pace, watch.nextExpectedAt + (expectedDelayMs ?? reportGraceMs));
}
