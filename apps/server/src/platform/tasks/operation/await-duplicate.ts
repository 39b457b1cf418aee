import type { OperationState } from '@switchyard/buys';
import { taskError, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { HandlerDeps } from '../call/handler.js';
import { mutationTimeoutMs } from '../call/timeout.js';

/** At this age an operation was answered or the process that should have answered is dead. Milliseconds. */
const answeredByMs = mutationTimeoutMs + 5_000;
/** How long a repetition waits for the first copy of its request (docs/protocol/idempotency.md#concurrent-copies). */
export const duplicateTimeoutMs = 5_000;
const pollMs = 50;

/** The result of the first copy; `busy` if it is still running. */
interface Counterpart {
  readonly state: OperationState;
  readonly busy?: TaskError;
}

/**
 * Waits a little for the first copy of a request, so that both get the same answer. If the first takes longer, the
 * repetition gets the time of a retry. A first copy without an answer, because its process died, is answered in its
 * current state.
 */
export async function awaitDuplicate(
  { ports }: Pick<HandlerDeps, 'ports'>,
  scope: TenantScope,
  first: OperationState,
  isNotified: (state: OperationState) => boolean,
): Promise<Counterpart> {
  const { id, createdAt } = first.operation;
  const begun = ports.clock.now();
  for (let state = first; ;) {
    const now = ports.clock.now();
    if (isNotified(state) || now >= createdAt + answeredByMs) return { state };
    if (now >= begun + duplicateTimeoutMs) return { state, busy: inFlight(createdAt + answeredByMs - now) };
    await pause(ports.clock);
    state = (await ports.store.state(scope, id)) ?? state;
  }
}

/** Waits until the first copy is looked at again. */
export function pause(clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    clock.after(pollMs, resolve);
  });
}

export function inFlight(leftMs: number): TaskError {
  return taskError('IDEMPOTENCY_IN_FLIGHT', 'The first request with this idempotency key is still running.', {
    suggestion: 'Repeat the same request with the same key.',
    retryAfter: Math.max(1, Math.ceil(leftMs / 1_000)),
  });
}
