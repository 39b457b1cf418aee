import { taskError, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { CreativeStore } from './creative-library.js';
import { isAnothers, isOwn, type Owners } from './is-anothers.js';
import { listedIn, type CreativesNamed } from './tell-lacking.js';

/**
 * Faults of a buy over an account that another tenant may use as well. One that brings a creative under an id of theirs:
 * the seller would take it for a new version of theirs. One that names a creative which this tenant has not put there: it
 * may be theirs, and whether it is or is nowhere is not said. Nobody is asked before that is mended.
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
  const isShared = owners.elsewhere?.has(connectionId) === true;
  const foreign = ids.filter((id) => isShared && !brought.includes(id) && !isOwn(id, connectionId, owners));
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
        suggestion:
          'list_creatives shows yours: sync the creative to this seller first. Where the account is yours alone, name it ' +
          'in the connection.',
        details: { seller },
      }),
    ),
  ];
}
