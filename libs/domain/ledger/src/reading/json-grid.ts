import { ReadingFault, type Cell, type Grid, type GridLimits } from './split-rows.js';

const mostCharacters = 1_000_000;

/**
 * A JSON array of objects as a table: the names of all members are its header. Numbers are taken as the text that the
 * file has, so that no amount passes through a floating point number.
 */
export function jsonGrid(text: string, limits: GridLimits): Grid {
  if (text.length > mostCharacters)
    throw new ReadingFault('The JSON file is too large. Save a larger table as CSV.');
  const list = parsed(text);
  if (list.length > limits.rows) throw new ReadingFault(`The file has more than ${limits.rows} rows.`);
  const names: string[] = [];
  const known = new Set<string>();
  for (const [at, item] of list.entries()) {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw new ReadingFault(`Row ${at + 1} is no object.`);
    for (const name of Object.keys(item)) {
      if (known.has(name)) continue;
      known.add(name);
      names.push(name);
    }
    if (names.length > limits.columns)
      throw new ReadingFault(`The file has more than ${limits.columns} columns.`);
  }
  return {
    rows: list.length + 1,
    cells: (row) => (row === 0 ? names : names.map((name) => cellOf(list[row - 1], name))),
  };
}

function parsed(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(withNumbersAsText(text));
  } catch {
    throw new ReadingFault('The file begins like JSON and is not valid JSON.');
  }
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new ReadingFault('The JSON file is no array of objects.');
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Valid JSON stays valid: only numbers outside of texts get quotation marks, with a mark of their own. */
const withNumbersAsText = (text: string): string =>
  text.replaceAll(tokens, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`));

function cellOf(item: unknown, name: string): Cell {
  const value = Object.hasOwn(item as object, name) ? (item as Record<string, unknown>)[name] : undefined;
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value !== 'string') return { kind: 'fault', text: 'The member is no text and no number.' };
  return value.startsWith('\u0000') ? numberCell(value.slice(1)) : value.trim();
}

const numberCell = (text: string): Cell => ({ kind: 'number', text });
