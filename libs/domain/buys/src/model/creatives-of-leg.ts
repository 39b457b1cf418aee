import { isJsonObject, type JsonObject, canonicalJson } from '@switchyard/values';
import type { Leg } from './operation.js';
import { outboundOf, reportedOf } from './outbound.js';
import type { CreativeDraft } from './creative-library.js';
import { withBuyerIds } from './buyer-creative-ids.js';
import { readCreative, type Creative, type WireProfile } from '@switchyard/protocol';
import { createHash } from 'node:crypto';

/**
 * Ids of the creatives that a seller gets with the packages of a buy. They are read from the sent request,
 * because some forms cannot carry them.
 */
export function creativesOfLeg(leg: SentLeg): readonly string[] {
  return broughtIn(requestedChange(leg));
}

type SentLeg = Pick<Leg, 'id' | 'outbound' | 'connectionId'>;

function broughtIn(requested: JsonObject): readonly string[] {
  const packages = [...objectsIn(requested['packages']), ...objectsIn(requested['new_packages'])];
  return [...new Set(packages.flatMap((item) => idsIn(item['creatives'])))];
}

/** The placements that these legs create at their sellers. Each is a claim until its seller has answered. */
function placementsBrought(legs: readonly Leg[]): CreativeDraft['placements'] {
  return legs.flatMap((leg) =>
    broughtIn(changesIn(outboundOf(leg))).map((name) => {
      const creativeId = withBuyerIds(name, leg.connectionId);
      return {
        creativeId,
        connectionId: leg.connectionId,
        seller: leg.seller,
        legId: leg.id,
        ...(name === creativeId ? {} : { sellerCreativeId: name }),
      };
    }),
  );
}

/** The changes that a leg requests, in either shape: flat, or under `updates`. */
export function requestedChange(leg: SentLeg): JsonObject {
  return changesIn(reportedOf(leg));
}

function changesIn(sent: JsonObject): JsonObject {
  return isJsonObject(sent['updates']) ? sent['updates'] : sent;
}

export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The `creative_id` of each object of a list that has one. */
export function idsIn(list: unknown): readonly string[] {
  return objectsIn(list).flatMap(({ creative_id: id }) => (typeof id === 'string' && id !== '' ? [id] : []));
}

interface Bringing {
  readonly creatives?: readonly JsonObject[];
  readonly fromLibrary?: readonly Creative[];
}

/**
 * The creatives that packages contain, as the library stores them, and the sellers that these legs send them
 * to. Of two with one id the last counts. Those from the library stay unchanged in it.
 */
export function inlineCreatives(
  packages: readonly Bringing[],
  from: WireProfile,
  legs: readonly Leg[],
): CreativeDraft | undefined {
  const inline = packages
    .flatMap(({ creatives }) => creatives ?? [])
    .map((value) => readCreative(value, from.form))
    .filter(({ creativeId }) => creativeId !== '');
  const known = new Set(
    packages.flatMap(({ fromLibrary = [] }) => fromLibrary.map((creative) => creative.creativeId)),
  );
  if (inline.length + known.size === 0) return undefined;
  const byId = new Map(inline.map((creative) => [creative.creativeId, creative]));
  const creatives = [...byId.values()].map((creative) => ({ creative, bodyHash: creativeHash(creative) }));
  const placements = placementsBrought(legs).filter(({ creativeId: id }) => byId.has(id) || known.has(id));
  return { creatives, placements, archived: [] };
}

/** SHA-256 (hex) of a creative as its buyer wrote it. Equal hashes mean equal creatives. */
export function creativeHash({ original }: Pick<Creative, 'original'>): string {
  return createHash('sha256').update(canonicalJson(original.value), 'utf8').digest('hex');
}
