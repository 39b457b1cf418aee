import { createContext, use } from 'react';

/** ISO 4217: the decimals of the minor unit, where they are not two. */
const withoutDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ');
const withThreeDecimals = 'BHD IQD JOD KWD LYD OMR TND'.split(' ');

/** The decimals of a currency's minor unit; 2 for one that is not known. */
export const digitsOf = (currency: string): number =>
  withoutDecimals.includes(currency) ? 0 : withThreeDecimals.includes(currency) ? 3 : 2;

/** How many digits are shown: those of the currency, none, or those of the currency where they are not all 0. */
export type Digits = 'cents' | 'whole' | 'as needed';

/** Decimal text rounded half to even to some digits after the point. Text that is no amount stays as it is. */
export function rounded(amount: string, digits: number): string {
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount.trim());
  if (found === null) return amount;
  const [, sign, whole = '0', fraction = ''] = found;
  const kept = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  const rest = fraction.slice(digits);
  const half = `5${'0'.repeat(Math.max(0, rest.length - 1))}`;
  const isUp = rest !== '' && (rest > half || (rest === half && kept % 2n === 1n));
  const text = (kept + (isUp ? 1n : 0n)).toString().padStart(digits + 1, '0');
  const number = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return `${/[1-9]/.test(number) ? sign : ''}${number}`;
}

const grouped = (number: string): string => {
  const [whole = '', fraction] = number.replace('-', '−').split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`;
};

/** A number for people: grouped by thousands, with the digits that stand in it. */
export const numberText = (number: string): string => grouped(number);

/** An amount for people, with at most the digits of its currency. It is never parsed as a number, so that none is lost. */
export function moneyText(amount: string, currency?: string | null, show: Digits = 'as needed'): string {
  const digits = digitsOf(currency ?? '');
  const full = rounded(amount, show === 'whole' ? 0 : digits);
  const short = show === 'as needed' ? full.replace(/\.0+$/, '') : full;
  return `${grouped(short)}${currency ? ` ${currency}` : ''}`;
}

/** Whether a page shows cents in all its amounts, as finance pages do. */
export const ShowsCents = createContext(false);

/** An amount. Its exact text stands in the tooltip, and is what is copied. */
export function Money({
  amount,
  currency,
  show,
  isDifference = false,
}: {
  readonly amount: string | number | null | undefined;
  readonly currency?: string | null | undefined;
  readonly show?: Digits;
  /** True for a difference: it has a plus, and 0 is grey. */
  readonly isDifference?: boolean;
}) {
  const hasCents = use(ShowsCents);
  if (amount === null || amount === undefined || amount === '') return <span>–</span>;
  const exact = String(amount);
  const text = moneyText(exact, null, show ?? (hasCents ? 'cents' : 'as needed'));
  const isNothing = isDifference && !/[1-9]/.test(text);
  const sign = isDifference && !isNothing && !exact.startsWith('-') ? '+' : '';
  const shown = currency ? moneyText(exact, currency, show ?? (hasCents ? 'cents' : 'as needed')) : text;
  const [number] = shown.split(' ');
  return (
    <data
      className={isNothing ? 'money nothing' : 'money'}
      value={exact}
      title={`${exact}${currency ? ` ${currency}` : ''}`}
    >
      {sign}
      {number}
      {currency ? (
        <>
          {' '}
          <small>{currency}</small>
        </>
      ) : undefined}
    </data>
  );
}

/** A count: grouped; short from a million on, where there is little room. */
export function Count({ of, isShort = false }: { readonly of: string | number; readonly isShort?: boolean }) {
  const text = String(of);
  return (
    <data className="money" value={text} title={numberText(text)}>
      {isShort ? shortText(text) : numberText(text)}
    </data>
  );
}

/** A count in three digits: `2.61 M`, `757 k`. */
export function shortText(count: string): string {
  const number = Number(count);
  const [part, unit] =
    number >= 1e9 ? [number / 1e9, ' bn'] : number >= 1e6 ? [number / 1e6, ' M'] : [number / 1e3, ' k'];
  return number < 10_000
    ? numberText(String(Math.round(number)))
    : `${part.toPrecision(3).replace(/\.(\d*?)0+$/, (_, kept: string) => (kept === '' ? '' : `.${kept}`))}${unit}`;
}

/** A percentage: one digit below 10, none above. */
export const percentText = (percent: number): string => {
  const text = Math.abs(percent) >= 10 ? percent.toFixed(0) : percent.toFixed(1).replace(/\.0$/, '');
  return `${text.replace('-', '−')}%`;
};

/** What is copied out of one amount alone is its exact text. */
export function copyExactly(event: ClipboardEvent): void {
  const chosen = document.getSelection();
  const node = chosen?.anchorNode?.parentElement?.closest('data.money');
  if (!(node instanceof HTMLDataElement) || chosen === null) return;
  if (!node.contains(chosen.focusNode) || !chosen.containsNode(node, true)) return;
  event.clipboardData?.setData('text/plain', node.value);
  event.preventDefault();
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

/** The sum of amounts as decimal text; one that is absent counts nothing. */
export const sumText = (amounts: readonly (string | null | undefined)[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount ?? '0') ?? 0n), 0n));

/** The percentage of a whole, to one digit; 0 if the whole is 0. */
export function percentOf(part: string, whole: string): number {
  const all = micros(whole) ?? 0n;
  return all === 0n ? 0 : Number(((micros(part) ?? 0n) * 1_000n) / all) / 10;
}
