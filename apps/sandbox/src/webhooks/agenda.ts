/** Timed work. `stop` drops all of it: the books store what is left, and the next start reads it. */
export class Agenda {
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  at(time: number, task: () => void): void {
    if (this.#stopped) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        task();
      },
      Math.max(0, time - Date.now()),
    );
    this.#timers.add(timer);
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
