import type { LibraryCreative, Placement } from './creative-library.js';

/** Whose creatives are: the organization's own library, and where others may have creatives beside it. */
export interface Owners {
  readonly library: ReadonlyMap<string, Pick<LibraryCreative, 'placements'>>;
  /** Ids of connections whose account others may use; absent: none. */
  readonly sharedConnections?: ReadonlySet<string>;
}

type Library = Pick<Owners, 'library'>;

/** Whether a seller has taken the creative from this organization, and still has it. */
export function isHeld(creativeId: string, connectionId: string, library: Library): boolean {
  const placement = placementAt(creativeId, connectionId, library);
  return placement?.syncedAt !== undefined && placement.status !== 'archived';
}

/** Whether a creative of this organization stands at a seller, or is on its way there. */
export function isOwn(creativeId: string, connectionId: string, library: Library): boolean {
  const placement = placementAt(creativeId, connectionId, library);
  return placement !== undefined && placement.status !== 'failed' && placement.status !== 'archived';
}

/** Where a creative stands, or stood, at one seller: a creative has one place there. */
export function placementAt(
  creativeId: string,
  connectionId: string,
  { library }: Library,
): Placement | undefined {
  return library.get(creativeId)?.placements.find((one) => one.connectionId === connectionId);
}
