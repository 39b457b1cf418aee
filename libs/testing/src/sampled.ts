import { createHash } from 'node:crypto';

/** `TEST_MATRIX=full` plays whole matrices (`npm run test:matrix`); the gate plays a sample of the largest. */
export const isWholeMatrix = process.env['TEST_MATRIX'] === 'full';

/**
 * What of a matrix the gate plays for one row: every so manieth column, from a first one that the name of the row
 * gives, so that over all rows every column is played often, and the same row meets the same columns each time.
 */
export function sampled<T>(columns: readonly T[], row: string, everyTh: number): readonly T[] {
  if (isWholeMatrix) return columns;
  const first = createHash('sha256').update(row).digest().readUInt32BE() % everyTh;
  return counted(
    columns,
    columns.filter((_, at) => at % everyTh === first),
  );
}

/**
 * What of a third dimension the gate plays with one pair of the other two: one column, in turn. Every pair of the other two is
 * played, and over the turns of a row every column; which column meets which of the two is left to the whole matrix.
 */
export function inTurn<T>(columns: readonly T[], turn: number): readonly T[] {
  if (isWholeMatrix) return columns;
  return counted(
    columns,
    columns.filter((_, at) => at === turn % columns.length),
  );
}

let left = 0;

function counted<T>(columns: readonly T[], played: readonly T[]): readonly T[] {
  left += columns.length - played.length;
  return played;
}

/** Says at the end of a suite how many cells it did not play. `.ci/run` adds them up. */
export function tellLeftOut(): void {
  if (left > 0) process.stdout.write(`left to npm run test:matrix: ${String(left)} cells\n`);
  left = 0;
}
