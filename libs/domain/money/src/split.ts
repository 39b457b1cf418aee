/**
 * Splits an amount by weights without losing or adding a micro: each share is a whole number of `unit`s,
 * rounded down, and the last share gets the remainder (docs/protocol/media-buys.md#money). Throws a
 * `RangeError` for negative weights, or if their sum is zero.
 */
export function splitByWeights(amount: bigint, weights: readonly bigint[], unit = 1n): readonly bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= 0n || weights.some((weight) => weight < 0n)) throw new RangeError('weights must be positive');
  const shares = weights.map((weight) => ((amount * weight) / total / unit) * unit);
  const shared = shares.reduce((sum, share) => sum + share, 0n);
  const last = shares.length - 1;
  return shares.map((share, index) => (index === last ? share + amount - shared : share));
}

/** The sum of amounts; zero for none. */
export function sumMicros(amounts: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return sum;
}
