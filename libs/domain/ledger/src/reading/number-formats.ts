import { isCurrency } from '@switchyard/money';
import { plainDecimal } from '@switchyard/values';

/** Which character stands before the decimals. */
export type DecimalMark = 'point' | 'comma';

export const decimalMarks: readonly DecimalMark[] = ['point', 'comma'];

/** The plain decimal texts of a cell, by the mark that gives each; none if the cell is no number. */
export type NumberReadings = Readonly<Partial<Record<DecimalMark, string>>>;

/** Blanks that stand between groups of three digits. */
const blanks = '\\u0020\\u00A0\\u2007\\u2009\\u202F';

const shapes: Readonly<Record<DecimalMark, RegExp>> = {
  // The groups of India have three digits and then two each: `12,34,567.50`.
  point: new RegExp(
    `^(?:\\d+|[1-9]\\d{0,2}(?:([,'’${blanks}])\\d{3})(?:\\1\\d{3})*|[1-9]\\d?(?:,\\d{2})+,\\d{3})?(?:\\.\\d+)?$`,
  ),
  comma: new RegExp(`^(?:\\d+|[1-9]\\d{0,2}(?:([.'’${blanks}])\\d{3})(?:\\1\\d{3})*)?(?:,\\d+)?$`),
};

/** Most numbers of large files. Three digits behind a point may be a group. */
const plainest = /^(?:0|[1-9]\d{0,14})(?:\.(?:\d\d?|\d{4,6}))?$/;

/** Zero as a spreadsheet shows it in its format of accounting: `$ -`, `- €`. */
const dashOfMoney = /^\s*(?:(?:\p{Sc}|[A-Z]{3})\s+[-–—]|[-–—]\s+(?:\p{Sc}|[A-Z]{3}))\s*$/u;

const exponent = /^(\d+(?:[.,]\d+)?)[eE]([+-]?\d{1,3})$/;
const groups = new RegExp(`[,.'’${blanks}]`, 'g');
/** Signs of currencies, and the currency of those that mean one alone. */
const currencySigns: Readonly<Record<string, string>> = {
  ...{ '€': 'EUR', '£': 'GBP', '₹': 'INR', '₺': 'TRY', '₽': 'RUB', '₩': 'KRW', zł: 'PLN', kč: 'CZK' },
  ...{ ft: 'HUF', r$: 'BRL', us$: 'USD', a$: 'AUD', c$: 'CAD', ca$: 'CAD', nz$: 'NZD', hk$: 'HKD' },
  ...{ s$: 'SGD', rs: 'INR', fr: 'CHF', sfr: 'CHF', 円: 'JPY', euro: 'EUR', euros: 'EUR' },
  ...{ '₪': 'ILS', '฿': 'THB', '₫': 'VND', '₱': 'PHP', '₦': 'NGN', '₴': 'UAH', '₸': 'KZT' },
  ...{
    rp: 'IDR',
    rm: 'MYR',
    nt$: 'TWD',
    mx$: 'MXN',
    's/': 'PEN',
    lei: 'RON',
    лв: 'BGN',
    원: 'KRW',
    元: 'CNY',
  },
  ...{ $: '', '¥': '', '￥': '', kr: '' },
};

/** The currency that a code or a sign means. `certain` is false for a sign of several currencies, such as `$`. */
export function currencyOfSign(
  text: string,
): { readonly code: string; readonly certain: boolean } | undefined {
  const plain = text.trim().replace(/\.$/, '');
  if (isCurrency(plain.toUpperCase())) return { code: plain.toUpperCase(), certain: true };
  const code = currencySigns[plain.toLowerCase()];
  return code === undefined ? undefined : { code, certain: code !== '' };
}

/** Currencies whose sign is `$`, `¥` or `kr`. */
const currenciesOfSign: Readonly<Record<string, string>> = {
  $: 'USD CAD AUD NZD SGD HKD MXN ARS CLP COP TWD UYU BBD BSD BMD JMD TTD XCD FJD NAD LRD BND KYD BRL',
  '¥': 'JPY CNY',
  '￥': 'JPY CNY',
  kr: 'SEK NOK DKK ISK',
};

/** The currencies that a code or sign beside an amount can mean; none for any other text. */
export function currenciesOf(sign: string): readonly string[] {
  const found = currencyOfSign(sign);
  if (found === undefined) return [];
  return found.certain
    ? [found.code]
    : (currenciesOfSign[sign.replace(/\.$/, '').toLowerCase()]?.split(' ') ?? []);
}

