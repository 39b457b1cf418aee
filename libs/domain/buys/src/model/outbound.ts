import { isJsonObject, type JsonObject } from '@switchyard/values';
import { inBuyersNames } from '../creatives/in-buyers-names.js';
import type { Leg } from './operation.js';

/** The arguments that a leg was frozen with, as its seller reads them. */
export function outboundOf(leg: Pick<Leg, 'id' | 'outbound'>): JsonObject {
  const value: unknown = JSON.parse(leg.outbound);
  if (!isJsonObject(value)) throw new Error(`The stored arguments of leg ${leg.id} are not an object.`);
  return value;
}

/** The same with its creatives under the buyer's own ids, as all that is kept of the leg names them. */
export function reportedOf(leg: Pick<Leg, 'id' | 'outbound' | 'connectionId'>): JsonObject {
  return inBuyersNames(outboundOf(leg), leg.connectionId);
}
