import { err, ok, plainDecimal, type Result } from '@switchyard/values';

/** An amount in millionths of a currency's major unit. */
export type Micros = bigint;

interface DecimalError {
  /** `too_precise`: more decimals than micros. `too_large`: over twelve digits before the point: sums fit 64 bits. */
  readonly code: 'not_a_number' | 'too_precise' | 'too_large';
}

const decimals = 6;
const maxWholeDigits = 12;

/** Converts decimal text (an exponent is expanded) to micros, exactly. */
export function parseDecimal(text: string): Result<Micros, DecimalError> {
  const parts = takeApart(text);
  if (!parts.ok) return parts;
  if (parts.value.part.length > decimals) return err({ code: 'too_precise' });
  return ok(joined(parts.value.negative, parts.value.whole, parts.value.part.padEnd(decimals, '0')));
}

/**
 * Converts decimal text to micros, rounded half to even: for reported figures, whose text is stored as well
 * (docs/protocol/media-buys.md#money).
 */
export function roundToMicros(text: string): Result<Micros, DecimalError> {
  const parts = takeApart(text);
  if (!parts.ok) return parts;
  const { negative, whole, part } = parts.value;
  const scale = 10n ** BigInt(Math.max(part.length - decimals, 0));
  const fine = joined(negative, whole, part.padEnd(decimals, '0'));
  return ok(divideHalfEven(fine, scale));
}

/** Rounds a valid amount like `roundToMicros`; throws a `RangeError` for other text. */
export function microsOf(text: string): Micros {
  const micros = roundToMicros(text);
  if (!micros.ok) throw new RangeError(`not an amount (${micros.error.code})`);
  return micros.value;
}

/** The shortest decimal text: `12.5`, `-0.000001`, `3`. */
export function microsToDecimal(micros: Micros): string {
  const negative = micros < 0n;
  const digits = (negative ? -micros : micros).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const part = digits.slice(-decimals).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** Number of decimals that the amount needs: 0 to 6. */
export function decimalsOf(micros: Micros): number {
  return microsToDecimal(micros).split('.')[1]?.length ?? 0;
}

interface Digits {
  readonly negative: boolean;
  readonly whole: string;
  readonly part: string;
}

function takeApart(text: string): Result<Digits, DecimalError> {
  const plain = plainDecimal(text);
  if (plain === undefined) return err({ code: 'not_a_number' });
  const negative = plain.startsWith('-');
  const [whole = '0', part = ''] = (negative ? plain.slice(1) : plain).split('.');
  if (whole.length > maxWholeDigits) return err({ code: 'too_large' });
  return ok({ negative, whole, part });
}

function joined(negative: boolean, whole: string, part: string): bigint {
  const magnitude = BigInt(whole + part);
  return negative ? -magnitude : magnitude;
}

/** `amount / divisor`, with ties to the even neighbor. Throws a `RangeError` unless the divisor is positive. */
export function divideHalfEven(amount: bigint, divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError('the divisor must be positive');
  const quotient = amount / divisor;
  const rest = amount % divisor;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient;
  return amount < 0n ? quotient - 1n : quotient + 1n;
}

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
