import { plainDecimal } from '@switchyard/values';

/** Which character stands before the decimals. */
export type DecimalMark = 'point' | 'comma';

export const decimalMarks: readonly DecimalMark[] = ['point', 'comma'];

/** The plain decimal texts of a cell, by the mark that gives each; none if the cell is no number. */
export type NumberReadings = Readonly<Partial<Record<DecimalMark, string>>>;

/** Blanks that stand between groups of three digits. */
const blanks = '\\u0020\\u00A0\\u2007\\u2009\\u202F';

const shapes: Readonly<Record<DecimalMark, RegExp>> = {
  point: new RegExp(`^(?:\\d+|[1-9]\\d{0,2}(?:([,'’${blanks}])\\d{3})(?:\\1\\d{3})*)?(?:\\.\\d+)?$`),
  comma: new RegExp(`^(?:\\d+|[1-9]\\d{0,2}(?:([.'’${blanks}])\\d{3})(?:\\1\\d{3})*)?(?:,\\d+)?$`),
};

const exponent = /^(\d+(?:[.,]\d+)?)[eE]([+-]?\d{1,3})$/;
const groups = new RegExp(`[,.'’${blanks}]`, 'g');
const beside = /^(?:[A-Z]{3}|US\$|kr\.?|zł|Kč|Ft|R\$|[€$£¥₹₺₽₩]|%)$/;

/**
 * Reads a cell in each notation that fits: signs before and behind, parentheses for negative numbers, a currency before or
 * behind, and groups of three digits.
 */
export function numberReadings(cell: string): NumberReadings {
  const { digits, isNegative } = withoutSigns(cell);
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

function withoutSigns(cell: string): { readonly digits: string; readonly isNegative: boolean } {
  let text = cell.trim();
  let isNegative = false;
  for (let turn = 0; turn < 4; turn += 1) {
    const before = text;
    if (/^\(.*\)$/s.test(text)) [text, isNegative] = [text.slice(1, -1).trim(), true];
    if (minus.test(text)) [text, isNegative] = [text.slice(1).trim(), true];
    else if (/\d\s*[-\u2212]$/.test(text)) [text, isNegative] = [text.slice(0, -1).trim(), true];
    else if (text.startsWith('+')) text = text.slice(1).trim();
    text = withoutCurrency(text);
    if (text === before) break;
  }
  return { digits: text, isNegative };
}

function withoutCurrency(text: string): string {
  const front = /^([^\d\s.,(+\-\u2212\u2013]{1,4}\.?)\s*(?=[\d.,(+\-\u2212\u2013])/u.exec(text);
  if (front?.[1] !== undefined && beside.test(front[1])) return text.slice(front[0].length);
  const back = /(?<=[\d)\-\u2212])\s*([^\d\s.,()+\-\u2212\u2013]{1,4}\.?)$/u.exec(text);
  if (back?.[1] !== undefined && beside.test(back[1])) return text.slice(0, back.index).trim();
  return text;
}

/** Collects the cells of one column. */
export class NumberColumn {
  private readonly marks = new Set<DecimalMark>(decimalMarks);
  private example: string | undefined;
  private readonly wrong: { row: number; text: string }[] = [];
  count = 0;

  take(cell: string, row: number): void {
    if (cell === '') return;
    const readings = numberReadings(cell);
    if (readings.point === undefined && readings.comma === undefined) {
      if (this.wrong.length < 100) this.wrong.push({ row, text: cell });
      return;
    }
    this.count += 1;
    for (const mark of decimalMarks) if (readings[mark] === undefined) this.marks.delete(mark);
    if (this.example === undefined && readings.point !== readings.comma) {
      if (readings.point !== undefined && readings.comma !== undefined) this.example = cell;
    }
  }

  get fits(): readonly DecimalMark[] {
    return [...this.marks];
  }

  /** The marks are left, and they differ in this cell. */
  get doubt(): string | undefined {
    return this.marks.size === 2 ? this.example : undefined;
  }

  get faults(): readonly { readonly row: number; readonly text: string }[] {
    return this.wrong;
  }
}
