import type { JsonObject } from '@switchyard/values';

/**
 * States of a row whose figures are late or will never come: its figures are placeholders
 * (docs/protocol/delivery.md#unknown-is-not-zero).
 */
export function isFiguresAway(status: string): boolean {
  return status === 'reporting_delayed' || status === 'failed';
}

/** Whether any figure is other than zero. A zero is a placeholder for a figure that is not available yet. */
export function hasFigures(totals: JsonObject | undefined): boolean {
  return Object.values(totals ?? {}).some((value) => typeof value === 'number' && value !== 0);
}
