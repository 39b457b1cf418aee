import type { LibraryCreative } from './creative-library.js';

/** Whose creatives are: the organization's own library, and what others have put into the same accounts. */
export interface Owners {
  readonly library: ReadonlyMap<string, Pick<LibraryCreative, 'placements'>>;
  /** By connection; absent: nothing. */
  readonly elsewhere?: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Whether a creative id at a seller is another tenant's to change. Who comes first keeps it; what a seller has taken
 * from both before that was known stays both's, and what was archived there is free again.
 */
export function isAnothers(
  creativeId: string,
  connectionId: string,
  { library, elsewhere }: Owners,
): boolean {
  if (elsewhere?.get(connectionId)?.has(creativeId) !== true) return false;
  const before = library.get(creativeId)?.placements ?? [];
  return !before.some(
    (one) => one.connectionId === connectionId && one.syncedAt !== undefined && one.status !== 'archived',
  );
}
