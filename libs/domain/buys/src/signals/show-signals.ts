import type { Deployment, Signal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { targetKey, type Activation, type ActivationRepository } from './activation.js';
import { countedDown } from './next-activation.js';
import { segmentsOf, type SeenSignals } from './see-signals.js';

/**
 * Updates signals that agents showed earlier to their current state: live or deactivated since, with the time
 * left of an estimate. Stores nothing, because there is no new report. The order of the lists is kept.
 */
export async function showSignals(
  repository: ActivationRepository,
  scope: TenantScope,
  seen: readonly SeenSignals[],
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
      const deployments = signal.deployments.map((one) => shownAs(one, known.get(targetKey(one)), now));
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
    ...(known.key === undefined ? {} : { activationKey: known.key }),
    ...(known.deployedAt === undefined ? {} : { deployedAt: known.deployedAt }),
  };
}
