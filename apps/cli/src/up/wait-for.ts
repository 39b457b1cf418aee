/** Repeats `look` until it returns a value, or the time is up. Resolves with undefined in that case. */
export async function waitFor<T>(
  read: () => Promise<T | undefined>,
  withinMs: number,
  everyMs = 150,
): Promise<T | undefined> {
  const until = Date.now() + withinMs;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (Date.now() >= until) return undefined;
    await new Promise((resolve) => {
      setTimeout(resolve, everyMs);
    });
  }
}
