import {
  createMediaBuy as task,
  type CreateMediaBuyRequest,
  type Finding,
  type TaskError,
} from '@switchyard/protocol';
import { ok, type Result } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';
import { mutate } from '../run/mutate.js';
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
  return mutate(ports, task.name, mutation, async (operation, lease) => {
    const prepared = await prepareBuy(ports, mutation, operation, lease);
    return prepared.ok ? ok({ ...prepared.value, findings: prepared.value.plan.findings }) : prepared;
  });
}
