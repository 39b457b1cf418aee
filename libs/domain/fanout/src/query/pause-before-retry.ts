import { createHash } from 'node:crypto';
import { errorRule, type TaskError } from '@switchyard/protocol';
import type { TransportFailure } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import type { LegAnswer } from './leg-answer.js';
import type { LegReport } from './fan-out.js';

/** The times of a query, in milliseconds: its start, now, and the end by which an answer must arrive. */
interface QueryTimes {
  readonly connectionId: string;
  readonly startedAt: Instant;
  readonly now: Instant;
  readonly endsAt: Instant;
  readonly deadlineMs: number;
}

/** Maximum pause of one caller for one seller, in milliseconds (docs/protocol/errors.md#sending-again). */
const longestPauseMs = 2_000;
/** Maximum share of the time for one seller's pause, because all other answers wait for it. */
const partForPause = 0.05;
/** Minimum time for a second try, in milliseconds. */
const leastMs = 500;

/** Statuses of temporary failures. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Returns the pause in milliseconds before a query is repeated; `undefined` if it is not repeated: it did not fail, the
 * failure is permanent, or there is less time left than the first try took. A seller's `retry_after` has precedence.
 * Only reads are repeated this way, because they change nothing.
 */
export function pauseBeforeRetry(report: LegReport<LegAnswer<unknown>>, at: QueryTimes): number | undefined {
  if (!mayPass(report)) return undefined;
  const pauseMs = retryAfterMs(report.value?.errors ?? []) ?? ownPause(at);
  const needsMs = Math.max(leastMs, at.now - at.startedAt);
  return at.now + pauseMs + needsMs <= at.endsAt ? pauseMs : undefined;
}

function mayPass({ status, value }: LegReport<LegAnswer<unknown>>): boolean {
  if (value?.failure !== undefined) return isPassing(value.failure);
  const errors = value?.errors ?? [];
  return status === 'refused' && errors.length > 0 && errors.every(isTransient);
}

function isPassing({ code, httpStatus }: TransportFailure): boolean {
  if (code === 'http_error') return httpStatus !== undefined && passingStatuses.has(httpStatus);
  return code === 'unreachable';
}

function isTransient({ code, recovery }: TaskError): boolean {
  return (recovery ?? errorRule(code).recovery) === 'transient';
}

function retryAfterMs(errors: readonly TaskError[]): number | undefined {
  const received = errors.flatMap(({ retryAfter }) => (retryAfter === undefined ? [] : [retryAfter * 1_000]));
  return received.length === 0 ? undefined : Math.max(...received);
}

/** Varied by a quarter, so that sellers that failed together are not queried together again. */
function ownPause({ connectionId, startedAt, deadlineMs }: QueryTimes): number {
  const spread =
    createHash('sha256').update(`${connectionId} ${startedAt}`).digest().readUInt16BE(0) / 0xffff;
  return Math.round(Math.min(longestPauseMs, deadlineMs * partForPause) * (0.75 + spread / 2));
}
