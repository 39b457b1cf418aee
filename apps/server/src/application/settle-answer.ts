import type { Mutated, OperationState } from '@switchyard/buys';
import { awaitTwin } from './await-twin.js';
import type { Handled, HandledCall, HandlerParts } from './handler.js';
import { keptAnswer, readKeptAnswer } from './kept-answer.js';
import { outcomeOf } from './operation-outcome.js';

/**
 * The answer to a mutation: what was answered first when this is a replay, else what the operation has come to,
 * kept for the replays to come. Errors are not kept, so that a repaired request may use its key again.
 */
export async function settleAnswer(
  parts: HandlerParts,
  { scope, version }: Pick<HandledCall<unknown>, 'scope' | 'version'>,
  { state, replayed }: Mutated,
): Promise<Handled> {
  const twin = replayed ? await awaitTwin(parts, scope, state, isAnswered) : { state };
  if (twin.busy !== undefined) return { kind: 'failed', errors: [twin.busy] };
  const known = twin.state;
  const before = replayed ? readKeptAnswer(known.operation.answer) : undefined;
  if (before !== undefined) return { ...before, operationId: known.operation.id, replayed: true };
  const outcome = outcomeOf(known, version.voice);
  if (outcome.kind === 'failed') return outcome;
  await parts.ports.store.saveAnswer(scope, known.operation.id, keptAnswer(outcome), parts.ports.clock.now());
  return replayed ? { ...outcome, replayed: true } : outcome;
}

function isAnswered({ operation: { answer, status } }: OperationState): boolean {
  return answer !== undefined || status === 'failed' || status === 'rejected' || status === 'canceled';
}
