/** Milliseconds since the Unix epoch, UTC. */
export type Instant = number;

/** The only source of time and delays in the domain. Tests pass a clock that they move. */
export interface Clock {
  now(): Instant;
  /** Calls `then` after `delayMs` milliseconds, unless the returned function is called first. */
  after(delayMs: number, then: () => void): () => void;
}

/** RFC 3339 in UTC with milliseconds. */
export function isoOf(instant: Instant): string {
  return new Date(instant).toISOString();
}

const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Reads a date (its first moment in UTC) or a time with its offset (RFC 3339) from a request, an option or a file.
 * `undefined` for any other text and for a day that does not exist: `Date.parse` reads February 30 as March 2.
 */
export function readInstant(text: string): Instant | undefined {
  const [, year, month, day] = form.exec(text) ?? [];
  if (year === undefined) return undefined;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
