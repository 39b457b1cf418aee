import type { OperationState } from '@switchyard/buys';
import { taskError, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { HandlerDeps } from '../handler.js';
import { mutationTimeoutMs } from './patience.js';

/** By this age an operation's first answer was given, or whoever should have given it is gone. */
const answeredByMs = mutationTimeoutMs + 5_000;
/** How long a repetition waits for the first copy of its request (docs/protocol/idempotency.md#concurrent-copies). */
const twinPatienceMs = 5_000;
const lookAgainMs = 50;

/** What the first copy has come to; with `busy`, that it is still at it. */
export interface Counterpart {
  readonly state: OperationState;
  readonly busy?: TaskError;
}

/**
 * Waits a little for the first copy of a request, so that both are told the same. One that takes longer is left to its
 * work: the repetition is told when to come again. One that never got any answer, because its process died, is found as
 * it stands.
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
    if (now >= begun + twinPatienceMs) return { state, busy: inFlight(createdAt + answeredByMs - now) };
    await new Promise<void>((resolve) => {
      ports.clock.after(lookAgainMs, resolve);
    });
    state = (await ports.store.state(scope, id)) ?? state;
  }
}

function inFlight(leftMs: number): TaskError {
  return taskError('IDEMPOTENCY_IN_FLIGHT', 'The first request under this idempotency key is under way.', {
    suggestion: 'Repeat the same request under the same key.',
    retryAfter: Math.max(1, Math.ceil(leftMs / 1_000)),
  });
}
