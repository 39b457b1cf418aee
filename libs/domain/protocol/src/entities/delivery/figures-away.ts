import type { JsonObject } from '@switchyard/values';

/**
 * States of a row whose figures are still to come, or never will: what stands in it holds a place
 * (docs/protocol/delivery.md#unknown-is-not-zero).
 */
export function isFiguresAway(status: string): boolean {
  return status === 'reporting_delayed' || status === 'failed';
}

/** A zero holds the place of a figure that is not there yet; anything else was meant. */
export function hasFigures(totals: JsonObject | undefined): boolean {
  return Object.values(totals ?? {}).some((value) => typeof value === 'number' && value !== 0);
}
