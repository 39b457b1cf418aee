import { taskError, type TaskError } from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { LibraryCreative, Placement, CreativeOwnership } from './creative-library.js';

/** The organization's own library, and the connections whose account may be shared. */
export interface Owners {
  readonly library: ReadonlyMap<string, Pick<LibraryCreative, 'placements' | 'access'>>;
  /** Ids of connections whose account another tenant may share; absent: none. */
  readonly sharedConnections?: ReadonlySet<string>;
}

type Library = Pick<Owners, 'library'>;

/** Whether a seller accepted the creative from this organization and still has it. */
export function isHeld(creativeId: string, connectionId: string, library: Library): boolean {
  const placement = placementAt(creativeId, connectionId, library);
  return placement?.syncedAt !== undefined && placement.status !== 'archived';
}

/** Whether a seller has a creative of this organization, or it is being sent there. */
export function isOwn(creativeId: string, connectionId: string, library: Library): boolean {
  const placement = placementAt(creativeId, connectionId, library);
  return placement !== undefined && placement.status !== 'failed' && placement.status !== 'archived';
}

/** The current or past placement of a creative at one seller: there is at most one. */
export function placementAt(
  creativeId: string,
  connectionId: string,
  { library }: Library,
): Placement | undefined {
  return library.get(creativeId)?.placements.find((placement) => placement.connectionId === connectionId);
}

/** Whether the caller may at least read a creative. */
export function isShown(known: Pick<LibraryCreative, 'access'> | undefined): boolean {
  return known !== undefined && known.access !== 'none';
}

/** The error for replacing a creative that another principal of the organization uploaded. */
export function creativeTaken(creativeId: string, field: string): TaskError {
  const message = `The creative_id ${creativeId} is in use outside your scopes. This needs the permission creatives.write there.`;
  return taskError('PERMISSION_DENIED', message, {
    field,
    suggestion: 'Send the creative under another creative_id.',
  });
}

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
