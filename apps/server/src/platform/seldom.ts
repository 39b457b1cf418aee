import type { Clock, Instant } from '@switchyard/values';

/** The most things remembered at once; beyond that all are forgotten. */
const remembered = 20_000;
/** The least time between two counts of one thing that others can cause at will, in milliseconds. */
const countedEveryMs = 10_000;

/** True the first time that a text is passed, and then once in ten seconds. */
export function seldom(clock: Clock): (what: string) => boolean {
  const last = new Map<string, Instant>();
  return (what) => {
    const now = clock.now();
    if (now - (last.get(what) ?? -Infinity) < countedEveryMs) return false;
    if (last.size >= remembered) last.clear();
    last.set(what, now);
    return true;
  };
}
