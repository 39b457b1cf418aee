import { chosenEncodings, decodeText, decodingWork, isBeyondAscii, textOf } from './decode-text.js';
import { readEInvoice } from './e-invoice.js';
import { jsonGrid } from './json-grid.js';
import { readTable } from './read-table.js';
import type { FileReading, ReadingOptions, ReadingQuestion } from './reading.js';
import { splitText, textOfCell, usualGridLimits, type Grid, type GridLimits } from './split-rows.js';
import type { XmlNode } from './xml-node.js';

/** What the bytes of a file are, after whatever needs a parser of its own was parsed. */
export type FileContent =
  | { readonly kind: 'text'; readonly bytes: Buffer }
  | { readonly kind: 'workbook'; readonly grid: Grid; readonly sheet: string }
  | { readonly kind: 'xml'; readonly root: XmlNode };

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
  if (content.kind === 'workbook')
    return yield* readTable(content.grid, { format: 'workbook', sheet: content.sheet }, options);
  const decoded = yield* decodingWork(content.bytes, options.answers.get('encoding'));
  yield;
  const { by, encoding: name, isDoubtful } = decoded;
  if (/^\s*(?:\[|\{\s*["}])/.test(textOf(decoded, 0, 100))) {
    const grid = jsonGrid(textOf(decoded).trimStart(), limits);
    return yield* readTable(grid, { format: 'json', encoding: { name, by, cells: [] } }, options);
  }
  const { grid, separator } = yield* splitText(decoded, limits);
  const cells = by === 'rule' ? cellsBeyondAscii(grid) : [];
  const read = yield* readTable(grid, { format: 'text', encoding: { name, by, cells }, separator }, options);
  if (!isDoubtful || by === 'person') return read;
  return { ...read, questions: [encodingQuestion(content.bytes, cells), ...read.questions] };
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

function encodingQuestion(bytes: Buffer, cells: readonly string[]): ReadingQuestion {
  const at = bytes.findIndex((byte) => byte > 0x7f);
  const part = bytes.subarray(Math.max(0, at - 20), at + 20);
  return {
    id: 'encoding',
    why: `The file holds characters that no document has${cells.length === 0 ? '' : `: ${cells[0]}`}. How is it encoded?`,
    options: chosenEncodings.map((option) => ({
      option,
      example: decodeText(part, option).replaceAll(/\s+/g, ' ').trim(),
    })),
  };
}
