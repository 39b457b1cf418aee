import type { ActivateSignalRequest, DeploymentTarget, Finding } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { targetKey, type ActivationRepository, type SegmentAt } from '../model/activation.js';
import { nextActivation } from './next-activation.js';

/**
 * Destinations at which another tenant requested a signal over an account that may be shared. A deactivation
 * there would affect the other tenant.
 */
export async function heldByOthers(
  repository: ActivationRepository | undefined,
  scope: TenantScope,
  segment: SegmentAt,
  { action, destinations }: ActivateSignalRequest,
): Promise<readonly DeploymentTarget[]> {
  if (repository === undefined || action !== 'deactivate') return [];
  const taken = new Set((await repository.elsewhere(scope, [segment])).map(({ target }) => target));
  return taken.has('*') ? destinations : destinations.filter((target) => taken.has(targetKey(target)));
}

/** Stores a deactivation for this tenant at destinations for which its agent is not called. */
export async function storeDeactivation(
  repository: ActivationRepository,
  scope: TenantScope,
  {
    segment,
    targets,
    at,
  }: { readonly segment: SegmentAt; readonly targets: readonly DeploymentTarget[]; readonly at: Instant },
): Promise<void> {
  const off = targets.map((target) =>
    nextActivation(segment, { ...target, isLive: false }, { known: undefined, requested: 'deactivate', at }),
  );
  // Without `read`: this tenant's deactivation replaces any stored state.
  await repository.store(scope, off);
}

export function storedForOthers(seller: string, count: number): Finding {
  return {
    code: 'KEPT_FOR_OTHERS',
    message:
      `The account at ${seller} is used by others as well: at ${count} of the places the signal was taken back for you ` +
      'here, and nothing was sent to the agent.',
    field: 'action',
  };
}
