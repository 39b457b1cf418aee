import type { TenantScope } from '@switchyard/tenancy';
import type { Activation, ActivationRepository, SegmentAt } from './activation.js';

/**
 * Writes what `fold` makes of what is known of these signals. Where somebody else has written meanwhile, it is made anew
 * of what is known then: nobody undoes what was not read. `fold` may so be asked more than once.
 */
export async function applyActivations<Made>(
  repository: ActivationRepository,
  scope: TenantScope,
  segments: readonly SegmentAt[],
  fold: (known: readonly Activation[]) => { readonly rows: readonly Activation[]; readonly made: Made },
): Promise<Made> {
  for (;;) {
    const known = segments.length === 0 ? [] : await repository.of(scope, segments);
    const { rows, made } = fold(known);
    if (rows.length === 0 || (await repository.keep(scope, rows, known))) return made;
  }
}
