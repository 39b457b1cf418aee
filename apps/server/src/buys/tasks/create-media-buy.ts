import { createMediaBuy as buy } from '@switchyard/buys';
import type { CreateMediaBuyRequest } from '@switchyard/protocol';
import { accountsAt } from '../../platform/tasks/gates/accounts-at.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { mutationOf } from '../../platform/tasks/operation/mutation.js';
import { settleAnswer } from '../../platform/tasks/operation/settle-answer.js';

export async function createMediaBuy(
  deps: HandlerDeps,
  handled: HandledCall<CreateMediaBuyRequest>,
): Promise<Handled> {
  const ports = { ...deps.ports, creatives: deps.creatives, accountsAt: accountsAt(deps, handled) };
  const made = await buy(ports, mutationOf(deps, handled));
  return made.ok ? settleAnswer(deps, handled, made.value) : { kind: 'failed', errors: made.error };
}
