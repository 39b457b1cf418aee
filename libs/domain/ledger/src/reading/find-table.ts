import { isDateText } from './date-formats.js';
import { fieldOfName, moneyFields, totalLabel } from './header-names.js';
import { isNumberText } from './number-formats.js';
import { textOfCell, type Grid } from './split-rows.js';

/** Where the table of a page is. Rows count from 0. */
export interface FoundTable {
  readonly header: number;
  /** The first row of the table behind its header, and the row behind its last one. */
  readonly from: number;
  readonly to: number;
  /** Names of the columns: an empty one is `Column 7`, the second `Notes` is `Notes (2)`. */
  readonly names: readonly string[];
  /** The names as written, folded blanks only. */
  readonly written: readonly string[];
  /** The headers of other tables of the file, and the first one below this table. */
  readonly others: readonly number[];
  readonly next?: number;
  /** Texts above and below the table, by label: `Date range` and what stands beside it. */
  readonly around: readonly LabelledText[];
  /** Those above the table. */
  readonly head: readonly LabelledText[];
}

export interface LabelledText {
  readonly label: string;
  readonly text: string;
}

/** Rows that may hold the header. */
const headRows = 80;

/** Finds the header, the rows and the texts around of the table in a file; undefined if it has none. */
export function findTable(grid: Grid): FoundTable | undefined {
  let best: { readonly row: number; readonly score: number } | undefined;
  for (let row = 0; row < Math.min(grid.rows, headRows); row += 1) {
    const score = scoreOf(grid, row);
    if (score > (best?.score ?? 0)) best = { row, score };
  }
  if (best === undefined) return undefined;
  const found = firstLike(grid, best.row);
  const lines = linesBelow(grid, found);
  const header = lines ?? found;
  const written = grid.cells(header).map((cell) => textOfCell(cell).replaceAll(/\s+/gu, ' ').trim());
  while (written.length > 0 && written.at(-1) === '') written.pop();
  const others = otherTables(grid, header).filter((row) => lines === undefined || row !== found);
  const next = others.find((row) => row > header);
  const to = endOf(grid, { header, width: written.length, last: next ?? grid.rows });
  const pairs = lines === undefined ? [] : pairsOf(grid, found);
  const head = [...labelled(grid, 0, lines === undefined ? header : found), ...pairs];
  return {
    header,
    from: header + 1,
    to,
    names: uniqueNames(written),
    written,
    head,
    around: [...head, ...labelled(grid, to, grid.rows)],
    others,
    ...(next !== undefined && { next }),
  };
}

const saysNumber = (grid: Grid, row: number): boolean =>
  grid.cells(row).some((cell) => fieldOfName(textOfCell(cell))?.field === 'number');

/** The header of the lines below a table of one row that says the number of its document and its sums. */
function linesBelow(grid: Grid, header: number): number | undefined {
  if (!saysNumber(grid, header) || header + 2 >= grid.rows || !isEmpty(grid, header + 2)) return undefined;
  const below = otherTables(grid, header).find((row) => row > header);
  return below === undefined || saysNumber(grid, below) || !saysMoney(grid, below) ? undefined : below;
}

const saysMoney = (grid: Grid, row: number): boolean =>
  grid.cells(row).some((cell) => moneyFields.some((field) => field === fieldOfName(textOfCell(cell))?.field));

/** The cells of a row with the names above them. */
const pairsOf = (grid: Grid, header: number): readonly LabelledText[] =>
  grid.cells(header).flatMap((cell, at) => {
    const [label, text] = [textOfCell(cell), textOfCell(grid.cells(header + 1)[at])];
    return label === '' || text === '' ? [] : [{ label, text }];
  });

/** A header may be repeated on each page: the first one counts. */
function firstLike(grid: Grid, header: number): number {
  const textOf = (row: number): string => grid.cells(row).map(textOfCell).join('\u0000');
  const text = textOf(header);
  for (let row = 0; row < header; row += 1) if (textOf(row) === text) return row;
  return header;
}

const ofTaxTable: ReadonlySet<string> = new Set(['tax_rate', 'tax', 'net', 'gross', 'amount', 'currency']);

/** How much a row looks like a header; zero if it cannot be one. */
function scoreOf(grid: Grid, row: number): number {
  const cells = grid.cells(row).map(textOfCell);
  const texts = cells.filter((text) => text !== '');
  const different = new Set(texts).size;
  const knownNames = texts.filter((text) => fieldOfName(text) !== undefined).length;
  if (different < 2 && knownNames === 0) return 0;
  const values = texts.filter((text) => isNumberText(text) || isDateText(text)).length;
  if (values * 4 > texts.length) return 0;
  if (texts.some((text) => text.length > 200)) return 0;
  let [rows, numbers, alike] = [0, 0, 0];
  for (let at = row + 1; at < grid.rows && rows < 20; at += 1) {
    const below = grid.cells(at).map(textOfCell);
    const filled = below.filter((text) => text !== '').length;
    if (filled === 0) {
      if (rows > 0) break;
      continue;
    }
    rows += 1;
    if (Math.abs(filled - texts.length) <= 1 + texts.length / 4) alike += 1;
    if (below.some((text) => isNumberText(text))) numbers += 1;
  }
  if (rows > 0 && (alike === 0 || numbers === 0) && knownNames < 2) return 0;
  // The sums of each rate of tax are no lines.
  const fields = texts.map((text) => fieldOfName(text)?.field);
  const isTaxTable =
    fields.includes('tax_rate') && fields.every((field) => field === undefined || ofTaxTable.has(field));
  if (isTaxTable) return 0.01;
  const body = rows === 0 ? 0 : (alike + numbers) / rows;
  return knownNames * 4 + different + body * 3 - row * 0.01;
}

