import { taskError, type SellerRow, type TaskError } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

/** How old an observation may be and still pass for an answer, in seconds. */
const freshForSeconds = 60;

/**
 * What is said where an older observation stands in for a seller that did not answer
 * (docs/protocol/errors.md#stale-answers): the read succeeds, and says how old that is. Nothing while it is fresh.
 */
export function staleResponse(
  { seller, reason, code }: SellerRow,
  seenAt: Instant,
  now: Instant,
): TaskError | undefined {
  const age = Math.max(0, Math.floor((now - seenAt) / 1_000));
  if (age <= freshForSeconds) return undefined;
  return taskError('STALE_RESPONSE', `${seller} did not answer: what it last said is shown.`, {
    details: {
      served_from_cache: true,
      cache_age_seconds: age,
      freshness_target_seconds: freshForSeconds,
      upstream: { name: seller },
      seller,
      original_error: code ?? reason,
    },
  });
}
