import type { DeliveryReport } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

/** The slowest streams report once a month: a time further ahead, in milliseconds, is ignored. */
export const announcedWithinMs = 32 * 24 * 3_600_000;

/**
 * Until when a report postpones figures (docs/protocol/delivery.md#missing-reports). Times too far in the past or
 * future are ignored.
 */
export function postponedUntil({ deliveries }: DeliveryReport, now: Instant): readonly Instant[] {
  return deliveries
    .map(({ expectedAvailability }) => Date.parse(expectedAvailability ?? ''))
    .filter((time) => Math.abs(time - now) < announcedWithinMs);
}
