import type { SellerRefusal } from '@switchyard/buys';
import { projectError, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** What sellers refused a question with, whole and each with who said it: the answer of the others stands beside it. */
export function sellerErrors(legs: readonly SellerRefusal[], profile: WireProfile): JsonObject[] {
  return legs.flatMap(({ seller, errors = [] }) =>
    errors.map((error) =>
      projectError({ ...error, details: { ...error.details, seller } }, profile.dialect, profile.form),
    ),
  );
}
