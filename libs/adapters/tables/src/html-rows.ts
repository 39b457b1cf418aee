import { cellCounter, TableFault, type TableLimits } from './table-row.js';

/** Whether bytes begin as a page of HTML: programs save one under the name of a workbook. */
export const isHtml = (start: Buffer): boolean =>
  /^[\s\uFEFF]*(?:<!--[^>]{0,200}>\s*|<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html|head|meta|body|table)\b/i.test(
    start.toString('utf8', 0, 1_000),
  );

/** Most bytes of a page. */
export const htmlBytes = 10_000_000;

interface OpenTable {
  readonly rows: string[][];
  /** Cells with a text. */
  filled: number;
  row: string[] | undefined;
  cell: string | undefined;
  /** Columns that the open cell spans. */
  span: number;
}

/** Characters that are read between two pauses. */
const stepLength = 200_000;

/**
 * The rows of the largest table of a page. Tags that are not closed are taken as a browser does: a cell ends where the next
 * one begins. Pauses between steps. Throws `TableFault` where there is no table, or beyond the limits.
 */
export function* htmlRows(text: string, limits: TableLimits): Generator<void, readonly string[][]> {
  const open: OpenTable[] = [];
  let best: readonly string[][] = [];
  let [at, step, most] = [0, 0, 0];
  const count = cellCounter();
  const endCell = (table: OpenTable): void => {
    if (table.cell === undefined) return;
    table.row ??= [];
    count(table.span);
    const cell = plainText(table.cell);
    if (cell !== '') table.filled += 1;
    table.row.push(cell, ...Array.from({ length: table.span - 1 }, () => ''));
    if (table.row.length > limits.columns)
      throw new TableFault(`The file has more than ${limits.columns} columns.`);
    table.cell = undefined;
  };
  const endRow = (table: OpenTable): void => {
    endCell(table);
    if (table.row !== undefined) table.rows.push(table.row);
    if (table.rows.length > limits.rows) throw new TableFault(`The file has more than ${limits.rows} rows.`);
    table.row = undefined;
  };
  const endTable = (): void => {
    const table = open.pop();
    if (table === undefined) return;
    endRow(table);
    if (table.filled > most) [best, most] = [table.rows, table.filled];
  };
  while (at < text.length) {
    const tag = text.indexOf('<', at);
    const table = open.at(-1);
    if (table?.cell !== undefined) {
      table.cell += text.slice(at, tag < 0 ? undefined : tag);
      if (table.cell.length > limits.rowLength) throw new TableFault('The page has a text that is too long.');
    }
    if (tag < 0) break;
    const end = endOfTag(text, tag);
    const [, slash = '', name = ''] = /^<(\/?)([a-z0-9]+)/i.exec(text.slice(tag, tag + 20)) ?? [];
    const kind = `${slash}${name.toLowerCase()}`;
    if (kind === 'table') {
      if (open.length >= 16) throw new TableFault('The page has tables that are too deep.');
      open.push({ rows: [], filled: 0, row: undefined, cell: undefined, span: 1 });
    } else if (kind === '/table') endTable();
    else if (table !== undefined) {
      if (kind === 'tr' || kind === '/tr') endRow(table);
      else if (kind === 'td' || kind === 'th') {
        endCell(table);
        table.cell = '';
        const span = Number(/\bcolspan\s*=\s*["']?(\d{1,4})/i.exec(text.slice(tag, end))?.[1] ?? 1);
        table.span = Math.min(Math.max(1, span), limits.columns);
      } else if (kind === '/td' || kind === '/th') endCell(table);
      else if (kind === 'br' && table.cell !== undefined) table.cell += ' ';
    }
    at = kind === 'script' || kind === 'style' ? endOfElement(text, end, kind) : end;
    if (at - step > stepLength) {
      step = at;
      yield;
    }
  }
  while (open.length > 0) endTable();
  if (most === 0) throw new TableFault('This is a web page without a table. Save the table as XLSX or CSV.');
  return best;
}

function endOfTag(text: string, tag: number): number {
  const isComment = text.startsWith('<!--', tag);
  const end = text.indexOf(isComment ? '-->' : '>', tag);
  return end < 0 ? text.length : end + (isComment ? 3 : 1);
}

function endOfElement(text: string, from: number, name: 'script' | 'style'): number {
  const end = name === 'script' ? /<\/script/gi : /<\/style/gi;
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

const entities: Readonly<Record<string, string>> = {
  ...{ nbsp: '\u00A0', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", euro: '€', pound: '£', yen: '¥' },
  ...{ minus: '\u2212', ndash: '–', mdash: '—', auml: 'ä', ouml: 'ö', uuml: 'ü', szlig: 'ß' },
  ...{ Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç' },
};

const plainText = (html: string): string =>
  html
    .replaceAll(
      /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
      (written, decimal?: string, hex?: string, name = '') => {
        const code =
          decimal === undefined
            ? hex === undefined
              ? undefined
              : Number.parseInt(hex, 16)
            : Number(decimal);
        if (code !== undefined) return code > 0x10_ff_ff || code === 0 ? ' ' : String.fromCodePoint(code);
        return entities[name as string] ?? written;
      },
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
