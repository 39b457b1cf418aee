/**
 * Timed work. `stop` drops all of it: the books store what is left, and the next start reads it. Work that fails, for
 * example because the books cannot be written on a full disk, is reported and done again: it writes before it acts.
 */
export class Agenda {
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  /** `retryMs`: the time until work that failed is done again, in milliseconds. */
  constructor(
    private readonly report: (problem: string) => void = (problem) =>
      void process.stderr.write(`sandbox: ${problem}\n`),
    private readonly retryMs = 2_000,
  ) {}

  at(time: number, task: () => void | Promise<void>): void {
    if (this.#stopped) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void this.run(task);
      },
      Math.max(0, time - Date.now()),
    );
    this.#timers.add(timer);
  }

  /** Does it now. Resolves also when it failed and will be done again. */
  async run(task: () => void | Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.report(error instanceof Error ? error.message : String(error));
      this.at(Date.now() + this.retryMs, task);
    }
  }

  isStopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
