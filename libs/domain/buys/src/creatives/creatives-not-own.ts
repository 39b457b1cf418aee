import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { CreativeOwnership } from './creative-library.js';
import { isOwn, placementAt } from './is-own.js';

/**
 * Returns the creatives that a caller may not name at a seller in a sealed request: those out of its reach,
 * those with a local id at the seller, and, over a shared account, those that the library has neither placed
 * there nor is sending. Creatives of another tenant and unknown ones give the same result.
 */
export async function creativesNotOwn(
  creatives: CreativeOwnership,
  scope: TenantScope,
  {
    reach,
    connectionId,
    ids,
  }: { readonly reach: Reach; readonly connectionId: string; readonly ids: readonly string[] },
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
