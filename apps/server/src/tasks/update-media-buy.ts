import { updateMediaBuy as update } from '@switchyard/buys';
import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerParts } from './handler.js';
import { mutationOf } from './operation/mutation.js';
import { settleAnswer } from './operation/settle-answer.js';

export async function updateMediaBuy(
  parts: HandlerParts,
  handled: HandledCall<UpdateMediaBuyRequest>,
): Promise<Handled> {
  const made = await update({ ...parts.ports, creatives: parts.creatives }, mutationOf(parts, handled));
  return made.ok ? settleAnswer(parts, handled, made.value) : { kind: 'failed', errors: made.error };
}
