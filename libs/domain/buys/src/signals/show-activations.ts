import { activateSignal, type Deployment, type Signal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, type Instant } from '@switchyard/values';
import type { OperationState } from '../model/operation-state.js';
import { targetKey, type ActivationRepository, type Activation } from '../model/activation.js';
import { requestedActivation } from './activation-answer.js';
import { countedDown } from './next-activation.js';
import { segmentsOf, type ReportedSignals } from './apply-reported-signals.js';

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
  const deployments = reported.map((deployment) =>
    deployment.isLive ? deployment : shownAs(deployment, known.get(targetKey(deployment)), now),
  );
  const answer = activateSignal.projectAnswer({ ...read.value.answer, deployments }, leg.profile);
  return { ...state, legs: [{ ...leg, answer }] };
}

/**
 * Updates signals that agents showed earlier to their current state: live or deactivated since, with the time
 * left of an estimate. Stores nothing, because there is no new report. The order of the lists is kept.
 */
export async function showSignals(
  repository: ActivationRepository,
  scope: TenantScope,
  seen: readonly ReportedSignals[],
  now: Instant,
): Promise<readonly (readonly Signal[])[]> {
  const segments = segmentsOf(seen);
  const rows = segments.length === 0 ? [] : await repository.of(scope, segments);
  return seen.map(({ connectionId, signals }) =>
    signals.map((signal) => {
      const own = rows.filter(
        (row) => row.connectionId === connectionId && row.segmentId === signal.segmentId,
      );
      const known = new Map(own.map((row) => [targetKey(row.target), row]));
      const deployments = signal.deployments.map((deployment) =>
        shownAs(deployment, known.get(targetKey(deployment)), now),
      );
      return { ...signal, deployments };
    }),
  );
}

/** A destination as it was shown, with its current state. */
export function shownAs(deployment: Deployment, known: Activation | undefined, now: Instant): Deployment {
  const { estimatedMinutes: _over, activationKey: _taken, deployedAt: _before, ...rest } = deployment;
  if (deployment.isLive && known?.state === 'off') return { ...rest, isLive: false };
  if (deployment.isLive || known?.state !== 'live') return countedDown(deployment, known, now);
  return {
    ...rest,
    isLive: true,
    ...defined({ activationKey: known.key, deployedAt: known.deployedAt }),
  };
}
