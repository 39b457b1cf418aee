import { fieldOfName, moneyFields } from './header-names.js';
import { isNumberText } from './number-formats.js';
import { textOfCell, type Grid } from './split-rows.js';

/** Rows that one document may have in this form. */
const rowsAtMost = 60;

/**
 * The table of a file that says one document in pairs, a name and its value in each row: one header and one row. Undefined
 * for any other file.
 */
export function standingGrid(grid: Grid): Grid | undefined {
  if (grid.rows > rowsAtMost) return undefined;
  const pairs: (readonly [name: string, value: string])[] = [];
  const titles: string[] = [];
  for (let row = 0; row < grid.rows; row += 1) {
    const [name, value, another] = grid
      .cells(row)
      .map(textOfCell)
      .filter((text) => text !== '');
    if (name === undefined) continue;
    if (another !== undefined) return undefined;
    if (value === undefined) titles.push(name);
    else pairs.push([name.replace(/\s*:$/, ''), value]);
  }
  const known = pairs.flatMap(([name]) => fieldOfName(name)?.field ?? []);
  const isOnce = new Set(pairs.map(([name]) => name)).size === pairs.length;
  const isMoney = (name: string): boolean => moneyFields.some((field) => field === fieldOfName(name)?.field);
  const hasAmount = pairs.some(([name, value]) => isNumberText(value) && isMoney(name));
  // `Description, Amount` is the header of lines with two columns.
  if (pairs.some(([, value]) => !isNumberText(value) && isMoney(value))) return undefined;
  if (!isOnce || !hasAmount || !known.includes('number') || known.length < 4) return undefined;
  if (known.length * 2 < pairs.length) return undefined;
  const rows = [
    ...titles.map((title) => [title]),
    pairs.map(([name]) => name),
    pairs.map(([, value]) => value),
  ];
  return { rows: rows.length, cells: (row) => rows[row] ?? [] };
}
