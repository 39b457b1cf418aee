import type { UnpackedCell } from './packed-row.js';
import { cellCounter, TableFault, type TableLimits } from './table-row.js';
import { numberOf } from './workbook-grid.js';
import type { XmlElement } from './xml-tree.js';

/** Whether a document is a workbook in one XML file, as Excel 2003 and exports of databases write it (SpreadsheetML). */
export const isXmlWorkbook = ({ name, children }: XmlElement): boolean =>
  name === 'Workbook' && children.some((child) => child.name === 'Worksheet');

interface XmlSheet {
  readonly sheet: string;
  readonly rows: readonly (readonly UnpackedCell[])[];
}

/** The sheets of such a workbook, the one with the most cells first. Throws `TableFault` beyond the limits. */
export function xmlSheets({ children }: XmlElement, limits: TableLimits): readonly XmlSheet[] {
  const count = cellCounter();
  const sheets = children
    .filter(({ name }) => name === 'Worksheet')
    .map((sheet) => ({
      sheet: (sheet.attributes['Name'] ?? '').slice(0, 100),
      rows: rowsOf(sheet, limits, count),
    }));
  const cells = ({ rows }: XmlSheet): number => rows.reduce((sum, row) => sum + row.length, 0);
  return sheets.filter((sheet) => cells(sheet) > 0).toSorted((one, other) => cells(other) - cells(one));
}

function rowsOf(
  sheet: XmlElement,
  { rows: most, columns }: TableLimits,
  count: (cells: number) => void,
): XmlSheet['rows'] {
  const table = sheet.children.find(({ name }) => name === 'Table');
  const rows: UnpackedCell[][] = [];
  for (const row of table?.children ?? []) {
    if (row.name !== 'Row') continue;
    // Rows and cells that are empty are left out: the next one says its number. Many empty rows are as one.
    if (Number(row.attributes['Index'] ?? 0) > rows.length + 1) rows.push([]);
    const cells: UnpackedCell[] = [];
    for (const cell of row.children) {
      if (cell.name !== 'Cell') continue;
      const place = Number(cell.attributes['Index'] ?? cells.length + 1);
      const across = Number(cell.attributes['MergeAcross'] ?? 0);
      if (!(place + across <= columns)) throw new TableFault(`The file has more than ${columns} columns.`);
      count(Math.max(0, place - 1 - cells.length) + 1 + across);
      while (cells.length < place - 1) cells.push('');
      cells.push(cellOf(cell));
      for (let more = 0; more < across; more += 1) cells.push('');
    }
    rows.push(cells);
    if (rows.length > most) throw new TableFault(`The file has more than ${most} rows.`);
  }
  return rows;
}

function cellOf(cell: XmlElement): UnpackedCell {
  const data = cell.children.find(({ name }) => name === 'Data');
  const text = data === undefined ? '' : textIn(data).trim();
  const mark = cell.attributes['Formula'] === undefined ? {} : ({ isFormula: true } as const);
  switch (data?.attributes['Type']) {
    case 'Number':
      return { ...numberOf(text), ...mark };
    case 'DateTime':
      return { kind: 'date', text: text.slice(0, 10), ...mark };
    case 'Error':
      return { kind: 'fault', text: `The cell has the error ${text.slice(0, 20)}.` };
    default:
      return text;
  }
}

/** Text with marks of its format inside is in elements of its own. */
const textIn = ({ text, children }: XmlElement): string => `${text}${children.map(textIn).join('')}`;
