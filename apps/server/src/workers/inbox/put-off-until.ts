import type { DeliveryReport } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

/** The slowest stream there is reports once a month: a time beyond that, in milliseconds, is for another season. */
export const announcedWithinMs = 32 * 24 * 3_600_000;

/**
 * Until when a report puts figures off (docs/protocol/delivery.md#missing-reports). Times of another season, past or to
 * come, say nothing.
 */
export function putOffUntil({ deliveries }: DeliveryReport, now: Instant): readonly Instant[] {
  return deliveries
    .map(({ expectedAvailability }) => Date.parse(expectedAvailability ?? ''))
    .filter((time) => Math.abs(time - now) < announcedWithinMs);
}
