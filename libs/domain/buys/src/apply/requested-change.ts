import { updateMediaBuy, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Leg } from '../model/operation.js';
import { reportedOf } from '../model/outbound.js';

/**
 * The change in the frozen bytes of a leg, with the seller's own ids. Only this was changed, whatever the
 * buyer requested.
 */
export function requestedChange(leg: Leg): UpdateMediaBuyRequest | undefined {
  // A seller whose tool lists no key was sent none; the reader requires one.
  const args = { idempotency_key: 'kept-for-reading-only', ...reportedOf(leg) };
  const read = updateMediaBuy.readRequest(args, leg.profile, new Map());
  return read.ok ? read.value : undefined;
}
