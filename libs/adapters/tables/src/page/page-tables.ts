import type { TableDocument } from '../table-document.js';
import type { PageDocument } from './page-document.js';

/** The document as tables, for a workbook: one of its names and values, then its own. */
export function pageTables({
  from,
  title,
  subtitle,
  lead,
  madeAt,
  parties = [],
  facts,
  figures = [],
  bars,
  tables,
  notes,
  proof,
}: PageDocument): TableDocument {
  const about = [
    ['from', from],
    ['title', title],
    ...(subtitle === undefined ? [] : [['about', subtitle]]),
    ...(lead === undefined ? [] : [['words', lead]]),
    ...parties.map(({ name, lines }) => [name, lines.join(', ')]),
    ...facts.map(([name, value]) => [name, value]),
    ...figures.map(({ name, value, note }) => [name, note === undefined ? value : `${value}, ${note}`]),
    ...notes.map((note) => ['note', note]),
    ...proof.map((line) => ['proof', line]),
  ];
  return {
    title,
    madeAt,
    sections: [
      { name: 'document', columns: ['name', 'value'], rows: about },
      ...tables.map(({ name, columns, rows, sums = [] }) => ({
        name: sheetName(name),
        columns: columns.map((column) => column.name),
        rows: [...rows, ...sums].map((row) =>
          row.map((cell, at) => (columns[at]?.isFigure === true ? plainFigure(cell) : cell)),
        ),
      })),
      ...(bars === undefined
        ? []
        : [
            {
              name: sheetName(bars.name),
              columns: ['day', bars.unit, 'planned'],
              rows: bars.bars.map(({ label, text, planned }) => [
                ...[label, plainFigure(text), planned === undefined ? '' : String(planned)],
              ]),
            },
          ]),
    ],
  };
}

/** A workbook takes 31 characters, and none of these. */
const sheetName = (name: string): string => name.replaceAll(/[\\/?*[\]:]/g, ' ').slice(0, 31);

/** A figure with groups of digits, as a number that a workbook adds up. */
const plainFigure = (text: string): string =>
  /^-?\d{1,3}(,\d{3})*(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
