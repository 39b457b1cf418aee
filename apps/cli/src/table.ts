import Table from 'cli-table3';
import pc from 'picocolors';
import type { CliDeps } from './deps.js';
import { cell } from './plain.js';

/** A table for people. Cells hold text from elsewhere and are cleaned here. */
export function table(
  deps: Pick<CliDeps, 'color'>,
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const colors = pc.createColors(deps.color);
  const drawn = new Table({
    head: head.map((title) => colors.bold(title)),
    style: { head: [], border: [], compact: true },
    chars: quiet,
  });
  for (const row of rows) drawn.push(row.map(cell));
  return drawn.toString();
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
