import { createMediaBuy as buy } from '@switchyard/buys';
import type { CreateMediaBuyRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';
import { mutationOf } from '../mutation.js';
import { settleAnswer } from '../settle-answer.js';

export async function createMediaBuy(
  parts: HandlerParts,
  handled: HandledCall<CreateMediaBuyRequest>,
): Promise<Handled> {
  const made = await buy({ ...parts.ports, creatives: parts.creatives }, mutationOf(parts, handled));
  return made.ok ? settleAnswer(parts, handled, made.value) : { kind: 'failed', errors: made.error };
}
