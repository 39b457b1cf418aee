import type { Mutated, OperationState } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { Handled, HandledCall, HandlerParts } from './handler.js';
import { keptAnswer, readKeptAnswer } from './kept-answer.js';
import { outcomeOf } from './operation-outcome.js';
import { mutationPatienceMs } from './patience.js';

/** By this age an operation's first answer was given, or whoever should have given it is gone. */
const answeredByMs = mutationPatienceMs + 5_000;
const lookAgainMs = 50;

/**
 * The answer to a mutation: what was answered first when this is a replay, else what the operation has come to,
 * kept for the replays to come. Errors are not kept, so that a repaired request may use its key again.
 */
export async function settleAnswer(
  parts: HandlerParts,
  { scope, version }: Pick<HandledCall<unknown>, 'scope' | 'version'>,
  { state, replayed }: Mutated,
): Promise<Handled> {
  const known = replayed ? await firstAnswered(parts, scope, state) : state;
  const before = replayed ? readKeptAnswer(known.operation.answer) : undefined;
  if (before !== undefined) return { ...before, operationId: known.operation.id, replayed: true };
  const outcome = outcomeOf(known, version.voice);
  if (outcome.kind === 'failed') return outcome;
  await parts.ports.store.saveAnswer(scope, known.operation.id, keptAnswer(outcome), parts.ports.clock.now());
  return replayed ? { ...outcome, replayed: true } : outcome;
}

/**
 * Waits until the first copy of a request has its answer, so that both are told the same. One that never got any,
 * because its process died, is answered from what is known by now.
 */
async function firstAnswered(
  { ports }: HandlerParts,
  scope: TenantScope,
  first: OperationState,
): Promise<OperationState> {
  const { id, createdAt } = first.operation;
  for (let state = first; ;) {
    const { answer, status } = state.operation;
    const hasFailed = status === 'failed' || status === 'rejected' || status === 'canceled';
    if (answer !== undefined || hasFailed || ports.clock.now() >= createdAt + answeredByMs) return state;
    await new Promise<void>((resolve) => {
      ports.clock.after(lookAgainMs, resolve);
    });
    state = (await ports.store.state(scope, id)) ?? state;
  }
}
