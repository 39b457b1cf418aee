const triesAtMost = 4;

/**
 * Runs a transaction again if PostgreSQL ended it because of a deadlock: nothing of it was stored, and the other
 * transaction has finished by then. `work` is the whole transaction, and may run several times.
 */
export async function retryDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await work();
    } catch (error) {
      if (turn === triesAtMost || !isDeadlock(error)) throw error;
    }
  }
}

/** 40P01 of PostgreSQL, P2034 of Prisma. */
function isDeadlock(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return code === '40P01' || code === 'P2034';
}
