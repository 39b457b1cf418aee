import { exceedsBounds } from '@switchyard/values';
import { fieldOfName } from './header-names.js';
import { ReadingFault, type Cell, type Grid, type GridLimits } from './split-rows.js';

const mostCharacters = 1_000_000;

/** Bytes of UTF-8 that are looked at: more characters than a JSON file may have. */
export const mostJsonBytes = 4 * mostCharacters + 8;

/** Members that are read in one step. */
const stepMembers = 5_000;
/** Cells of a table: a document with hundreds of members may have its lines in three characters each. */
const mostCells = 2_000_000;

/** A row: its own cells, and those of the document whose line it is. */
interface JsonRow {
  readonly own: Readonly<Record<string, Cell>>;
  readonly head?: Readonly<Record<string, Cell>>;
}

/**
 * A JSON document as a table: an array of objects, an object that holds one, or an object on each line. The names of all
 * members are its header. Members of an object within a row are columns too, `total net`; an object of an array within it,
 * such as the lines of an invoice, is a row of its own. Numbers are taken as the text that the file has, so that no amount
 * passes through a floating point number. Pauses between steps.
 */
export function* jsonGrid(text: string, limits: GridLimits): Generator<void, Grid> {
  if (text.length > mostCharacters)
    throw new ReadingFault('The JSON file is too large. Save a larger table as CSV.');
  const rows: JsonRow[] = [];
  const known = new Set<string>();
  let [step, cells] = [0, 0];
  for (const [at, item] of (yield* parsed(text)).entries()) {
    if (!isObject(item)) throw new ReadingFault(`Row ${at + 1} is no object.`);
    for (const row of rowsOf(item, limits.columns)) {
      const named = Object.keys(row.own);
      // A document is named once, however many lines it has.
      if (row.head !== undefined && row.head !== rows.at(-1)?.head) named.unshift(...Object.keys(row.head));
      for (const name of named) known.add(name);
      if (known.size > limits.columns) throw tooManyColumns(limits.columns);
      rows.push(row);
      cells += known.size;
      if (cells > mostCells) throw new ReadingFault(`The file has more than ${mostCells} cells.`);
      if (rows.length > limits.rows) throw new ReadingFault(`The file has more than ${limits.rows} rows.`);
      step += 1 + named.length;
      if (step < stepMembers) continue;
      step = 0;
      yield;
    }
  }
  const names = [...known];
  return {
    rows: rows.length + 1,
    cells: (row) => (row === 0 ? names : names.map((name) => cellIn(rows[row - 1], name))),
  };
}

const tooManyColumns = (most: number): ReadingFault =>
  new ReadingFault(`The file has more than ${most} columns.`);

/** A member of a line wins over one of its document with the same name. */
function cellIn(row: JsonRow | undefined, name: string): Cell {
  if (row === undefined) return '';
  if (Object.hasOwn(row.own, name)) return row.own[name] ?? '';
  return row.head !== undefined && Object.hasOwn(row.head, name) ? (row.head[name] ?? '') : '';
}

/** Of the text, before it is parsed in one step. */
const bounds = { maxDepth: 100, maxMembers: mostCharacters, maxWidth: 10_000 };

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one));

/** The names of columns for sums of a document, by the field that their name would mean on a line. */
const namesOfSums: ReadonlyMap<string, string> = new Map([
  ['net', 'document net'],
  ['tax', 'document tax'],
  ['gross', 'document gross'],
  ['amount', 'document total'],
]);

/** The rows of one object: one for each object of the only array of objects in it. */
function* rowsOf(item: JsonObject, columns: number): Generator<JsonRow> {
  const lists = Object.entries(item).filter(([, value]) => isTable(value));
  const [lines] = lists.length === 1 ? lists : [];
  const own = cellsOf(
    Object.entries(item).filter(([name]) => name !== lines?.[0]),
    columns,
  );
  if (lines === undefined) {
    yield { own };
    return;
  }
  const head = ofDocument(own);
  for (const line of lines[1] as readonly JsonObject[])
    yield { own: cellsOf(Object.entries(line), columns), head };
}

/** What an object with lines says is of the document: its number, and its sums. */
function ofDocument(cells: Readonly<Record<string, Cell>>): Readonly<Record<string, Cell>> {
  const head: Record<string, Cell> = {};
  for (const [name, cell] of Object.entries(cells)) {
    const sum = namesOfSums.get(fieldOfName(name)?.field ?? '');
    head[sum === undefined || sum in cells || sum in head ? name : sum] = cell;
    if (name === 'number') head['invoice number'] = cell;
  }
  return head;
}

function cellsOf(
  members: readonly (readonly [string, unknown])[],
  columns: number,
): Readonly<Record<string, Cell>> {
  const cells: [string, Cell][] = [];
  for (const [name, value] of members) {
    if (cells.length > columns) throw tooManyColumns(columns);
    if (isObject(value))
      for (const [inner, one] of Object.entries(value)) cells.push([`${name} ${inner}`, cellOf(one)]);
    else cells.push([name, cellOf(value)]);
  }
  return Object.fromEntries(cells);
}

function* parsed(text: string): Generator<void, readonly unknown[]> {
  if (exceedsBounds(text, bounds))
    throw new ReadingFault('The JSON file has too many members in one object, or is too deep.');
  yield;
  const value = valueOf(text) ?? (yield* linesOf(text));
  yield;
  if (value === undefined) throw new ReadingFault('The file begins like JSON and is not valid JSON.');
  if (Array.isArray(value)) return value as readonly unknown[];
  if (!isObject(value)) throw new ReadingFault('The JSON file is no array of objects.');
  return unwrapped(value, 5);
}

/** The list in an answer of a service, `{"data": {"invoices": [...]}}`, or the only document in it. */
function unwrapped(value: JsonObject, depth: number): readonly unknown[] {
  const members = Object.values(value);
  const lists = members.filter((one) => isTable(one));
  const isDocument = members.some((one) => typeof one === 'string');
  if (lists.length === 1 && !isDocument) return lists[0] ?? [];
  const [inner, another] = members.filter((one) => isObject(one));
  if (lists.length > 0 || inner === undefined || another !== undefined || depth === 0) return [value];
  return hasTable(inner, depth) ? unwrapped(inner, depth - 1) : [value];
}

const hasTable = (value: JsonObject, depth: number): boolean =>
  Object.values(value).some(
    (one) => isTable(one) || (depth > 0 && isObject(one) && hasTable(one, depth - 1)),
  );

function valueOf(text: string): unknown {
  try {
    return JSON.parse(withNumbersAsText(text));
  } catch {
    return undefined;
  }
}

/** An object on each line (JSON Lines). Undefined as soon as a line is none. */
function* linesOf(text: string): Generator<void, readonly unknown[] | undefined> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  const values: unknown[] = [];
  for (const line of lines) {
    const value = valueOf(line);
    if (!isObject(value)) return undefined;
    values.push(value);
    if (values.length % stepMembers === 0) yield;
  }
  return values;
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Valid JSON stays valid: only numbers outside of texts get quotation marks, with a mark of their own. */
const withNumbersAsText = (text: string): string =>
  text.replaceAll(tokens, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`));

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (Array.isArray(value) && value.length === 0) return '';
  if (typeof value !== 'string') return { kind: 'fault', text: 'The member is no text and no number.' };
  return value.startsWith('\u0000') ? numberCell(value.slice(1)) : value.trim();
}

const numberCell = (text: string): Cell => ({ kind: 'number', text });
