import { createHash } from 'node:crypto';

/**
 * A number in [0, 1) that depends only on the parts: never on the clock, the order of calls or earlier numbers. Every
 * figure of the market comes from here, so the same seed gives the same figures.
 */
export function draw(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join('\u0000')).digest().readUInt32BE(0) / 2 ** 32;
}

/** A whole number in [least, most]. */
export function drawWhole(least: number, most: number, ...parts: readonly (string | number)[]): number {
  return least + Math.floor(draw(...parts) * (most - least + 1));
}

export function pick<T>(choices: readonly T[], ...parts: readonly (string | number)[]): T {
  const chosen = choices[Math.floor(draw(...parts) * choices.length)];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
}
