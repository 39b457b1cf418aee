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
  return columns.filter((_, at) => at % everyTh === first);
}
