import type { SellerRefusal } from '@switchyard/buys';
import { projectError, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** The refusals of a read, complete and each with its seller: other sellers' results are beside them. */
export function sellerErrors(legs: readonly SellerRefusal[], profile: WireProfile): JsonObject[] {
  return legs.flatMap(({ seller, errors = [] }) =>
    errors.map((error) =>
      projectError({ ...error, details: { ...error.details, seller } }, profile.dialect, profile.form),
    ),
  );
}
