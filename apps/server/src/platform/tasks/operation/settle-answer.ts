import type { Mutated, OperationState } from '@switchyard/buys';
import type { Finding, WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { awaitDuplicate } from './await-duplicate.js';
import type { Handled, HandledCall, HandlerDeps } from '../call/handler.js';
import { storedAnswer, readStoredAnswer } from '../answer/stored-answer.js';
import { mutationOutcome } from './operation-outcome.js';
import { withOurs } from '../answer/extend-answer.js';

/**
 * The answer to a mutation: the first answer if this is a replay, else the operation's current result, which is stored
 * for replays. Errors are not stored, so that a corrected request may use its key again.
 */
export async function settleAnswer(
  deps: HandlerDeps,
  { scope, version }: Pick<HandledCall<unknown>, 'scope' | 'version'>,
  { state, replayed, findings = [] }: Mutated & { readonly findings?: readonly Finding[] },
): Promise<Handled> {
  const counterpart = replayed ? await awaitDuplicate(deps, scope, state, isAnswered) : { state };
  if (counterpart.busy !== undefined) return { kind: 'failed', errors: [counterpart.busy] };
  const known = counterpart.state;
  const before = replayed ? readStoredAnswer(known.operation.answer) : undefined;
  const { id: operationId, taskId: storedTaskId } = known.operation;
  if (before !== undefined) return { ...before, operationId, storedTaskId, replayed: true };
  const outcome = withoutLegs(mutationOutcome(known, version.profile), known, findings, version.profile);
  if (outcome.kind === 'failed') return outcome;
  await deps.ports.store.saveAnswer(scope, operationId, storedAnswer(outcome), deps.ports.clock.now());
  return replayed ? { ...outcome, replayed: true } : outcome;
}

/** Findings are stored with the first leg of an operation; without legs they are added here. */
function withoutLegs(
  outcome: Handled,
  { legs }: OperationState,
  findings: readonly Finding[],
  profile: WireProfile,
): Handled {
  if (outcome.kind !== 'done' || legs.length > 0) return outcome;
  const received = findings.map((finding): JsonObject => ({ ...finding }));
  return { ...outcome, payload: withOurs(outcome.payload, { findings: received }, profile) };
}

function isAnswered({ operation: { answer, status } }: OperationState): boolean {
  return answer !== undefined || status === 'failed' || status === 'rejected' || status === 'canceled';
}
