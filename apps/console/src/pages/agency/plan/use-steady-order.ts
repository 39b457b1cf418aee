import { useRef } from 'react';

/**
 * The order of a list that grows while it is read: what comes new goes to its place, except while somebody points at the
 * list or is in it by keys. Then it stands at the end, so that nothing moves under the pointer.
 */
export function steadyOrder(
  before: readonly string[],
  wanted: readonly string[],
  isStill: boolean,
): readonly string[] {
  if (!isStill) return wanted;
  const there = new Set(wanted);
  const kept = before.filter((key) => there.has(key));
  const known = new Set(kept);
  return [...kept, ...wanted.filter((key) => !known.has(key))];
}

/** `steadyOrder` over the renderings of one list. */
export function useSteadyOrder(wanted: readonly string[], isStill: boolean): readonly string[] {
  const last = useRef<readonly string[]>([]);
  last.current = steadyOrder(last.current, wanted, isStill);
  return last.current;
}
