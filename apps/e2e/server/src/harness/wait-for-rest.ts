/** Numbers of unfinished items, by kind. */
export type Left = Readonly<Record<string, number>>;

/**
 * Waits until nothing is left, as long as the numbers fall, because machines differ in speed. Fails with the numbers if
 * none has reached a new minimum for `stillMs`.
 */
export async function waitForRest(what: string, look: () => Promise<Left>, stillMs = 100_000): Promise<void> {
  let lowest: Left = {};
  for (let until = Date.now() + stillMs; ;) {
    const left = await look();
    if (Object.values(left).every((count) => count === 0)) return;
    if (Object.entries(left).some(([kind, count]) => count < (lowest[kind] ?? Infinity)))
      until = Date.now() + stillMs;
    else if (Date.now() > until)
      throw new Error(`Nothing has moved for ${String(stillMs)} ms before ${what}: ${JSON.stringify(left)}`);
    lowest = Object.fromEntries(
      Object.entries(left).map(([kind, count]) => [kind, Math.min(count, lowest[kind] ?? Infinity)]),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