/** Headers of other tables above and below a table, such as that of the rates of tax. A header that is repeated is none. */
function otherTables(grid: Grid, header: number): readonly number[] {
  const names = (row: number): string => grid.cells(row).map(textOfCell).join('\u0000');
  const isHeader = (row: number): boolean => {
    const texts = grid
      .cells(row)
      .map(textOfCell)
      .filter((text) => text !== '');
    return (
      texts.length > 1 &&
      texts.every((text) => !isNumberText(text) && !isDateText(text) && totalLabel(text) === undefined) &&
      texts.filter((text) => fieldOfName(text) !== undefined).length > 1 &&
      grid.cells(row + 1).some((cell) => isNumberText(textOfCell(cell))) &&
      names(row) !== names(header)
    );
  };
  const found: number[] = [];
  for (let row = 0; row < header; row += 1)
    if ((row === 0 || filledIn(grid, row - 1) < 2) && isHeader(row)) found.push(row);
  // Large files are one table: only their last rows are looked at.
  for (let row = Math.max(header + 2, grid.rows - headRows); row < grid.rows - 1; row += 1)
    if (isEmpty(grid, row - 1) && !isEmpty(grid, row) && isHeader(row)) found.push(row);
  return found;
}

/** The table ends at an empty row that is followed by narrow ones. */
function endOf(
  grid: Grid,
  { header, width, last }: { readonly header: number; readonly width: number; readonly last: number },
): number {
  let end = last;
  while (end > header + 1 && isEmpty(grid, end - 1)) end -= 1;
  // Only the last rows of a file can be a foot.
  const first = Math.max(header + 1, end - headRows);
  for (let row = first; row < end; row += 1) {
    if (!isEmpty(grid, row)) continue;
    let isNarrow = true;
    for (let at = row + 1; at < end && isNarrow; at += 1)
      isNarrow = filledIn(grid, at) * 2 <= Math.max(width, 3);
    if (isNarrow) return row;
  }
  return withoutNotes(grid, header, end);
}

/** Sentences below a total, such as `Payable within 30 days`, are no rows. A last row without a total above may be cut off. */
function withoutNotes(grid: Grid, header: number, behind: number): number {
  let end = behind;
  const isNote = (row: number): boolean =>
    filledIn(grid, row) === 1 && !grid.cells(row).some((cell) => isNumberText(textOfCell(cell)));
  let last = end;
  while (last > header + 2 && isNote(last - 1)) last -= 1;
  // What was cut off ends in a number or a word of a cell, and not in a sentence.
  const isSentence = (row: number): boolean =>
    isNote(row) && grid.cells(row).some((cell) => textOfCell(cell).split(/\s+/).length >= 5);
  while (end > last && isSentence(end - 1)) end -= 1;
  const isBelowTotal = grid.cells(last - 1).some((cell) => totalLabel(textOfCell(cell)) !== undefined);
  return isBelowTotal ? last : end;
}

const filledIn = (grid: Grid, row: number): number =>
  grid.cells(row).filter((cell) => textOfCell(cell) !== '').length;

const isEmpty = (grid: Grid, row: number): boolean => filledIn(grid, row) === 0;

function uniqueNames(written: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return written.map((name, at) => {
    if (name === '') return `Column ${at + 1}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/** Texts of at most 200 rows: `label, text`, or `label: text` in one cell. */
function labelled(grid: Grid, from: number, to: number): FoundTable['around'] {
  const found: { label: string; text: string }[] = [];
  for (let row = from; row < Math.min(to, from + 200); row += 1) {
    const [first = '', ...others] = grid
      .cells(row)
      .map((cell) => textOfCell(cell).replaceAll('：', ':'))
      .filter((text) => text !== '');
    if (first === '') continue;
    const colon = first.indexOf(':');
    // `Date range: Oct 1, 2026 - Oct 31, 2026` without quotation marks is in several cells.
    if (others.length > 0 && colon > 0 && colon < first.length - 1)
      found.push({
        label: first.slice(0, colon),
        text: [first.slice(colon + 1).trim(), ...others].join(', '),
      });
    else if (others.length > 0) found.push({ label: first.replace(/:$/, ''), text: others.join(' ') });
    else if (colon > 0) found.push({ label: first.slice(0, colon), text: first.slice(colon + 1).trim() });
    else found.push({ label: '', text: first });
  }
  return found;
}
