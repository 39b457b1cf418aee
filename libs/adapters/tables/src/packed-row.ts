/** A cell of a workbook. Text is a string; a value has its kind. */
export type UnpackedCell =
  | string
  | {
      /** `fault`: the cell cannot be used, and `text` says why. */
      readonly kind: 'number' | 'date' | 'fault';
      readonly text: string;
      /** It is computed: the value is the one that was stored last. */
      readonly isFormula?: true;
      /** What its format shows beside the number, such as a sign of a currency. */
      readonly sign?: string;
    };

const between = '\u001F';
const marks = { number: '\u0001', date: '\u0002', fault: '\u0003' } as const;
const formula = '\u0004';
const beside = '\u0005';
/** What stands within a cell, between two cells, and between two rows (`packRows`). */
const controls = new RegExp(`[${Object.values(marks).join('')}${formula}${beside}${between}\u001E]`, 'g');

/** A row as one text: a large sheet is in memory as little more than its text. */
export function packRow(cells: readonly UnpackedCell[]): string {
  return cells
    .map((cell) => {
      if (typeof cell === 'string') return cell.replaceAll(controls, ' ');
      const sign = cell.sign === undefined ? '' : `${beside}${cell.sign.replaceAll(controls, ' ')}`;
      return `${cell.isFormula === true ? formula : ''}${marks[cell.kind]}${cell.text.replaceAll(controls, ' ')}${sign}`;
    })
    .join(between);
}

export function unpackRow(row: string): readonly UnpackedCell[] {
  if (row === '') return [];
  return row.split(between).map((packed) => {
    const isFormula = packed.startsWith(formula);
    const text = isFormula ? packed.slice(1) : packed;
    const kind = (['number', 'date', 'fault'] as const).find((one) => text.startsWith(marks[one]));
    if (kind === undefined) return text;
    const [value = '', sign] = text.slice(1).split(beside);
    return { kind, text: value, ...(isFormula && { isFormula }), ...(sign !== undefined && { sign }) };
  });
}
