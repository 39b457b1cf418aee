import type { Instant } from '@switchyard/values';

const hourMs = 3_600_000;

/** Days until a measurement window closes, by the names that sellers use; undefined of one that says no length. */
function daysOfWindow(window: string): number | undefined {
  if (window === '' || window === 'live') return 0;
  const days = /^c(\d{1,2})$/.exec(window)?.[1] ?? /_(\d{1,3})d$/.exec(window)?.[1];
  return days === undefined ? undefined : Number(days);
}

/**
 * Until when the party whose count is owed has to say its final count: `hours` after the close of the measurement window
 * that begins at the end of the period. Undefined where the length of that window is not known.
 */
export function finalCountDue(
  { window, hours }: { readonly window: string; readonly hours: number },
  periodEnd: Instant,
): Instant | undefined {
  const days = daysOfWindow(window);
  return days === undefined ? undefined : periodEnd + (days * 24 + hours) * hourMs;
}
