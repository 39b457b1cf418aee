/** PostgreSQL's name of a column's type. Amounts are digits, instants RFC 3339. */
type ColumnType = 'uuid' | 'text' | 'int' | 'bigint' | 'boolean' | 'timestamptz' | 'jsonb';
export type Cell = string | number | boolean | null;
export type Columns<Column extends string> = Readonly<Record<Column, ColumnType>>;
export type Cells<Column extends string> = Readonly<Record<Column, Cell>>;

/** Placeholders of a statement with one array per column, after `$1`: `$2::uuid[], $3::text[]`. */
export function arrayPlaces<Column extends string>(types: Columns<Column>): string {
  return namesOf(types)
    .map((column, index) => `$${index + 2}::${types[column]}[]`)
    .join(', ');
}

/** Rows as one array per column, in PostgreSQL's text format. */
export function arrayTexts<Column extends string>(
  types: Columns<Column>,
  rows: readonly Cells<Column>[],
): readonly string[] {
  return namesOf(types).map((column) => arrayText(rows, column));
}

export function namesOf<Column extends string>(types: Columns<Column>): readonly Column[] {
  return Object.keys(types) as Column[];
}

/** Text that needs no quotes in an array. */
const plain = /^[\w.:+-]+$/;

/** Control characters and single surrogates. */
const escapedByJson = /[\p{Cc}\p{Cs}]/u;

/** One column in PostgreSQL's array format. For a large batch this is most of the driver's time. */
function arrayText<Column extends string>(rows: readonly Cells<Column>[], column: Column): string {
  let text = '';
  let before: Cell | undefined;
  let written = '';
  for (const row of rows) {
    const cell = row[column];
    // The rows of one report have most texts in common.
    if (cell !== before) written = `,${element(cell)}`;
    before = cell;
    text += written;
  }
  return `{${text.slice(1)}}`;
}

function element(text: Cell): string {
  if (text === null) return 'NULL';
  if (typeof text !== 'string') return String(text);
  if (plain.test(text) && (text.length !== 4 || text.toUpperCase() !== 'NULL')) return text;
  // JSON escapes the same two characters and these; two passes take twice as long.
  if (!escapedByJson.test(text)) return JSON.stringify(text);
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
