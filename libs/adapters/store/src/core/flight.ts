/**
 * Statements that were sent and are not awaited yet. Connections are pipelined, so PostgreSQL runs them while the
 * caller continues. `landed` must be awaited before the transaction ends.
 */
export class Flight {
  readonly #statements: Promise<unknown>[] = [];

  send(...statements: readonly Promise<unknown>[]): void {
    for (const statement of statements) {
      // `landed` reports the failure. Without this handler, Node.js would end the process on the unhandled rejection.
      statement.catch(() => undefined);
      this.#statements.push(statement);
    }
  }

  /** Rejects with the first cause if statements failed. */
  landed(): Promise<void> {
    return allLanded(this.#statements);
  }
}

/**
 * Waits until all given statements of one transaction have ended, so that none is sent after its rollback. If one
 * failed, the later ones failed because of it: the first cause is thrown.
 */
export async function allLanded(statements: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(statements);
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => !isConsequence(error)) ?? errors[0];
}

/** SQLSTATE 25P02: the transaction had already failed. */
function isConsequence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25P02';
}
