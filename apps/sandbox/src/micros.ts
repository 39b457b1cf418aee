import type { Json } from './json.js';

/**
 * Micros of the currency's major unit from an amount as JSON carries it; undefined for anything that is not a plain
 * amount of at most six decimals. The shortest text of the double is read, so that 0.1 is a tenth.
 */
export function microsOf(amount: Json | undefined): bigint | undefined {
  if (typeof amount !== 'number') return undefined;
  const parts = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(String(amount));
  if (!parts) return undefined;
  return BigInt(parts[1] ?? '0') * 1_000_000n + BigInt((parts[2] ?? '').padEnd(6, '0'));
}

/** The JSON number whose text is this amount. Exact below nine thousand million. */
export function amountOf(micros: bigint): number {
  const whole = micros / 1_000_000n;
  const rest = (micros % 1_000_000n).toString().padStart(6, '0');
  return Number(`${whole.toString()}.${rest}`);
}
