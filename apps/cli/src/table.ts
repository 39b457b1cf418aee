import Table from 'cli-table3';
import pc from 'picocolors';
import type { CliDeps } from './deps.js';
import { cell } from './plain.js';

/** Spaces between two columns. */
const gap = 2;

/**
 * A table for people. Cells may hold foreign text and are cleaned here. If the table is wider than the terminal, times
 * are shown relative to now and cells wrap between words; if that is not enough, each row becomes a block of lines. Ids
 * stay whole, so that they can be copied into the next command. With `--wide` nothing is changed.
 */
export function table(
  deps: Pick<CliDeps, 'color' | 'layout'>,
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const { columns } = deps.layout;
  const cells = rows.map((row) => row.map(cell));
  const naturals = widths(head, cells, (text) => text.length);
  if (columns === undefined || sum(naturals) <= columns) return drawn(deps, head, cells, naturals);
  const used = head.map((_, at) => cells.some((row) => row[at]));
  const inUse = <T>(row: readonly T[]): T[] => row.filter((_, at) => used[at]);
  const titles = inUse(head);
  const texts = cells.map((row) => inUse(row).map(relativeTime));
  const most = widths(titles, texts, (text) => text.length);
  const least = widths(titles, texts, longestWord);
  if (sum(least) > columns) return blocks(deps, titles, texts);
  return drawn(deps, titles, texts, shared(columns, least, most));
}

function drawn(
  deps: Pick<CliDeps, 'color'>,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  colWidths: readonly number[],
): string {
  const colors = pc.createColors(deps.color);
  const shown = new Table({
    head: head.map((title) => colors.bold(title)),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    chars: quiet,
    colWidths: [...colWidths],
    wordWrap: true,
  });
  for (const row of rows) shown.push([...row]);
  return shown
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** One row below the other, a line for each cell with a value. */
function blocks(
  deps: Pick<CliDeps, 'color'>,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const colors = pc.createColors(deps.color);
  const width = Math.max(...head.map((title) => title.length));
  const line = (title: string, text: string): string =>
    `${colors.bold(title)}${' '.repeat(width - title.length + gap)}${text}`;
  return rows
    .map((row) => head.flatMap((title, at) => (row[at] ? [line(title, row[at])] : [])).join('\n'))
    .join('\n\n');
}

function widths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  measure: (text: string) => number,
): number[] {
  return head.map((title, at) => Math.max(measure(title), ...rows.map((row) => measure(row[at] ?? ''))));
}

function longestWord(text: string): number {
  return Math.max(...text.split(' ').map((word) => word.length));
}

function sum(of: readonly number[]): number {
  return of.reduce((all, figure) => all + figure, gap * (of.length - 1));
}

/** Gives the rest of the line to the columns that lack most. */
function shared(columns: number, least: readonly number[], most: readonly number[]): number[] {
  const given = [...least];
  for (let left = columns - sum(least); left > 0; left -= 1) {
    const lacks = given.map((width, at) => (most[at] ?? 0) - width);
    const at = lacks.indexOf(Math.max(...lacks));
    given[at] = (given[at] ?? 0) + 1;
  }
  return given.map((width, at) => Math.min(width, most[at] ?? width));
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

function relativeTime(text: string): string {
  if (!moment.test(text)) return text;
  const seconds = Math.round((Date.parse(text) - Date.now()) / 1_000);
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? units[3];
  const count = `${String(Math.floor(Math.abs(seconds) / size))} ${unit}`;
  return seconds > 0 ? `in ${count}` : `${count} ago`;
}

const quiet = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};
