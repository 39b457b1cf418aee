import { updateMediaBuy as update } from '@switchyard/buys';
import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';
import { mutationOf } from './operation/mutation.js';
import { settleAnswer } from './operation/settle-answer.js';

export async function updateMediaBuy(
  deps: HandlerDeps,
  handled: HandledCall<UpdateMediaBuyRequest>,
): Promise<Handled> {
  const made = await update({ ...deps.ports, creatives: deps.creatives }, mutationOf(deps, handled));
  return made.ok ? settleAnswer(deps, handled, made.value) : { kind: 'failed', errors: made.error };
}
