/** What a column takes, by PostgreSQL's name of its type. Amounts as digits, instants as RFC 3339. */
export type ColumnType = 'uuid' | 'text' | 'int' | 'bigint' | 'boolean' | 'timestamptz';
export type Cell = string | number | boolean | null;
export type Columns<Column extends string> = Readonly<Record<Column, ColumnType>>;
export type Cells<Column extends string> = Readonly<Record<Column, Cell>>;

/** The places of a statement that takes one array per column, from `first` on: `$2::uuid[], $3::text[]`. */
export function arrayPlaces<Column extends string>(types: Columns<Column>, first: number): string {
  return namesOf(types)
    .map((column, index) => `$${index + first}::${types[column]}[]`)
    .join(', ');
}

/** Rows as one array per column, each as PostgreSQL writes it. */
export function arrayTexts<Column extends string>(
  types: Columns<Column>,
  rows: readonly Cells<Column>[],
): readonly string[] {
  return namesOf(types).map((column) => arrayText(rows, column));
}

export function namesOf<Column extends string>(types: Columns<Column>): readonly Column[] {
  return Object.keys(types) as Column[];
}

/** Text that means itself in an array. */
const plain = /^[\w.:+-]+$/;

/** One column as PostgreSQL writes an array: for a large batch this is what the driver spends most of its time on. */
function arrayText<Column extends string>(rows: readonly Cells<Column>[], column: Column): string {
  let text = '{';
  for (const row of rows) text += text === '{' ? element(row[column]) : `,${element(row[column])}`;
  return `${text}}`;
}

function element(cell: Cell): string {
  if (cell === null) return 'NULL';
  const text = String(cell);
  if (plain.test(text) && text.toUpperCase() !== 'NULL') return text;
  // Two passes by plain texts take half the time of one by a pattern.
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
