import type { LibraryCreative } from './creative-library.js';

/** Whose creatives are: the organization's own library, and what others have put into the same accounts. */
export interface Owners {
  readonly library: ReadonlyMap<string, Pick<LibraryCreative, 'placements'>>;
  /** By connection whose account others may use; absent: nothing. */
  readonly elsewhere?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Whether a seller has taken the creative from this organization, and still has it. */
export function isHeld(
  creativeId: string,
  connectionId: string,
  { library }: Pick<Owners, 'library'>,
): boolean {
  const placements = library.get(creativeId)?.placements ?? [];
  return placements.some(
    (one) => one.connectionId === connectionId && one.syncedAt !== undefined && one.status !== 'archived',
  );
}

/** Whether a creative id at a seller is this organization's own: it stands there, or is on its way. */
export function isOwn(creativeId: string, connectionId: string, owners: Owners): boolean {
  const placements = owners.library.get(creativeId)?.placements ?? [];
  const isClaimed = placements.some(
    (one) => one.connectionId === connectionId && one.status !== 'failed' && one.status !== 'archived',
  );
  return isClaimed && !isAnothers(creativeId, connectionId, owners);
}

/**
 * Whether a creative id at a seller is another tenant's to change. Who comes first keeps it; what a seller has taken
 * from both before that was known stays both's, and what was archived there is free again.
 */
export function isAnothers(creativeId: string, connectionId: string, owners: Owners): boolean {
  if (owners.elsewhere?.get(connectionId)?.has(creativeId) !== true) return false;
  return !isHeld(creativeId, connectionId, owners);
}
