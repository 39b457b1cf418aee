/** The first moment of a local day `YYYY-MM-DD`, in RFC 3339 UTC. */
export function startOfDay(day: string, timeZone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const guessed = midnight - aheadOfUtc(midnight, timeZone);
  return new Date(midnight - aheadOfUtc(guessed, timeZone)).toISOString();
}

/** The local day of a moment, `YYYY-MM-DD`. */
export const dayAt = (instant: number, timeZone: string): string => localText(instant, timeZone).slice(0, 10);

/** `2026-11-01 00:00:00` */
const localText = (instant: number, timeZone: string): string =>
  new Date(instant).toLocaleString('sv-SE', { timeZone });

/** Milliseconds, for a moment on a full second. */
const aheadOfUtc = (instant: number, timeZone: string): number =>
  Date.parse(`${localText(instant, timeZone).replace(' ', 'T')}Z`) - instant;
