import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Leg } from './operation.js';

/** The arguments that a leg was frozen with. */
export function outboundOf(leg: Pick<Leg, 'id' | 'outbound'>): JsonObject {
  const value: unknown = JSON.parse(leg.outbound);
  if (!isJsonObject(value)) throw new Error(`The stored arguments of leg ${leg.id} are not an object.`);
  return value;
}
