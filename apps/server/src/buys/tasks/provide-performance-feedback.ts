import { provideFeedback, type Mutated } from '@switchyard/buys';
import {
  providePerformanceFeedback as task,
  type PerformanceFeedbackRequest,
  taskError,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { whyNotFound } from '../../platform/tasks/gates/reach-of-task.js';
import { mutationOf } from '../../platform/tasks/operation/mutation.js';
import { writeAnswer } from '../../platform/tasks/answer/write-answer.js';
import { allSettled } from './all-settled.js';
import { awaitDuplicate } from '../../platform/tasks/operation/await-duplicate.js';
import { storedAnswer, readStoredAnswer } from '../../platform/tasks/answer/stored-answer.js';
import { legRows } from '../../platform/tasks/answer/leg-rows.js';
import { errorsOf } from '../../platform/tasks/operation/operation-outcome.js';
import { withFindings, withSellerErrors } from '../../platform/tasks/answer/extend-answer.js';

export async function providePerformanceFeedback(
  deps: HandlerDeps,
  handled: HandledCall<PerformanceFeedbackRequest>,
): Promise<Handled> {
  const done = await provideFeedback({ ...deps.ports, creatives: deps.creatives }, mutationOf(deps, handled));
  if (!done.ok) return { kind: 'failed', errors: await whyNotFound(deps, handled, done.error) };
  return settleAtOnce(
    deps,
    handled,
    done.value,
    writeAnswer(task, { success: true }, handled.version.profile),
  );
}

/**
 * The answer of a mutation that has no task to read later. It succeeds if one seller accepted; the rows have the
 * results of the others. It is stored for replays once every seller has answered: until then a repetition with the same
 * key gets the current state, and no seller is called again.
 */
async function settleAtOnce(
  deps: HandlerDeps,
  { scope, version }: Pick<HandledCall<unknown>, 'scope' | 'version'>,
  { state: found, replayed }: Mutated,
  payload: JsonObject,
): Promise<Handled> {
  const { state, busy } = replayed ? await awaitDuplicate(deps, scope, found, allSettled) : { state: found };
  const { operation, legs } = state;
  const common = { sellers: legRows(state), operationId: operation.id };
  const before = replayed ? readStoredAnswer(operation.answer) : undefined;
  if (before !== undefined) return { ...before, operationId: operation.id, replayed: true };
  const isAllOver = allSettled(state);
  if (!legs.some((leg) => leg.status === 'completed')) {
    const beside = withFindings({}, state, version.profile);
    if (isAllOver) return { kind: 'failed', errors: errorsOf(state), beside, ...common };
    if (busy !== undefined) return { kind: 'failed', errors: [busy], ...common };
    const unknown = taskError('SERVICE_UNAVAILABLE', 'No seller has reported an outcome yet.', {
      suggestion: 'Repeat the same request with the same key.',
      retryAfter: 30,
    });
    return { kind: 'failed', errors: [unknown], ...common };
  }
  const done = {
    kind: 'done' as const,
    status: 'completed' as const,
    payload: withSellerErrors(withFindings(payload, state, version.profile), state, version.profile),
    ...common,
  };
  if (isAllOver)
    await deps.ports.store.saveAnswer(scope, operation.id, storedAnswer(done), deps.ports.clock.now());
  return replayed ? { ...done, replayed: true } : done;
}
