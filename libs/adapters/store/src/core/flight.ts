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

  /** Rejects with what failed first: whatever failed after it failed because of it. */
  async landed(): Promise<void> {
    await Promise.all(this.#statements);
  }
}
