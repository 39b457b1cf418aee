import { taskError, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { CreativeStore } from './creative-library.js';
import { isAnothers, type Owners } from './is-anothers.js';
import { listedIn, type CreativesNamed } from './tell-lacking.js';

/**
 * Faults of a buy that brings, or names, a creative whose id belongs to another tenant of the same account: the seller
 * would take it for a new version of theirs, or serve theirs. Nobody is asked before that is mended.
 */
export async function refuseAnothers(
  creatives: Pick<CreativeStore, 'byIds' | 'elsewhere'> | undefined,
  scope: TenantScope,
  named: readonly CreativesNamed[],
): Promise<readonly TaskError[]> {
  const ids = [...new Set(named.flatMap((one) => [...one.ids, ...one.brought]))];
  if (creatives === undefined || ids.length === 0) return [];
  const elsewhere = await creatives.elsewhere(scope, ids);
  if (elsewhere.size === 0) return [];
  const owners = { elsewhere, library: await creatives.byIds(scope, ids) };
  return named.flatMap((one) => faultsOf(one, owners));
}

function faultsOf(named: CreativesNamed, owners: Owners): readonly TaskError[] {
  const { connectionId, seller, place, ids, brought } = named;
  const taken = brought.filter((id) => isAnothers(id, connectionId, owners));
  const foreign = ids.filter((id) => !brought.includes(id) && isAnothers(id, connectionId, owners));
  return [
    ...taken.map((id) =>
      taskError('INVALID_REQUEST', `The account at ${seller} has a creative ${id} that is none of yours.`, {
        field: `${place}.creatives`,
        suggestion: 'Send the creative under another creative_id.',
        details: { seller },
      }),
    ),
    ...foreign.map((id) =>
      taskError('CREATIVE_NOT_FOUND', `No creative of yours at ${seller} has the id ${id}.`, {
        field: listedIn(named),
        suggestion: 'list_creatives shows yours.',
        details: { seller },
      }),
    ),
  ];
}
