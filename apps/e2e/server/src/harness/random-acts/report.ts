import type { Act } from './stage.js';
import type { Walked } from './walk.js';

/** The first violation of each invariant, with the act that showed it. */
export function firstOfEach({ violations, acts }: Walked): readonly string[] {
  const first = new Map<string, string>();
  for (const { invariant, text, at } of violations)
    if (!first.has(invariant))
      first.set(invariant, `${invariant}: ${text} By act ${String(at)}: ${JSON.stringify(acts[at])}`);
  return [...first.values()];
}

/** What is needed to play a counterexample again. */
export function playAgain(seed: number, acts: readonly Act[]): string {
  const lines = acts.map((act) => JSON.stringify(act)).join('\n');
  return `Put these lines into a file and play them with E2E_SEED=${String(seed)} E2E_PLAY=FILE:\n${lines}\n`;
}

/** How often each kind of act was done, of how many that were tried. */
export function countsOf({ counts }: Walked): string {
  return [...counts].map(([name, { tried, done }]) => `${name} ${String(done)}/${String(tried)}`).join(', ');
}
