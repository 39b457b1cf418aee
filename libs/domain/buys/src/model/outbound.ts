import { isJsonObject, type JsonObject } from '@switchyard/values';
import { withBuyerIds } from './buyer-creative-ids.js';
import type { Leg } from './operation.js';

/** The frozen arguments of a leg, with ids as its seller knows them. */
export function outboundOf(leg: Pick<Leg, 'id' | 'outbound'>): JsonObject {
  const value: unknown = JSON.parse(leg.outbound);
  if (!isJsonObject(value)) throw new Error(`The stored arguments of leg ${leg.id} are not an object.`);
  return value;
}

/** The same with the buyer's own ids of creatives, as in all that is stored about the leg. */
export function reportedOf(leg: Pick<Leg, 'id' | 'outbound' | 'connectionId'>): JsonObject {
  return withBuyerIds(outboundOf(leg), leg.connectionId);
}
