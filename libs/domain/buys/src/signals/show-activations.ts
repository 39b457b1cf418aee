import { activateSignal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { OperationState } from '../model/operation-store.js';
import { targetKey, type ActivationRepository } from './activation.js';
import { requestedActivation } from './requested-activation.js';
import { shownAs } from './show-signals.js';

/**
 * An activation's operation with its current state: an agent may report `completed` before the signal is
 * live, and only later polls show the rest. Any other operation is returned unchanged.
 */
export async function showActivations(
  repository: ActivationRepository,
  scope: TenantScope,
  state: OperationState,
  now: Instant,
): Promise<OperationState> {
  const [leg] = state.legs;
  if (leg?.answer === undefined) return state;
  const requested = requestedActivation(leg);
  const read = activateSignal.readAnswer(leg.answer, leg.profile);
  if (requested === undefined || !read.ok || requested.action === 'deactivate') return state;
  const rows = await repository.of(scope, [
    { connectionId: leg.connectionId, segmentId: requested.segmentId },
  ]);
  const known = new Map(rows.map((row) => [targetKey(row.target), row]));
  const { deployments: reported } = read.value.answer;
  // What the agent reported live here is the outcome of this operation, even if it was deactivated since.
  const deployments = reported.map((one) =>
    one.isLive ? one : shownAs(one, known.get(targetKey(one)), now),
  );
  const answer = activateSignal.projectAnswer({ ...read.value.answer, deployments }, leg.profile);
  return { ...state, legs: [{ ...leg, answer }] };
}
