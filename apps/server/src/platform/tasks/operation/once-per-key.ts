import { claimLocal, type OperationState } from '@switchyard/buys';
import type { JsonObject } from '@switchyard/values';
import { awaitDuplicate } from './await-duplicate.js';
import type { Handled, HandledCall, HandlerDeps } from '../call/handler.js';
import { storedAnswer, readStoredAnswer } from '../answer/stored-answer.js';
import { mutationOf } from './mutation.js';

/**
 * Runs a change without legs once per key (docs/protocol/idempotency.md#keys-of-buyers), and stores its answer. A
 * repetition waits a little for the first copy. If the first copy died before its answer, the work is done again, so it
 * must be idempotent. A failure releases the key. `stored` is what is stored of the request.
 */
export async function oncePerKey(
  deps: HandlerDeps,
  handled: HandledCall<{ readonly idempotencyKey?: string; readonly context?: JsonObject }>,
  stored: JsonObject,
  work: (operationId: string) => Promise<Handled>,
): Promise<Handled> {
  const { scope, spec } = handled;
  const { store, clock } = deps.ports;
  const claimed = await claimLocal(deps.ports, spec.name, mutationOf(deps, handled), stored);
  if (!claimed.ok) return { kind: 'failed', errors: claimed.error };
  const { operation } = claimed.value;
  const isReplay = claimed.value.kind === 'replay';
  if (isReplay) {
    const first = { operation, legs: [], sellerBuys: [], packages: [] };
    const counterpart = await awaitDuplicate(deps, scope, first, isNotified);
    if (counterpart.busy !== undefined) return { kind: 'failed', errors: [counterpart.busy] };
    const before = readStoredAnswer(counterpart.state.operation.answer);
    if (before !== undefined) return { operationId: operation.id, ...before, replayed: true };
    // The first copy failed while this one waited: the key is free, and this copy is the first now.
    if (counterpart.state.operation.status === 'failed') return oncePerKey(deps, handled, stored, work);
  }
  let done: Handled | undefined;
  try {
    done = await work(operation.id);
  } finally {
    if (done?.kind !== 'done') await store.abandon(scope, operation.id, clock.now());
  }
  if (done.kind === 'failed') return done;
  const received = { operationId: operation.id, ...done };
  await store.saveAnswer(scope, operation.id, storedAnswer(received), clock.now());
  return isReplay ? { ...received, replayed: true } : received;
}

function isNotified({ operation: { answer, status } }: OperationState): boolean {
  return answer !== undefined || status === 'failed';
}
