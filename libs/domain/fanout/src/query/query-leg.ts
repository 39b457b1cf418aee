import { isOutdated } from '@switchyard/protocol';
import { isAboutAccount, throughLogin, withoutAccount, type Connection } from '@switchyard/sellers';
import { defined, type Clock } from '@switchyard/values';
import { queryOnce, type LegCall } from './query-once.js';
import type { LegAnswer } from './leg-answer.js';
import type { LegReport } from './fan-out.js';
import type { MarketQuestion } from '../market-question.js';
import { pauseBeforeRetry } from './pause-before-retry.js';
import { toolNameFor } from './tool-name.js';

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
