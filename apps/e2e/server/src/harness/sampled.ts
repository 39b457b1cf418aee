import { createHash } from 'node:crypto';

/** Every so manieth caller of a matrix is played in the gate. */
const everyTh = 5;

/**
 * What of a matrix the gate plays for one request: each fifth caller, from a first one that the name of the request
 * gives, so that over all requests every caller is played often, and the same request meets the same callers each time.
 * `TEST_MATRIX=full` plays all of them (`npm run test:matrix`).
 */
export function sampled<T>(callers: readonly T[], request: string): readonly T[] {
  if (process.env['TEST_MATRIX'] === 'full') return callers;
  const first = createHash('sha256').update(request).digest().readUInt32BE() % everyTh;
  return callers.filter((_, at) => at % everyTh === first);
}
