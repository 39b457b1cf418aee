import { createHash } from 'node:crypto';
import { isOwn, placementAt, type Owners } from './creative-owner.js';

/** The ids of creatives at a seller that differ from the buyer's own, by the buyer's own. */
export type SellerCreativeIds = ReadonlyMap<string, string>;

/** Length of the ending in hex characters: 96 bits, so that two endings never collide by chance. */
const endingLength = 24;

/**
 * The ending of local creative ids over one connection. It depends on the connection alone, so that it can be
 * removed from any text of the seller, and no buyer sees it. No form limits the length of a creative's id.
 */
export function endingAt(connectionId: string): string {
  const hash = createHash('sha256').update(`ids of creatives over ${connectionId}`).digest('hex');
  return `-${hash.slice(0, endingLength)}`;
}

/** The local id of a creative at a seller whose account another tenant may share. */
export function nameOfLocal(creativeId: string, connectionId: string): string {
  return `${creativeId}${endingAt(connectionId)}`;
}

/**
 * Returns the id under which a creative is sent to a seller: its existing id there, else the buyer's own
 * where no other tenant may share the account. Over a shared account it is always a local id, whether or not
 * the plain id is taken: otherwise a sealed request, which cannot be rewritten, would reveal that.
 */
function nameAtSeller(creativeId: string, connectionId: string, owners: Owners): string {
  const named = placementAt(creativeId, connectionId, owners)?.sellerCreativeId;
  if (named !== undefined) return named;
  const isShared = owners.sharedConnections?.has(connectionId) === true;
  return isShared && !isOwn(creativeId, connectionId, owners)
    ? nameOfLocal(creativeId, connectionId)
    : creativeId;
}

/** The creatives that a seller must know under another id. */
export function namesAtSeller(
  creativeIds: Iterable<string>,
  connectionId: string,
  owners: Owners,
): SellerCreativeIds {
  const names = [...creativeIds].map((id): [string, string] => [id, nameAtSeller(id, connectionId, owners)]);
  return new Map(names.filter(([id, name]) => id !== name));
}
