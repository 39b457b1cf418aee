import { createMediaBuy as buy } from '@switchyard/buys';
import type { CreateMediaBuyRequest } from '@switchyard/protocol';
import { accountsAt } from '../../platform/tasks/gates/resolve-account.js';
import { hiddenSellers } from '../../platform/tasks/gates/find-client.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { mutationOf } from '../../platform/tasks/operation/mutation.js';
import { settleAnswer } from '../../platform/tasks/operation/operation-outcome.js';

export async function createMediaBuy(
  deps: HandlerDeps,
  handled: HandledCall<CreateMediaBuyRequest>,
): Promise<Handled> {
  const hidden = await hiddenSellers(deps, handled, sellersIn(handled.request));
  if (hidden.length > 0) return { kind: 'failed', errors: hidden };
  const ports = { ...deps.ports, creatives: deps.creatives, accountsAt: accountsAt(deps, handled) };
  const made = await buy(ports, mutationOf(deps, handled));
  return made.ok ? settleAnswer(deps, handled, made.value) : { kind: 'failed', errors: made.error };
}

/** The ids of a buy that have the name of a seller in front. */
export function sellersIn({
  packages,
  proposal,
}: CreateMediaBuyRequest): Parameters<typeof hiddenSellers>[2] {
  return [
    ...(proposal === undefined ? [] : [{ field: 'proposal_id', id: proposal.proposalId }]),
    ...packages.map(({ productId }, at) => ({ field: `packages[${at}].product_id`, id: productId })),
  ];
}
