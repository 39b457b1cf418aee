import { updateMediaBuy as update } from '@switchyard/buys';
import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { whyNotFound } from '../../platform/tasks/gates/reach-of-task.js';
import { mutationOf } from '../../platform/tasks/operation/mutation.js';
import { settleAnswer } from '../../platform/tasks/operation/operation-outcome.js';

export async function updateMediaBuy(
  deps: HandlerDeps,
  handled: HandledCall<UpdateMediaBuyRequest>,
): Promise<Handled> {
  const made = await update({ ...deps.ports, creatives: deps.creatives }, mutationOf(deps, handled));
  if (made.ok) return settleAnswer(deps, handled, made.value);
  return { kind: 'failed', errors: await whyNotFound(deps, handled, made.error) };
}
