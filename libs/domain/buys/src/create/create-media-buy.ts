import {
  createMediaBuy as task,
  type CreateMediaBuyRequest,
  type Finding,
  taskError,
  type TaskError,
} from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';
import { canMakeKeys } from '../call/draft-leg.js';
import { claim, execute, untilClaimed } from '../run/mutate.js';
import type { Mutated } from '../model/mutated.js';
import { prepareBuy, type BuyingPorts } from './prepare-buy.js';

export interface MediaBuyMade extends Mutated {
  readonly findings: readonly Finding[];
}

/**
 * Buys at several sellers: checks every leg, stores everything, then calls every seller with bytes that do
 * not change again. A leg that fails is reported, and the others are kept.
 */
export function createMediaBuy(
  ports: BuyingPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
): Promise<Result<MediaBuyMade, readonly TaskError[]>> {
  return untilClaimed(() => attempt(ports, mutation));
}

async function attempt(
  ports: BuyingPorts,
  mutation: Mutation<CreateMediaBuyRequest>,
): Promise<Result<MediaBuyMade, readonly TaskError[]>> {
  const claimed = await claim(ports, task.name, mutation);
  if (!claimed.ok) return claimed;
  if (claimed.value.kind === 'replay')
    return ok({ state: claimed.value.state, replayed: true, findings: [] });
  const { operation } = claimed.value;
  const prepared = await prepareBuy(ports, mutation, operation, async (sellers) => {
    const use = { operationId: operation.id, purpose: task.name };
    const secrets = await ports.lease(mutation.scope, sellers, use);
    if (secrets.ok && canMakeKeys(secrets.value, sellers)) return ok(secrets.value);
    return err([taskError('SERVICE_UNAVAILABLE', 'The credentials of these sellers cannot be used now.')]);
  });
  if (!prepared.ok) return prepared;
  const { plan, draft, secrets, sellers } = prepared.value;
  const done = await execute(ports, mutation, draft, { secrets, connections: sellers });
  return done.ok ? ok({ ...done.value, findings: plan.findings }) : done;
}
