/** `amount / divisor`, a tie going to the even neighbour. The divisor is positive, else a `RangeError`. */
export function divideHalfEven(amount: bigint, divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError('the divisor has to be positive');
  const quotient = amount / divisor;
  const rest = amount % divisor;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient;
  return amount < 0n ? quotient - 1n : quotient + 1n;
}

/** `amount x numerator / denominator`, rounded once, half to even. */
export function multiplyHalfEven(amount: bigint, numerator: bigint, denominator: bigint): bigint {
  return divideHalfEven(amount * numerator, denominator);
}

/** Micros rounded half to even to so many decimals (0 to 6): to a currency's own precision, say. */
export function roundToDecimals(micros: bigint, decimals: number): bigint {
  const step = 10n ** BigInt(6 - Math.min(Math.max(decimals, 0), 6));
  return divideHalfEven(micros, step) * step;
}
