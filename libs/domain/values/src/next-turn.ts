const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. Long work awaits it between slices, so that other work can run.
 *
 * One waiter continues per turn, in order of arrival. Node.js would otherwise resume all of them in the same turn, and
 * fifty long answers would block the loop together.
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

/** The longest time, in milliseconds, that the steps of one turn take together before the next step waits. */
const turnMs = 10;
/** The waiting steps of each line. The line at the front is served next and then goes to the end. */
const lines = new Map<string, (() => void)[]>();
let turnBegan: number | undefined;
let isReleasing = false;

/**
 * Awaited before each of many costly steps that can become ready together, such as writing one long request for fifty
 * sellers. Steps run one after another: in the same turn of the event loop while it is short, then in later turns. Lines
 * take turns, so that one step of a quiet organization does not wait for hundreds of a busy one.
 */
export function fairTurn(line: string): Promise<void> {
  return new Promise((resolve) => {
    const steps = lines.get(line);
    if (steps !== undefined) {
      steps.push(resolve);
      return;
    }
    lines.set(line, [resolve]);
    if (!isReleasing) releaseSoon();
  });
}

function releaseStep(): void {
  const now = performance.now();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(() => (turnBegan = undefined));
  }
  if (now - turnBegan > turnMs) {
    setImmediate(releaseStep);
    return;
  }
  isReleasing = false;
  const [next] = lines;
  if (next === undefined) return;
  const [line, steps] = next;
  const step = steps.shift();
  lines.delete(line);
  if (steps.length > 0) lines.set(line, steps);
  step?.();
  if (lines.size > 0) releaseSoon();
}

/** Node.js runs a tick that a microtask requests when no microtask is left: the released step is done by then. */
function releaseSoon(): void {
  isReleasing = true;
  queueMicrotask(() => process.nextTick(releaseStep));
}

/** Runs long work and yields to the event loop between its slices. */
export async function inTurns<T>(work: Iterator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** Runs the same work without a pause, for callers that cannot wait. */
export function atOnce<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Some items in order, and their total weight. */
interface Slice<T> {
  readonly items: readonly T[];
  readonly weight: number;
}

/** Splits items into slices of at most `most` weight; a heavier item is a slice by itself. */
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
