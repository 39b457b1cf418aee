/**
 * Statements that are on their way and that nobody waits for yet. Connections are pipelined, so the server works on
 * them while the caller goes on; all of them have to have landed before the transaction ends.
 */
export class Flight {
  readonly #statements: Promise<unknown>[] = [];

  send(...statements: readonly Promise<unknown>[]): void {
    for (const statement of statements) {
      // Told by `landed`. Until somebody asks there, a rejection that nobody hears would end the process.
      statement.catch(() => undefined);
      this.#statements.push(statement);
    }
  }

  /** Rejects with the cause where statements failed. */
  landed(): Promise<void> {
    return allLanded(this.#statements);
  }
}

/**
 * Waits until the last of some statements of one transaction has ended, so that none of them is sent after its
 * rollback. Where one failed, those behind it failed because of it: it is the cause that is thrown.
 */
export async function allLanded(statements: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(statements);
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => !isConsequence(error)) ?? errors[0];
}

/** SQLSTATE 25P02: the transaction had failed before. */
function isConsequence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25P02';
}
