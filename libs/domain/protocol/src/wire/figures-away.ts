import type { JsonObject } from '@switchyard/values';
import { instantOf } from './period.js';
import { textAt } from './pick.js';

/** States of a row whose figures are still to come, or never will: what stands in it holds a place (tasks 15, R15). */
export function isFiguresAway(status: string): boolean {
  return status === 'reporting_delayed' || status === 'failed';
}

/** When the figures of a row are expected, as RFC 3339 UTC; nothing where it does not say, or not as a time. */
export function availabilityOf(row: JsonObject): string | undefined {
  const at = instantOf(textAt(row, 'expected_availability'));
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** A zero holds the place of a figure that is not there yet; anything else was meant. */
export function hasFigures(totals: JsonObject | undefined): boolean {
  return Object.values(totals ?? {}).some((value) => typeof value === 'number' && value !== 0);
}
