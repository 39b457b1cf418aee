import type { TenantScope } from '@switchyard/tenancy';
import type { Activation, ActivationRepository, SegmentAt } from './activation.js';

/**
 * Stores what `apply` computes from the known activations of these signals. Where they changed meanwhile,
 * `apply` is called again with the new ones, so that no unread change is overwritten.
 */
export async function applyActivations<Made>(
  repository: ActivationRepository,
  scope: TenantScope,
  segments: readonly SegmentAt[],
  apply: (known: readonly Activation[]) => { readonly rows: readonly Activation[]; readonly made: Made },
): Promise<Made> {
  for (;;) {
    const known = segments.length === 0 ? [] : await repository.of(scope, segments);
    const { rows, made } = apply(known);
    if (rows.length === 0 || (await repository.keep(scope, rows, known))) return made;
  }
}
