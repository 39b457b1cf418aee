/** An amount of the whole that a request names, to be divided among its parts. */
export interface WholeAmount {
  /** The member that named it. */
  readonly field: string;
  /** Decimal text, above zero. */
  readonly amount: string;
  readonly currency: string;
}
