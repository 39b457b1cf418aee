import { isOutdated, errorRule, type TaskError } from '@switchyard/protocol';
import {
  isAboutAccount,
  throughLogin,
  withoutAccount,
  type Connection,
  type TransportFailure,
} from '@switchyard/sellers';
import { defined, type Clock, type Instant } from '@switchyard/values';
import { queryOnce, type LegCall } from './query-once.js';
import type { LegAnswer } from './leg-answer.js';
import type { LegReport } from './fan-out.js';
import type { MarketQuestion } from '../market-question.js';
import { toolNameFor } from '../plan-market.js';
import { createHash } from 'node:crypto';

/**
 * Queries one planned seller, at most twice: again in another form if the seller no longer accepts ours, with its account
 * if it wants one, or in the same form if the failure may be temporary. There is no second query if the breaker is not closed.
 *
 * @param keepInterim receives the report that counts if the deadline comes before a second query ends.
 */
export async function queryLeg<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
  call: LegCall,
  keepInterim: (report: LegReport<LegAnswer<Answer>>) => void,
): Promise<LegReport<LegAnswer<Answer>>> {
  const { breakers, clock, deadlineMs } = question;
  const requestedAt = clock.now();
  const first = await queryOnce(question, call);
  keepInterim(first);
  const relearned = (await inItsForm(question, call, first)) ?? (await inItsAccount(question, call, first));
  if (relearned !== undefined)
    return spokenTo(relearned.leg.connection, received(first, await queryOnce(question, relearned)));
  const { id: connectionId } = call.leg.connection;
  const at = { connectionId, startedAt: requestedAt, now: clock.now(), endsAt: call.endsAt, deadlineMs };
  const pauseMs = pauseBeforeRetry(first, at);
  if (pauseMs === undefined || breakers.phaseOf(call.leg.ticket) !== 'closed') return first;
  if (!(await waited(clock, pauseMs, call.signal))) return first;
  if (breakers.phaseOf(call.leg.ticket) !== 'closed') return first;
  return received(first, await queryOnce(question, call));
}

/** Returns the same call in the seller's current form; `undefined` if its form has not changed. */
async function inItsForm<Request, Answer>(
  { relearn, spec }: MarketQuestion<Request, Answer>,
  call: LegCall,
  report: LegReport<LegAnswer<Answer>>,
): Promise<LegCall | undefined> {
  const errors = report.value?.errors ?? [];
  if (relearn === undefined || !isOutdated({ errors }) || call.signal.aborted) return undefined;
  const connection = await relearn(call.leg.connection).catch(() => undefined);
  // A feature that the seller does not support is not requested again here; the next request omits it.
  const isUnknown = errors.some(({ code }) => code === 'VERSION_UNSUPPORTED');
  if (!isUnknown || connection === undefined || connection.form === call.leg.connection.form)
    return undefined;
  const tool = toolNameFor(spec, connection);
  if (tool === undefined) return undefined;
  // It stays in the account and under the login that it was asked in.
  const { account, login } = call.leg.connection;
  const asked = { ...throughLogin(withoutAccount(connection), login), ...defined({ account }) };
  return { ...call, leg: { ...call.leg, connection: asked, tool } };
}

/** Returns the same call in an account, if the seller refused it for the lack of one. */
async function inItsAccount<Request, Answer>(
  { withAccount }: MarketQuestion<Request, Answer>,
  call: LegCall,
  report: LegReport<LegAnswer<Answer>>,
): Promise<LegCall | undefined> {
  const isWanted = call.leg.connection.account === undefined && report.value?.errors?.some(isAboutAccount);
  if (isWanted !== true || withAccount === undefined || call.signal.aborted) return undefined;
  const connection = await withAccount(call.leg.connection).catch(() => undefined);
  return connection && { ...call, leg: { ...call.leg, connection } };
}

/** Adds the current connection, so that the answer is read in its form. */
function spokenTo<Answer>(
  connection: Connection,
  report: LegReport<LegAnswer<Answer>>,
): LegReport<LegAnswer<Answer>> {
  return report.value === undefined ? report : { ...report, value: { ...report.value, connection } };
}

/** Returns the second result, unless the second query was not sent. */
function received<Answer>(
  first: LegReport<LegAnswer<Answer>>,
  second: LegReport<LegAnswer<Answer>>,
): LegReport<LegAnswer<Answer>> {
  if (second.value === undefined) return first;
  return { ...second, reason: `${second.reason} It was queried twice.` };
}

/** Returns false if the caller left or the deadline came during the pause. */
function waited(clock: Clock, pauseMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(pauseMs, () => {
      signal.removeEventListener('abort', leave);
      resolve(!signal.aborted);
    });
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

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
