import { createHash } from 'node:crypto';
import { isOwn, placementAt, type Owners } from './is-own.js';

/** Under which other id a seller has a creative, by the buyer's own. Those that are not in it have their own there. */
export type SellerNames = ReadonlyMap<string, string>;

/** Characters of the ending: 96 bits, so that two never collide by chance. */
const endingLength = 24;

/**
 * What the ids that we give creatives over one connection end with. It follows from the connection alone, so that it can
 * be taken off whatever a seller says, and no buyer is ever shown it. No form bounds the length of a creative's id.
 */
export function endingAt(connectionId: string): string {
  const hash = createHash('sha256').update(`ids of creatives over ${connectionId}`).digest('hex');
  return `-${hash.slice(0, endingLength)}`;
}

/** The id that we give a creative at a seller whose account another tenant may use. */
export function nameOfLocal(creativeId: string, connectionId: string): string {
  return `${creativeId}${endingAt(connectionId)}`;
}

/**
 * Under which id a creative goes to a seller: the one that it has had there, or else the buyer's own, as long as no other
 * tenant may use the account. Over one that others may use it is always one of ours, whether or not somebody has the plain
 * one: else a sealed request, which cannot be rewritten, would tell which of the two it is.
 */
export function nameAtSeller(creativeId: string, connectionId: string, owners: Owners): string {
  const named = placementAt(creativeId, connectionId, owners)?.sellerCreativeId;
  if (named !== undefined) return named;
  const isShared = owners.sharedConnections?.has(connectionId) === true;
  return isShared && !isOwn(creativeId, connectionId, owners)
    ? nameOfLocal(creativeId, connectionId)
    : creativeId;
}

/** Which of these creatives a seller is to know under another id. */
export function namesAtSeller(
  creativeIds: Iterable<string>,
  connectionId: string,
  owners: Owners,
): SellerNames {
  const names = [...creativeIds].map((id): [string, string] => [id, nameAtSeller(id, connectionId, owners)]);
  return new Map(names.filter(([id, name]) => id !== name));
}
