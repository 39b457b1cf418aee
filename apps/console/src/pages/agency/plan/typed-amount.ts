/**
 * An amount as a person types it, as decimal text: `14,000`, `14.000` and `14 000` are fourteen thousand, `2500.50` and
 * `2500,50` have cents. One separator before exactly three digits groups thousands. Undefined where it is no amount.
 */
export function typedAmount(text: string): string | undefined {
  const plain = text.trim().replaceAll(/[\s'’_]/g, '');
  if (!/^\d[\d.,]*$/.test(plain)) return undefined;
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (last === -1) return plain;
  const sign = plain[last] ?? '';
  const other = sign === '.' ? ',' : '.';
  const after = plain.slice(last + 1);
  const isOnce = plain.indexOf(sign) === last;
  const isDecimal = plain.includes(other) ? isOnce : isOnce && after.length !== 3;
  const whole = (isDecimal ? plain.slice(0, last) : plain).replaceAll(/[.,]/g, '');
  if (isDecimal && (after === '' || after.length > 6)) return undefined;
  return isDecimal ? `${whole}.${after}` : whole;
}
