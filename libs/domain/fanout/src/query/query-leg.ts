import { isOutdated } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Clock } from '@switchyard/values';
import { queryOnce, type LegCall } from './ask-once.js';
import type { LegAnswer } from './query-seller.js';
import type { LegReport } from './leg-report.js';
import type { MarketQuestion } from '../market-question.js';
import { pauseBeforeAgain } from './pause-before-again.js';
import { toolNameFor } from './tool-name.js';

/**
 * Asks one planned seller, and once more at most: in another form where it does not know ours any longer, or the same
 * where what went wrong may pass in time. A seller whose breaker is not closed is not asked twice.
 *
 * @param keep is given what stands where the time is up before a second try is over.
 */
export async function queryLeg<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
  call: LegCall,
  keep: (report: LegReport<LegAnswer<Answer>>) => void,
): Promise<LegReport<LegAnswer<Answer>>> {
  const { breakers, clock, deadlineMs } = question;
  const requestedAt = clock.now();
  const first = await queryOnce(question, call);
  keep(first);
  const relearned = await inItsForm(question, call, first);
  if (relearned !== undefined)
    return spokenTo(relearned.leg.connection, received(first, await queryOnce(question, relearned)));
  const { id: connectionId } = call.leg.connection;
  const at = { connectionId, askedAt: requestedAt, now: clock.now(), endsAt: call.endsAt, deadlineMs };
  const pauseMs = pauseBeforeAgain(first, at);
  if (pauseMs === undefined || breakers.phaseOf(call.leg.ticket) !== 'closed') return first;
  if (!(await waited(clock, pauseMs, call.signal))) return first;
  if (breakers.phaseOf(call.leg.ticket) !== 'closed') return first;
  return received(first, await queryOnce(question, call));
}

/** The same call as the seller wants it now; nothing where it speaks what we took it to speak. */
async function inItsForm<Request, Answer>(
  { relearn, spec }: MarketQuestion<Request, Answer>,
  call: LegCall,
  report: LegReport<LegAnswer<Answer>>,
): Promise<LegCall | undefined> {
  const errors = report.value?.errors ?? [];
  if (relearn === undefined || !isOutdated({ errors }) || call.signal.aborted) return undefined;
  const connection = await relearn(call.leg.connection).catch(() => undefined);
  // A feature that the seller does not offer is not requested again; the next request takes it into account.
  const isUnknown = errors.some(({ code }) => code === 'VERSION_UNSUPPORTED');
  if (!isUnknown || connection === undefined || connection.form === call.leg.connection.form)
    return undefined;
  const tool = toolNameFor(spec, connection);
  if (tool === undefined) return undefined;
  return { ...call, leg: { ...call.leg, connection, tool } };
}

/** Adds the current connection, so that the answer is read in its form. */
function spokenTo<Answer>(
  connection: Connection,
  report: LegReport<LegAnswer<Answer>>,
): LegReport<LegAnswer<Answer>> {
  return report.value === undefined ? report : { ...report, value: { ...report.value, connection } };
}

/** The second result, unless the seller was not queried again. */
function received<Answer>(
  first: LegReport<LegAnswer<Answer>>,
  second: LegReport<LegAnswer<Answer>>,
): LegReport<LegAnswer<Answer>> {
  if (second.value === undefined) return first;
  return { ...second, reason: `${second.reason} It was asked twice.` };
}

/** False where the caller left or the time ended before the pause. */
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
