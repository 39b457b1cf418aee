import { activateSignal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { OperationState } from '../model/operation-store.js';
import { targetKey, type ActivationRepository } from './activation.js';
import { requestedActivation } from './requested-activation.js';
import { shownAs } from './show-signals.js';

/**
 * An activation's operation as it stands now: an agent may say that it is done while the signal is not live yet, and
 * what has become of that since is known by later looks alone. Any other operation comes back as it is.
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
  const { deployments: told } = read.value.answer;
  // What its agent said here is the outcome of this operation, also where it was taken back since.
  const deployments = told.map((one) => (one.isLive ? one : shownAs(one, known.get(targetKey(one)), now)));
  const answer = activateSignal.projectAnswer({ ...read.value.answer, deployments }, leg.profile);
  return { ...state, legs: [{ ...leg, answer }] };
}
