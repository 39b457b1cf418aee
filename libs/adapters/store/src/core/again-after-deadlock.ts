const triesAtMost = 4;

/**
 * Runs a transaction once more where PostgreSQL ended it because it waited in a circle with another one: nothing of it
 * was stored, and the other one is through by then. `work` is the whole transaction, and may run several times.
 */
export async function againAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await work();
    } catch (error) {
      if (turn === triesAtMost || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === '40P01';
}
