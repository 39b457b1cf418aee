import { writeXlsx } from 'hucre/xlsx';
import { csvRow } from '@switchyard/values';

/** One table of a document. Every row has a text for every column. */
export interface DocumentSection {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What is written as CSV, as a workbook or as pages. */
export interface TableDocument {
  readonly title: string;
  /** RFC 3339: the date that stands in the file, whenever it is written. */
  readonly madeAt: string;
  readonly sections: readonly DocumentSection[];
}

/** What is a number in a workbook. */
const plainNumber = /^-?\d+(\.\d+)?$/;

/** Rows as CSV (RFC 4180). Text that begins like a formula is escaped. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${csvRow(row)}\n`).join('');
}

/**
 * One table (RFC 4180): `record` says which section a row is of, and the other columns are those of all sections.
 */
export function csvBytes({ sections }: TableDocument): Buffer {
  const columns = [...new Set(sections.flatMap((section) => section.columns))];
  const rows = sections.flatMap((section) =>
    section.rows.map((row) => [
      section.name,
      ...columns.map((column) => row[section.columns.indexOf(column)] ?? ''),
    ]),
  );
  return Buffer.from(csvText([['record', ...columns], ...rows]), 'utf8');
}

/** A workbook with one sheet for each section. Amounts of up to 15 digits are numbers, longer ones are text. */
export async function workbookBytes({ sections, madeAt }: TableDocument): Promise<Uint8Array> {
  const created = new Date(madeAt);
  return writeXlsx({
    properties: { created, modified: created },
    stringMode: 'inline',
    sheets: sections.map(({ name, columns, rows }) => ({
      name,
      rows: [[...columns], ...rows.map((row) => row.map(cellOf))],
    })),
  });
}

function cellOf(text: string): string | number {
  return plainNumber.test(text) && text.replace(/[-.]/g, '').length <= 15 && !/^-?0\d/.test(text)
    ? Number(text)
    : text;
}
