import { createMediaBuy as buy } from '@switchyard/buys';
import type { CreateMediaBuyRequest } from '@switchyard/protocol';
import { accountsAt } from './caller/accounts-at.js';
import type { Handled, HandledCall, HandlerParts } from './handler.js';
import { mutationOf } from './operation/mutation.js';
import { settleAnswer } from './operation/settle-answer.js';

export async function createMediaBuy(
  parts: HandlerParts,
  handled: HandledCall<CreateMediaBuyRequest>,
): Promise<Handled> {
  const ports = { ...parts.ports, creatives: parts.creatives, accountsAt: accountsAt(parts, handled) };
  const made = await buy(ports, mutationOf(parts, handled));
  return made.ok ? settleAnswer(parts, handled, made.value) : { kind: 'failed', errors: made.error };
}