const easternDigits = /[\u0660-\u0669\u06F0-\u06F9\u066B\u066C]/g;

/** Digits of Arabic and Persian and the marks between them, and digits of another width, as ASCII. */
export const plainDigits = (cell: string): string =>
  isAscii.test(cell)
    ? cell
    : (/[\uFF00-\uFFEF]/.test(cell) ? cell.normalize('NFKC') : cell).replaceAll(easternDigits, (sign) =>
        sign === '\u066B' ? '.' : sign === '\u066C' ? ',' : String((sign.codePointAt(0) ?? 0) & 0xf),
      );

const isAscii = /^[ -~]*$/;

/** A rand stands before its number with a blank: `R1` is an id. A triangle is the minus of Japanese accounts. */
const unusualSigns = (cell: string): string =>
  /^[-R▲△]/.test(cell)
    ? cell.replace(/^(-?)R[ \u00A0](?=\d)/, '$1ZAR ').replace(/^[▲△]\s*(?=[\d¥￥])/, '-')
    : cell;

/** Text of a cell with plain digits, and with the cents that are left out: `12'345.-`, `€ 1.200,--`. */
const plainCell = (cell: string): string =>
  unusualSigns(plainDigits(cell).trim()).replace(/(?<=\d)([.,])(?:-{1,2}|–|—)(?=\s*\D{0,4}$)/, '$100');

/**
 * Reads a cell in each notation that fits: signs before and behind, parentheses for negative numbers, a currency before or
 * behind, `CR` behind for a credit, and groups of three digits. A percentage is no number.
 */
export function numberReadings(cell: string): NumberReadings {
  if (plainest.test(cell))
    return cell.includes('.') ? { point: cell.replace(/\.?0+$/, '') } : { point: cell, comma: cell };
  const { digits, isNegative } = withoutSigns(plainCell(cell));
  if (dashOfMoney.test(cell)) return { point: '0', comma: '0' };
  if (digits === '' || !/\d/.test(digits)) return {};
  const sign = isNegative ? '-' : '';
  const power = exponent.exec(digits);
  if (power !== null) {
    const mark: DecimalMark | undefined = /[.,]/.test(digits)
      ? digits.includes(',')
        ? 'comma'
        : 'point'
      : undefined;
    const text = plainDecimal(`${sign}${power[1]?.replace(',', '.') ?? ''}e${power[2] ?? '0'}`);
    if (text === undefined) return {};
    return mark === undefined ? { point: text, comma: text } : { [mark]: text };
  }
  const readings: Partial<Record<DecimalMark, string>> = {};
  for (const mark of decimalMarks) {
    if (!shapes[mark].test(digits)) continue;
    const at = digits.lastIndexOf(mark === 'point' ? '.' : ',');
    const isDecimal = at >= 0 && isDecimalAt(digits, at, mark);
    const whole = (isDecimal ? digits.slice(0, at) : digits).replaceAll(groups, '');
    const text = plainDecimal(
      `${sign}${whole === '' ? '0' : whole}${isDecimal ? `.${digits.slice(at + 1)}` : ''}`,
    );
    if (text !== undefined) readings[mark] = text;
  }
  return readings;
}

/** The shape holds, so the mark stands once and groups are cut by other characters. */
const isDecimalAt = (digits: string, at: number, mark: DecimalMark): boolean =>
  digits.indexOf(mark === 'point' ? '.' : ',') === at;

export const isNumberText = (cell: string): boolean => {
  const { point, comma } = numberReadings(cell);
  return point !== undefined || comma !== undefined;
};

const minus = /^[-\u2212\u2013]/;

interface Signed {
  readonly digits: string;
  readonly isNegative: boolean;
  /** A code or sign of a currency beside the number. */
  readonly currency?: string;
}

