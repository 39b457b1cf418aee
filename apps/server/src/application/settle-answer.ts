import type { Mutated } from '@switchyard/buys';
import type { HandledCall, HandlerParts, Handled } from './handler.js';
import { outcomeOf } from './operation-outcome.js';
import { readKeptAnswer, keptAnswer } from './kept-answer.js';

/**
 * The answer to a mutation: what was answered first when this is a replay, else what the operation has come to,
 * kept for the replays to come. Errors are not kept, so that a repaired request may use its key again.
 */
export async function settleAnswer(
  parts: HandlerParts,
  { scope, version }: Pick<HandledCall<unknown>, 'scope' | 'version'>,
  { state, replayed }: Mutated,
): Promise<Handled> {
  const before = replayed ? readKeptAnswer(state.operation.answer) : undefined;
  if (before !== undefined) return { ...before, operationId: state.operation.id, replayed: true };
  const outcome = outcomeOf(state, version.voice);
  if (outcome.kind === 'failed') return outcome;
  await parts.ports.store.saveAnswer(scope, state.operation.id, keptAnswer(outcome), parts.ports.clock.now());
  return replayed ? { ...outcome, replayed: true } : outcome;
}
