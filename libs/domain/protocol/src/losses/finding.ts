/** A member that could not be carried, or an irregularity of a peer's message. It is never a failure. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}
