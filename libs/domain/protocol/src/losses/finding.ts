/** Something that could not be carried over, or that a peer said oddly. Never a failure. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}
