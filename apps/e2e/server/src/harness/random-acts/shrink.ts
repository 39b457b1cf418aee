import type { Act, StageOf } from './stage.js';
import { replay } from './walk.js';

/**
 * Shortens acts that break an invariant, each time in a fresh world of the same seed: first to the last acts with
 * everything that they rest on, then without ever smaller parts. Ends after `withinMs` with the shortest list by then.
 */
export async function shrink(
  acts: readonly Act[],
  invariant: string,
  open: () => Promise<StageOf>,
  withinMs: number,
): Promise<readonly Act[]> {
  const until = Date.now() + withinMs;
  let shortest = acts;
  const breaks = async (candidate: readonly Act[]): Promise<boolean> => {
    const { violations } = await replay(await open(), candidate, { invariant });
    const found = violations.find((violation) => violation.invariant === invariant);
    if (found === undefined) return false;
    shortest = candidate.slice(0, found.at + 1);
    return true;
  };
  for (let last = 1; last < acts.length && Date.now() < until; last *= 2)
    if (await breaks(withRoots(acts, acts.slice(-last)))) break;
  for (let size = Math.ceil(shortest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let end = shortest.length; end > 0 && Date.now() < until; end -= size) {
      const from = Math.max(0, end - size);
      await breaks([...shortest.slice(0, from), ...shortest.slice(end)]);
    }
  return shortest;
}

/** Of all acts those kept, those that made what they name, and whatever was done to a buy that they name. */
function withRoots(acts: readonly Act[], kept: readonly Act[]): readonly Act[] {
  const chosen = new Set(kept);
  for (let before = -1; before < chosen.size;) {
    before = chosen.size;
    const labels = new Set([...chosen].flatMap((act) => Object.values(act).map(String)).filter(isMade));
    for (const act of acts)
      if (labels.has(String(act['as'])) || labels.has(String(act['buy']))) chosen.add(act);
  }
  return acts.filter((act) => chosen.has(act));
}

/** Labels of what acts have made: `n12`. */
const isMade = (text: string): boolean => /^n\d+/.test(text);
