/** One row of a file. `row` counts from 1, without the header. */
export interface TableRow {
  readonly row: number;
  /** Trimmed text by column. A number is the text that the file has, a day is `YYYY-MM-DD`. */
  readonly cells: Readonly<Record<string, string>>;
  /** Columns whose cell cannot be taken, each with the reason. Such a cell has no text. */
  readonly faults?: Readonly<Record<string, string>>;
}

/** Caps of one file. */
export interface TableLimits {
  readonly rows: number;
  readonly columns: number;
  /** Of one row, in characters. */
  readonly rowLength: number;
}

export const usualLimits: TableLimits = { rows: 500_000, columns: 200, rowLength: 100_000 };

/** Why a file is not read. Thrown while rows are read, since they come one batch after the other. */
export class TableFault extends Error {
  constructor(
    message: string,
    /** The row that it is about; absent where it is the whole file. */
    readonly row?: number,
  ) {
    super(message);
    this.name = 'TableFault';
  }
}

/** Names of the columns. A column without a name is not read, and a name stands once. */
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