function withoutSigns(cell: string): Signed {
  let text = cell;
  let isNegative = false;
  let currency: string | undefined;
  for (let turn = 0; turn < 4; turn += 1) {
    const before = text;
    if (/^\(.*\)$/s.test(text)) [text, isNegative] = [text.slice(1, -1).trim(), true];
    if (minus.test(text)) [text, isNegative] = [text.slice(1).trim(), true];
    else if (/\d\s*[-\u2212]$/.test(text)) [text, isNegative] = [text.slice(0, -1).trim(), true];
    else if (/\d\s*CR$/.test(text)) [text, isNegative] = [text.slice(0, -2).trim(), true];
    else if (/\d\s*DR$/.test(text)) text = text.slice(0, -2).trim();
    else if (text.startsWith('+')) text = text.slice(1).trim();
    const beside = withoutCurrency(text);
    text = beside.text;
    currency ??= beside.currency;
    if (text === before) break;
  }
  return { digits: text, isNegative, ...(currency !== undefined && { currency }) };
}

/** The code or sign of a currency that stands beside the number of a cell. */
export const signOfCell = (cell: string): string | undefined => withoutSigns(plainCell(cell)).currency;

function withoutCurrency(text: string): { readonly text: string; readonly currency?: string } {
  const front = /^([^\d\s.,(+\-\u2212\u2013]{1,4}\.?)\s*(?=[\d.,(+\-\u2212\u2013])/u.exec(text)?.[0];
  if (front !== undefined && isCurrencyText(front))
    return { text: text.slice(front.length), currency: front.trim() };
  const back = /(?<=[\d)\-\u2212])\s*([^\d\s.,()+\-\u2212\u2013]{1,5}\.?)$/u.exec(text);
  if (back?.[1] !== undefined && isCurrencyText(back[1]))
    return { text: text.slice(0, back.index).trim(), currency: back[1] };
  return { text };
}

/** Codes in capitals alone: `INV-1` and `all 3` are no amounts. */
const isCurrencyText = (text: string): boolean =>
  currencyOfSign(text) !== undefined &&
  (text.trim().length !== 3 ||
    !/[a-z]/.test(text) ||
    /[^a-zA-Z]/.test(text) ||
    currencySigns[text.trim()] !== undefined);

/** Whether a cell that is read by a mark has decimals behind it, zeros too. */
const hasDecimals = (cell: string, mark: DecimalMark): boolean => {
  const parts = cell.split(mark === 'point' ? '.' : ',');
  return parts.length === 2 && /^\d/.test(parts[1] ?? '');
};

/** Collects the cells of one column. */
export class NumberColumn {
  private readonly marks = new Set<DecimalMark>(decimalMarks);
  private example: string | undefined;
  private readonly wrong: { row: number; text: string }[] = [];
  private readonly parts = new Set<DecimalMark>();
  private readonly lengths = { '.': new Set<number>(), ',': new Set<number>() };
  private readonly threes = new Map<string, string>();
  count = 0;

  take(cell: string, row: number): void {
    if (cell === '') return;
    const readings = numberReadings(cell);
    if (readings.point === undefined && readings.comma === undefined) {
      if (this.wrong.length < 100) this.wrong.push({ row, text: cell });
      return;
    }
    this.count += 1;
    const [, whole = '', sign, decimals = ''] = /^(.*)([.,])(\d+)\D*$/s.exec(cell) ?? [];
    if (sign === '.' || sign === ',') {
      this.lengths[sign].add(decimals.length);
      if (decimals.length === 3 && /^\D*[1-9]\d{0,2}$/.test(whole) && !this.threes.has(sign))
        this.threes.set(sign, cell);
    }
    for (const mark of decimalMarks) {
      if (readings[mark] === undefined) this.marks.delete(mark);
      else if (hasDecimals(cell, mark)) this.parts.add(mark);
    }
    if (this.example === undefined && readings.point !== readings.comma) {
      if (readings.point !== undefined && readings.comma !== undefined) this.example = cell;
    }
  }

  get fits(): readonly DecimalMark[] {
    return [...this.marks];
  }

  /** The marks by which all cells are whole numbers. */
  get wholeBy(): readonly DecimalMark[] {
    return this.fits.filter((mark) => !this.parts.has(mark));
  }

  /** The marks are left, and they differ in this cell. */
  get doubt(): string | undefined {
    return this.marks.size === 2 ? this.example : undefined;
  }

  /** A cell with three decimals among cells with two: it may have a group of three digits. */
  lonely(mark: DecimalMark): string | undefined {
    const sign = mark === 'point' ? '.' : ',';
    const lengths = this.lengths[sign];
    return lengths.has(2) && Math.max(...lengths) === 3 ? this.threes.get(sign) : undefined;
  }

  get faults(): readonly { readonly row: number; readonly text: string }[] {
    return this.wrong;
  }
}
