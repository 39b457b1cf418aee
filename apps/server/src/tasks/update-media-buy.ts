import { updateMediaBuy as update } from '@switchyard/buys';
import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';
import { whyNotFound } from './caller/reach-of-task.js';
import { mutationOf } from './operation/mutation.js';
import { settleAnswer } from './operation/settle-answer.js';

export async function updateMediaBuy(
  deps: HandlerDeps,
  handled: HandledCall<UpdateMediaBuyRequest>,
): Promise<Handled> {
  const made = await update({ ...deps.ports, creatives: deps.creatives }, mutationOf(deps, handled));
  if (made.ok) return settleAnswer(deps, handled, made.value);
  return { kind: 'failed', errors: await whyNotFound(deps, handled, made.error) };
}
