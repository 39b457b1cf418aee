/** What a client or campaign brought and cost in a month, in micros of one currency, without tax. */
export interface MarginParts {
  readonly billedMediaMicros: bigint;
  readonly markupMicros: bigint;
  readonly feesMicros: bigint;
  /** What sellers' invoices take off as our commission. */
  readonly commissionMicros: bigint;
  readonly mediaSpendMicros: bigint;
  readonly sellerFeesMicros: bigint;
  /** Differences that were paid as invoiced, and written off. */
  readonly differencesMicros: bigint;
}

/** What is left of what was billed and of commissions, and its part of what was billed in tenths of a percent. */
export function marginOf(parts: MarginParts): {
  readonly marginMicros: bigint;
  /** Rounded half up; absent where nothing was billed. */
  readonly percentTenths?: bigint;
} {
  const billed = parts.billedMediaMicros + parts.markupMicros + parts.feesMicros;
  const costs = parts.mediaSpendMicros + parts.sellerFeesMicros + parts.differencesMicros;
  const marginMicros = billed + parts.commissionMicros - costs;
  if (billed <= 0n) return { marginMicros };
  const doubled = marginMicros * 2_000n + (marginMicros < 0n ? -billed : billed);
  return { marginMicros, percentTenths: doubled / (billed * 2n) };
}
