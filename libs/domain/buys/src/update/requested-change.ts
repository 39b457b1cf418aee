import { updateMediaBuy, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Leg } from '../model/operation.js';
import { reportedOf } from '../model/outbound.js';

/**
 * What the frozen bytes asked for, in the seller's own ids of buys and packages: that alone was changed, whatever the
 * buyer asked of us.
 */
export function requestedChange(leg: Leg): UpdateMediaBuyRequest | undefined {
  // A seller whose tool names no key was sent none; reading is not the place to miss it.
  const args = { idempotency_key: 'kept-for-reading-only', ...reportedOf(leg) };
  const read = updateMediaBuy.readRequest(args, leg.profile, new Map());
  return read.ok ? read.value : undefined;
}
