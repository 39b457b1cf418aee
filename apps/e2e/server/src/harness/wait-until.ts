/**
 * Repeats `look` until it returns a value. Fails with `what` after the timeout, which is long enough for the slowest
 * machine.
 */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  withinMs = 300_000,
): Promise<T> {
  const until = Date.now() + withinMs;
  // With longer and longer pauses, because the work needs the processor more than this check.
  for (let pauseMs = 25; ; pauseMs = Math.min(250, pauseMs * 1.3)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error(`Waited ${String(withinMs)} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
