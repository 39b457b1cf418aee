import { claimLocal, type OperationState } from '@switchyard/buys';
import type { JsonObject } from '@switchyard/values';
import { awaitDuplicate } from './await-duplicate.js';
import type { Handled, HandledCall, HandlerDeps } from '../handler.js';
import { storedAnswer, readStoredAnswer } from '../answer/stored-answer.js';
import { mutationOf } from './mutation.js';

/**
 * Does a change that has no legs of its own once for its key (docs/protocol/idempotency.md#keys-of-buyers), and keeps
 * what it was answered. A repetition waits for the first copy a little. One whose first copy died before it was
 * answered does the work again, which has to be such that twice is as good as once. What failed gives its key free.
 * `stored` is what is kept of the request.
 */
export async function oncePerKey(
  deps: HandlerDeps,
  handled: HandledCall<{ readonly idempotencyKey?: string; readonly context?: JsonObject }>,
  stored: JsonObject,
  work: () => Promise<Handled>,
): Promise<Handled> {
  const { scope, spec } = handled;
  const { store, clock } = deps.ports;
  const claimed = await claimLocal(deps.ports, spec.name, mutationOf(deps, handled), stored);
  if (!claimed.ok) return { kind: 'failed', errors: claimed.error };
  const { operation } = claimed.value;
  const isReplay = claimed.value.kind === 'replay';
  if (isReplay) {
    const first = { operation, legs: [], sellerBuys: [], packages: [] };
    const twin = await awaitDuplicate(deps, scope, first, isNotified);
    if (twin.busy !== undefined) return { kind: 'failed', errors: [twin.busy] };
    const before = readStoredAnswer(twin.state.operation.answer);
    if (before !== undefined) return { operationId: operation.id, ...before, replayed: true };
    // The first copy came to nothing while this one waited: the key is free, and this is a first one.
    if (twin.state.operation.status === 'failed') return oncePerKey(deps, handled, stored, work);
  }
  let done: Handled | undefined;
  try {
    done = await work();
  } finally {
    if (done?.kind !== 'done') await store.giveUp(scope, operation.id, clock.now());
  }
  if (done.kind === 'failed') return done;
  const received = { operationId: operation.id, ...done };
  await store.saveAnswer(scope, operation.id, storedAnswer(received), clock.now());
  return isReplay ? { ...received, replayed: true } : received;
}

function isNotified({ operation: { answer, status } }: OperationState): boolean {
  return answer !== undefined || status === 'failed';
}
