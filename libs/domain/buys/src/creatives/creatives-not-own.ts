import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { CreativeOwnership } from './creative-library.js';
import { isOwn, placementAt } from './is-own.js';

/**
 * Which of these creatives a caller may not name at a seller in bytes that cannot be changed: what is out of its reach or
 * the seller has under an id of ours, and, over an account that another tenant may use as well, all that do not stand there, or are on their way,
 * by its own library. Whether one is the other's or nobody's makes no difference.
 */
export async function creativesNotOwn(
  creatives: CreativeOwnership,
  scope: TenantScope,
  reach: Reach,
  connectionId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const isShared = (await creatives.sharedConnections(scope)).has(connectionId);
  const library = await creatives.byIds(scope, ids, reach);
  return ids.filter((id) => {
    if (library.get(id)?.access === 'none') return true;
    const isOtherwise = placementAt(id, connectionId, { library })?.sellerCreativeId !== undefined;
    return isOtherwise || (isShared && !isOwn(id, connectionId, { library }));
  });
}
