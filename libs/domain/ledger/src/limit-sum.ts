/**
 * What counts against a spending limit, and what the ledger has booked of the same buys, in one currency. `month` is set
 * for a limit per month.
 */
export interface LimitSum {
  readonly limitId: string;
  /** The limit as the command line names it: `client:ID`. */
  readonly limit: string;
  readonly currency: string;
  /** `YYYY-MM`. */
  readonly month?: string;
  readonly committedMicros: bigint;
  readonly pendingMicros: bigint;
  readonly bookedMicros: bigint;
}

/** Never true while commitments follow what is booked: the limit would give room that is spent already. */
export function isBelowBooked({ committedMicros, pendingMicros, bookedMicros }: LimitSum): boolean {
  return committedMicros + pendingMicros < bookedMicros;
}
