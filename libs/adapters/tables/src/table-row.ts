/** One row of a file. `row` counts from 1, without the header. */
export interface TableRow {
  readonly row: number;
  /** Trimmed text by column. A number is the text that the file has, a day is `YYYY-MM-DD`. */
  readonly cells: Readonly<Record<string, string>>;
  /** Columns with an unusable cell, each with the reason. Such a cell is not in `cells`. */
  readonly faults?: Readonly<Record<string, string>>;
}

/** Limits of one file. */
export interface TableLimits {
  readonly rows: number;
  readonly columns: number;
  /** Of one row, in characters. */
  readonly rowLength: number;
}

export const usualLimits: TableLimits = { rows: 500_000, columns: 200, rowLength: 100_000 };

/** Most cells of a page or of a workbook in one XML file, with the empty ones that a span or a place stands for. */
const cellsAtMost = 2_000_000;

/** Counts cells, and throws `TableFault` beyond `cellsAtMost`. */
export function cellCounter(): (more: number) => void {
  let cells = 0;
  return (more) => {
    cells += more;
    if (cells > cellsAtMost) throw new TableFault(`The file has more than ${cellsAtMost} cells.`);
  };
}

/** Why a file cannot be read. It is thrown, because rows are yielded in batches. */
export class TableFault extends Error {
  constructor(
    message: string,
    /** The row of the fault; absent if the fault is of the whole file. */
    readonly row?: number,
  ) {
    super(message);
    this.name = 'TableFault';
  }
}

/** Names of the columns. A column without a name is not read; each name must be unique. */
export function namesOfHeader(
  cells: readonly string[],
  { columns }: TableLimits,
): readonly (string | undefined)[] {
  if (cells.length > columns) throw new TableFault(`The file has more than ${columns} columns.`);
  const names = cells.map((cell) => cell.trim());
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) throw new TableFault(`The header names the column ${twice} twice.`);
  if (names.every((name) => name === '')) throw new TableFault('The file has no header row.');
  return names.map((name) => (name === '' ? undefined : name));
}

/** Rows of one batch. */
export const rowsAtOnce = 500;
