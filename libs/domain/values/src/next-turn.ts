const waiting: (() => void)[] = [];

/**
 * Resolves after the event loop has looked at everybody else's work. Whoever has much to do awaits it between slices of
 * its work.
 *
 * One waiter goes on in each turn of the loop, in the order in which they came: Node would otherwise let all of them go
 * on in one and the same turn, and fifty long answers would again be one long stall.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(release);
  });
}

function release(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(release);
}

/** Runs long work that yields between its slices, with a turn of the event loop at each. */
export async function inTurns<T>(work: Iterator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** The same work without a pause, for whoever cannot wait. */
export function atOnce<T>(work: Iterator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Some items in their order, and what they weigh together. */
export interface Slice<T> {
  readonly items: readonly T[];
  readonly weight: number;
}

/** Items in slices of at most that weight; one that is heavier is a slice by itself. */
export function* slicesOf<T>(
  items: readonly T[],
  most: number,
  weigh: (item: T) => number,
): Generator<Slice<T>> {
  let slice: T[] = [];
  let weight = 0;
  for (const item of items) {
    const more = weigh(item);
    if (slice.length > 0 && weight + more > most) {
      yield { items: slice, weight };
      slice = [];
      weight = 0;
    }
    slice.push(item);
    weight += more;
  }
  if (slice.length > 0) yield { items: slice, weight };
}
