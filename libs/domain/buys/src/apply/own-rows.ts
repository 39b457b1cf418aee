import { requestedPart } from '@switchyard/protocol';
import type { LegObservation } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

/** Removes rows that the leg did not request: in a shared account they may be another tenant's. */
export function withOwnRows(
  leg: Pick<Leg, 'id' | 'task' | 'outbound'>,
  seen: LegObservation,
): LegObservation {
  const payload = requestedPart(leg.task, outboundOf(leg), seen.reply.payload);
  return payload === seen.reply.payload ? seen : { ...seen, reply: { ...seen.reply, payload } };
}
