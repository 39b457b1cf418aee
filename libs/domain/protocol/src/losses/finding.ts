/** A part that could not be carried, or an irregularity of a peer's message. Never a failure. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}
