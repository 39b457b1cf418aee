import { activateSignal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { OperationState } from '../operation-store.js';
import { targetKey, type ActivationBook } from './activation.js';
import { askedActivation } from './asked-activation.js';
import { countedDown } from './next-activation.js';

/**
 * An activation's operation as it stands now: an agent may say that it is done while the signal is not live yet, and
 * what has become of that since is known by later looks alone. Any other operation comes back as it is.
 */
export async function showActivations(
  book: ActivationBook,
  scope: TenantScope,
  state: OperationState,
  now: Instant,
): Promise<OperationState> {
  const [leg] = state.legs;
  if (leg?.answer === undefined) return state;
  const asked = askedActivation(leg);
  const read = activateSignal.readAnswer(leg.answer, leg.voice);
  if (asked === undefined || !read.ok || asked.action === 'deactivate') return state;
  const rows = await book.of(scope, [{ connectionId: leg.connectionId, segmentId: asked.segmentId }]);
  const known = new Map(rows.map((row) => [targetKey(row.target), row]));
  const deployments = read.value.answer.deployments.map((deployment) => {
    const row = known.get(targetKey(deployment));
    if (deployment.isLive || row?.state !== 'live') return countedDown(deployment, row, now);
    const { estimatedMinutes: _over, ...rest } = deployment;
    return {
      ...rest,
      isLive: true,
      ...(row.key === undefined ? {} : { activationKey: row.key }),
      ...(row.deployedAt === undefined ? {} : { deployedAt: row.deployedAt }),
    };
  });
  const answer = activateSignal.projectAnswer({ ...read.value.answer, deployments }, leg.voice);
  return { ...state, legs: [{ ...leg, answer }] };
}
