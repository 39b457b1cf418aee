import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Leg } from '../operation.js';
import { outboundOf } from '../outbound.js';
import type { CreativeDraft } from './creative-library.js';

/**
 * Ids of the creatives that come to a seller with the packages of a buy. They are read from what the seller is sent:
 * what its form cannot carry does not reach it.
 */
export function broughtByLeg(leg: Pick<Leg, 'id' | 'outbound'>): readonly string[] {
  const asked = askedOf(leg);
  const packages = [...objectsIn(asked['packages']), ...objectsIn(asked['new_packages'])];
  return [...new Set(packages.flatMap((item) => idsIn(item['creatives'])))];
}

/** What these legs set out to put into the libraries of their sellers: each is a claim until its seller has answered. */
export function placementsBrought(legs: readonly Leg[]): CreativeDraft['placements'] {
  return legs.flatMap((leg) =>
    broughtByLeg(leg).map((creativeId) => ({
      creativeId,
      connectionId: leg.connectionId,
      seller: leg.seller,
      legId: leg.id,
    })),
  );
}

/** A request about a buy in either shape: flat, or with its changes under `updates`. */
export function askedOf(leg: Pick<Leg, 'id' | 'outbound'>): JsonObject {
  const sent = outboundOf(leg);
  return isJsonObject(sent['updates']) ? sent['updates'] : sent;
}

export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The `creative_id` of each object of a list that has one. */
export function idsIn(list: unknown): readonly string[] {
  return objectsIn(list).flatMap(({ creative_id: id }) => (typeof id === 'string' && id !== '' ? [id] : []));
}
