/** An amount from the server's text, grouped by thousands. It is never parsed as a number, so that no digit is lost. */
export function moneyText(amount: string, currency?: string | null): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
  const cents = fraction === '' ? '' : `.${fraction.length < 2 ? fraction.padEnd(2, '0') : fraction}`;
  return `${grouped}${cents}${currency ? ` ${currency}` : ''}`;
}

export function Money({
  amount,
  currency,
}: {
  readonly amount: string | number | null | undefined;
  readonly currency?: string | null | undefined;
}) {
  if (amount === null || amount === undefined || amount === '') return <span>–</span>;
  return <span className="number">{moneyText(String(amount), currency ?? null)}</span>;
}

/** Micros (millionths) of decimal text, to add and compare; `undefined` if it is not an amount. */
export function micros(text: string): bigint | undefined {
  const found = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!found) return undefined;
  const [, sign, whole = '0', fraction = ''] = found;
  const value = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -value : value;
}

/** Decimal text of micros. */
export function decimal(value: bigint): string {
  const sign = value < 0n ? '-' : '';
  const plain = value < 0n ? -value : value;
  const fraction = (plain % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '');
  return `${sign}${plain / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The percentage of a whole, to one digit; 0 if the whole is 0. */
export function percentOf(part: string, whole: string): number {
  const all = micros(whole) ?? 0n;
  return all === 0n ? 0 : Number(((micros(part) ?? 0n) * 1_000n) / all) / 10;
}
