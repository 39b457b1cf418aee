/** The parts of a decimal number: `0.digits x 10^point`, without leading or trailing zeros; zero has no digits. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  /** Position of the decimal point, counted from the left of `digits`. */
  readonly point: number;
}

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Limit for the length of a plain text. No double and no amount of money reaches it. */
const maxPlainLength = 2_000_000;

/**
 * The number as plain decimal text, without an exponent. `exact` holds the original text of numbers that a double
 * cannot hold, so the result is the value as it was received. Throws a `RangeError` for a number that is not finite.
 */
export function decimalTextAt(value: number, pointer: string, exact: ReadonlyMap<string, string>): string {
  const text = exact.get(pointer) ?? String(value);
  const plain = plainDecimal(text);
  if (plain === undefined) throw new RangeError('not a finite number');
  return plain;
}

/** Decimal text without exponent, superfluous zeros or `-0`; `undefined` where the text is no JSON number or too long. */
export function plainDecimal(text: string): string | undefined {
  const decimal = takeApart(text);
  if (decimal === undefined) return undefined;
  const { digits, point, negative } = decimal;
  if (digits === '') return '0';
  if (Math.abs(point) + digits.length > maxPlainLength) return undefined;
  const whole = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const part = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  return `${negative ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** Whether both texts name the same decimal value. */
export function sameDecimal(left: string, right: string): boolean {
  const a = takeApart(left);
  const b = takeApart(right);
  if (a === undefined || b === undefined) return false;
  if (a.digits !== b.digits) return false;
  return a.digits === '' || (a.point === b.point && a.negative === b.negative);
}

function takeApart(text: string): Decimal | undefined {
  const match = numberText.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', part = '', exponent = '0'] = match;
  const all = whole + part;
  const first = leadingZeros(all);
  const last = lastNonZero(all);
  return {
    negative: sign === '-',
    digits: all.slice(first, last + 1),
    point: whole.length - first + Number(exponent),
  };
}

/** A loop, because `/0+$/` takes quadratic time on untrusted input. */
function lastNonZero(digits: string): number {
  let at = digits.length - 1;
  while (at >= 0 && digits[at] === '0') at -= 1;
  return at;
}

function leadingZeros(digits: string): number {
  let at = 0;
  while (at < digits.length && digits[at] === '0') at += 1;
  return at;
}
