/**
 * Looks until `look` brings something; fails with `what` when the time is up, which says that it never comes: how soon it
 * comes is the machine's affair.
 */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  withinMs = 150_000,
): Promise<T> {
  const until = Date.now() + withinMs;
  // Ever more seldom: what is waited for needs the processor more than who asks.
  for (let pauseMs = 25; ; pauseMs = Math.min(250, pauseMs * 1.3)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error(`Waited ${String(withinMs)} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
