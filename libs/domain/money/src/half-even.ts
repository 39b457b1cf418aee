/** `amount / divisor`, with ties to the even neighbor. Throws a `RangeError` unless the divisor is positive. */
export function divideHalfEven(amount: bigint, divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError('the divisor must be positive');
  const quotient = amount / divisor;
  const rest = amount % divisor;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient;
  return amount < 0n ? quotient - 1n : quotient + 1n;
}
