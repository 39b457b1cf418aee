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

/**
 * Calls `each` for every item, in order, and lets the event loop go on after every `most` units of weight. Little work
 * is done at once.
 */
export async function inSlices<T>(
  items: readonly T[],
  most: number,
  weigh: (item: T) => number,
  each: (item: T, index: number) => void,
): Promise<void> {
  let weight = 0;
  for (const [index, item] of items.entries()) {
    weight += weigh(item);
    if (weight > most) {
      await nextTurn();
      weight = weigh(item);
    }
    each(item, index);
  }
}
