import { microsToDecimal } from '@switchyard/money';
import {
  chosenEncodings,
  decodeText,
  decodingWork,
  firstBeyondAscii,
  isBeyondAscii,
  textOf,
  type DecodedText,
} from './decode-text.js';
import { readEInvoice } from './e-invoice.js';
import type { FileBytes } from './file-bytes.js';
import { findTable } from './find-table.js';
import { fieldOfName, moneyFields } from './header-names.js';
import { jsonGrid, mostJsonBytes } from './json-grid.js';
import { readTable } from './read-table.js';
import type { FileReading, ReadingOptions, ReadingQuestion } from './reading.js';
import {
  ReadingFault,
  splitText,
  textOfCell,
  usualGridLimits,
  type Grid,
  type GridLimits,
} from './split-rows.js';
import type { XmlNode } from './xml-node.js';

/** What the bytes of a file are, after whatever needs a parser of its own was parsed. */
export type FileContent =
  | { readonly kind: 'text'; readonly bytes: FileBytes }
  | WorkbookContent
  | { readonly kind: 'xml'; readonly root: XmlNode };

interface WorkbookContent {
  readonly kind: 'workbook';
  readonly grid: Grid;
  readonly sheet: string;
  /** Rows that the sheet does not show, from 0. */
  readonly hidden?: ReadonlySet<number>;
  /** The first rows of the other sheets. */
  readonly others?: readonly { readonly sheet: string; readonly grid: Grid }[];
}

/**
 * Reads the documents of a file of a seller: finds encoding, table, formats, totals and documents, and asks where two
 * readings fit. It is a pure function of its arguments, and pauses between steps. Throws `ReadingFault` where nothing can
 * be read.
 */
