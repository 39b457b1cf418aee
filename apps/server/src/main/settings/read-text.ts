import { readFileSync } from 'node:fs';

/** The text of a file with a secret; undefined if it cannot be read. A line break at its end is ignored. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}
