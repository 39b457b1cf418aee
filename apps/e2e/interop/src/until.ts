/** Repeats `look` until the condition holds. After the deadline, throws with the last value. */
export async function until<T>(
  look: () => Promise<T>,
  isThere: (seen: T) => boolean,
  withinMs = 300_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