export function* readDocuments(
  content: FileContent,
  options: ReadingOptions,
  limits: GridLimits = usualGridLimits,
): Generator<void, FileReading> {
  if (content.kind === 'xml') return readEInvoice(content.root, options);
  if (content.kind === 'workbook') return yield* readWorkbook(content, options);
  const decoded = yield* decodedByHeader(content.bytes, options.answers.get('encoding'), limits);
  yield;
  const { by, encoding: name, isDoubtful } = decoded;
  if (/^\s*(?:\[|\{\s*["}])/.test(textOf(decoded, 0, 100))) {
    const grid = yield* jsonGrid(textOf(decoded, 0, mostJsonBytes).trimStart(), limits);
    return yield* readTable(grid, { format: 'json', encoding: { name, by, cells: [] } }, options);
  }
  const { grid, separator } = yield* splitText(decoded, limits);
  const cells = by === 'rule' ? cellsBeyondAscii(grid) : [];
  const recognised = { format: 'text', encoding: { name, by, cells }, separator } as const;
  if (by !== 'rule' && !isDoubtful) return yield* readTable(grid, recognised, options);
  if (by === 'person') return yield* readTable(grid, recognised, options);
  const question = yield* encodingQuestion(content.bytes, cells);
  try {
    const read = yield* readTable(grid, recognised, options);
    // A sign of a currency in another encoding is a letter beside a number, which cannot be read.
    const isAsked = isDoubtful || read.faults.length > 0;
    return isAsked ? { ...read, questions: [question, ...read.questions] } : read;
  } catch (error) {
    // Nothing can be found in a header of wrong letters: the encoding is asked first.
    if (!(error instanceof ReadingFault)) throw error;
    return {
      recognised: { ...recognised, columns: [] },
      documents: [],
      questions: [question],
      checks: [],
      faults: [],
      linesOf: () => [],
    };
  }
}

/** Encodings of a letter in a byte each, which no byte alone tells from windows-1252. */
const otherAlphabets = ['windows-1250', 'windows-1251'] as const;

/** Bytes in which the header stands. */
const bytesOfHeader = 65_536;

/** Decodes a text. An encoding that was guessed is replaced by one in which more names of its header are known. */
function* decodedByHeader(
  bytes: FileBytes,
  chosen: string | undefined,
  limits: GridLimits,
): Generator<void, DecodedText> {
  const decoded = yield* decodingWork(bytes, chosen);
  if (decoded.by !== 'rule') return decoded;
  const first = bytes.subarray(0, bytesOfHeader);
  const known: { readonly encoding: string | undefined; readonly names: number }[] = [];
  for (const encoding of [undefined, ...otherAlphabets]) {
    const text = Buffer.from(decodeText(first, encoding), 'utf8');
    const { grid } = yield* splitText({ bytes: text, charset: 'utf-8' }, limits);
    const written = findTable(grid)?.written ?? [];
    if (encoding === undefined && !written.some(isBeyondAscii)) return decoded;
    known.push({ encoding, names: written.filter((name) => fieldOfName(name) !== undefined).length });
  }
  const [usual, ...others] = known;
  const [best, next] = others.toSorted((one, other) => other.names - one.names);
  if (best?.encoding === undefined || best.names <= (usual?.names ?? 0) || best.names === next?.names)
    return decoded;
  const other = yield* decodingWork(bytes, best.encoding);
  return other.isDoubtful ? decoded : { ...other, by: 'rule' };
}

/** A workbook may have several tables of amounts, and rows that are not shown: a person says which of them count. */
function* readWorkbook(
  { grid, sheet, hidden = new Set(), others = [] }: WorkbookContent,
  options: ReadingOptions,
): Generator<void, FileReading> {
  const questions: ReadingQuestion[] = [];
  const tables = others.flatMap((other) => {
    const columns = columnsOfMoney(other.grid);
    return columns === undefined ? [] : [{ option: other.sheet, example: columns }];
  });
  if (tables.length > 0 && options.answers.get('sheet') !== sheet)
    questions.push({
      id: 'sheet',
      why: 'The workbook has several sheets with amounts. Which of them is billed?',
      options: [{ option: sheet, example: columnsOfMoney(grid) ?? '' }, ...tables],
    });
  const of = { format: 'workbook', sheet } as const;
  const shown: Grid = { ...grid, cells: (row) => (hidden.has(row) ? [] : grid.cells(row)) };
  const said = options.answers.get('hidden_rows');
  const read = yield* readTable(said === 'leave_out' ? shown : grid, of, options);
  if (hidden.size > 0 && said !== 'leave_out' && said !== 'read' && findTable(shown) !== undefined) {
    const without = yield* readTable(shown, of, options);
    if (netOf(without) !== netOf(read))
      questions.push({
        id: 'hidden_rows',
        why: 'The sheet does not show some of its rows, as with a filter. Are they billed?',
        options: [
          { option: 'read', example: `${microsToDecimal(netOf(read))} without tax` },
          { option: 'leave_out', example: `${microsToDecimal(netOf(without))} without tax` },
        ],
      });
  }
  return { ...read, questions: [...questions, ...read.questions] };
}

const netOf = ({ documents }: FileReading): bigint =>
  documents.reduce((sum, { netMicros }) => sum + netMicros, 0n);

/** The first columns of a table that has one of money; undefined if it has none. */
function columnsOfMoney(grid: Grid): string | undefined {
  const names = findTable(grid)?.written ?? [];
  const isMoney = (name: string): boolean => moneyFields.some((field) => field === fieldOfName(name)?.field);
  return names.some(isMoney) ? names.slice(0, 5).join(', ') : undefined;
}

/** Cells that are shown where the encoding was guessed. */
const cellsShown = 5;

function cellsBeyondAscii(grid: Grid): readonly string[] {
  const found: string[] = [];
  for (let row = 0; row < Math.min(grid.rows, 10_000) && found.length < cellsShown; row += 1)
    for (const cell of grid.cells(row)) {
      const text = textOfCell(cell);
      if (isBeyondAscii(text) && found.length < cellsShown) found.push(text.slice(0, 200));
    }
  return found;
}

function* encodingQuestion(bytes: FileBytes, cells: readonly string[]): Generator<void, ReadingQuestion> {
  const at = yield* firstBeyondAscii(bytes);
  const part = bytes.subarray(Math.max(0, at - 20), Math.min(bytes.length, at + 20));
  return {
    id: 'encoding',
    why: `The file holds characters that no document has${cells.length === 0 ? '' : `: ${cells[0]}`}. How is it encoded?`,
    options: chosenEncodings.map((option) => ({
      option,
      example: decodeText(part, option).replaceAll(/\s+/g, ' ').trim(),
    })),
  };
}
