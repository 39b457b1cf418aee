import { translateError, isSettled, type OperationState } from '@switchyard/buys';
import { projectError, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { withOurs } from './with-ours.js';

/**
 * Adds the refusals of single sellers to an answer that is valid because others accepted. The releases allow no
 * `errors` there, and a seller's row has only a code.
 */
export function withSellerErrors(
  payload: JsonObject,
  state: OperationState,
  profile: WireProfile,
): JsonObject {
  const errors = state.legs
    .filter((leg) => isSettled(leg) && leg.status !== 'completed')
    .flatMap((leg) => leg.errors.map((error) => translateError(state, leg, error)))
    .map((error) => projectError(error, profile.dialect, profile.form));
  return withOurs(payload, { seller_errors: errors }, profile);
}
