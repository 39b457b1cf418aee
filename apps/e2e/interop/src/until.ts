/** Repeats `look` until the condition holds. After the deadline, throws with the last value. */
export async function until<T>(
  look: () => Promise<T>,
  isThere: (seen: T) => boolean,
  withinMs = 300_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  // With longer and longer pauses, because the work needs the processor more than this check.
  for (let pauseMs = 100; ; pauseMs = Math.min(2_000, pauseMs * 1.3)) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
