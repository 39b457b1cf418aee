import type { Clock, Instant } from '@switchyard/values';

/** Things that are remembered at once; beyond that all are forgotten. */
const remembered = 20_000;
/** How often at most, in milliseconds, one thing is counted that others set off at will. */
const countedEveryMs = 10_000;

/** True the first time that something is named, and once in ten seconds after that. */
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
