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
