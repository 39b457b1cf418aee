import { taskError, type SellerRow, type TaskError } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

/** Age in seconds up to which an observation counts as an answer. */
const freshForSeconds = 60;

/**
 * The error where an older observation replaces a missing answer (docs/protocol/errors.md#stale-answers): the
 * read succeeds, and the error has the age. Undefined while the observation is fresh.
 */
export function staleResponse(
  { seller, reason, code }: SellerRow,
  seenAt: Instant,
  now: Instant,
): TaskError | undefined {
  const age = Math.max(0, Math.floor((now - seenAt) / 1_000));
  if (age <= freshForSeconds) return undefined;
  return taskError('STALE_RESPONSE', `${seller} did not answer: its last known state is shown.`, {
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
