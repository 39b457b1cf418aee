import { activateSignal as activate } from '@switchyard/buys';
import type { ActivateSignalRequest } from '@switchyard/protocol';
import { hiddenSellers } from '../platform/tasks/gates/find-client.js';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { mutationOf } from '../platform/tasks/operation/mutation.js';
import { settleAnswer } from '../platform/tasks/operation/operation-outcome.js';

export async function activateSignal(
  deps: HandlerDeps,
  handled: HandledCall<ActivateSignalRequest>,
): Promise<Handled> {
  const id = handled.request.segmentId;
  const hidden = await hiddenSellers(deps, handled, [{ field: 'signal_agent_segment_id', id }]);
  if (hidden.length > 0) return { kind: 'failed', errors: hidden };
  const done = await activate(deps.ports, mutationOf(deps, handled));
  return done.ok ? settleAnswer(deps, handled, done.value) : { kind: 'failed', errors: done.error };
}
