import pc from 'picocolors';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import { cell } from './plain.js';

/** Prints one line per seller as it settles, to standard error. */
export function sellerProgress(deps: CliDeps): (row: JsonObject) => void {
  const colors = pc.createColors(deps.color);
  const paint: Readonly<Record<string, (text: string) => string>> = {
    answered: colors.green,
    slow: colors.yellow,
    skipped: colors.dim,
    refused: colors.red,
    failed: colors.red,
  };
  return (row) => {
    const status = cell(row['status']);
    const items = row['status'] === 'answered' ? `${cell(row['items'])} items` : cell(row['reason']);
    const line = [
      `[${cell(row['settled'])}/${cell(row['total'])}]`.padEnd(8),
      cell(row['seller']).padEnd(20),
      (paint[status] ?? String)(status.padEnd(9)),
      `${cell(row['elapsed_ms'])} ms`.padStart(9),
      ` ${items}`,
    ];
    deps.stderr.write(`${line.join(' ')}\n`);
  };
}
