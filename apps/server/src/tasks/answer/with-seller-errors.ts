import { inBuyersWords, isSettled, type OperationState } from '@switchyard/buys';
import { projectError, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { withOurs } from './with-ours.js';

/**
 * What single sellers refused with, beside an answer that stands because others took their part. The releases allow no
 * `errors` there, and a row of a seller has place for a code alone.
 */
export function withSellerErrors(
  payload: JsonObject,
  state: OperationState,
  profile: WireProfile,
): JsonObject {
  const errors = state.legs
    .filter((leg) => isSettled(leg) && leg.status !== 'completed')
    .flatMap((leg) => leg.errors.map((error) => inBuyersWords(state, leg, error)))
    .map((error) => projectError(error, profile.dialect, profile.form));
  return withOurs(payload, { seller_errors: errors }, profile);
}
