import { writeXlsx } from 'hucre/xlsx';
import { csvRow } from '@switchyard/values';

/** One table of a document. Every row has one text per column. */
export interface DocumentSection {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The content of a CSV file, a workbook or a PDF. */
export interface TableDocument {
  readonly title: string;
  /** RFC 3339: the date in the file, independent of when it is written. */
  readonly madeAt: string;
  readonly sections: readonly DocumentSection[];
}

/** Text that a workbook stores as a number. */
const plainNumber = /^-?\d+(\.\d+)?$/;

/** Rows as CSV (RFC 4180). Text that begins like a formula is escaped. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${csvRow(row)}\n`).join('');
}

/** One table (RFC 4180): `record` is the section of a row, and the other columns are those of all sections. */
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
