import type { Outcome } from './simulation.js';

/** The most acts of one seed. */
const actsAtMost = 14;

/**
 * Leaves out acts of a seed one after another, as long as something is still violated, until no act can be left out.
 * Returns the numbers of those that are not needed.
 */
export async function shrink(
  play: (without: ReadonlySet<number>) => Promise<Outcome>,
): Promise<ReadonlySet<number>> {
  let without: ReadonlySet<number> = new Set();
  for (let isShorter = true; isShorter;) {
    isShorter = false;
    for (let act = 0; act < actsAtMost; act += 1) {
      if (without.has(act)) continue;
      const fewer = new Set([...without, act]);
      const { violations } = await play(fewer);
      if (violations.length === 0) continue;
      without = fewer;
      isShorter = true;
    }
  }
  return without;
}
