/** Runs work under names, with limited concurrency. */
export interface Visits {
  /**
   * Resolves when the work is done. Work of one name runs one after another, and a request that comes while another of
   * its name waits is the same request. Waiting names run in the order of their requests, so a repeated name goes
   * behind all others. Rejects if the work does; after `stop` it resolves and runs nothing.
   */
  request(name: string, work: () => Promise<void>): Promise<void>;
  /** Drops waiting work; resolves when the running work has ended. */
  stop(): Promise<void>;
  /** The running names. */
  running(): readonly string[];
}

interface Waiting {
  readonly work: () => Promise<void>;
  readonly done: Promise<void>;
  readonly settle: (outcome: Promise<void> | undefined) => void;
}

export function createVisits(atOnce: number): Visits {
  const waiting = new Map<string, Waiting>();
  const running = new Map<string, Promise<void>>();
  let isStopped = false;
  const begin = (name: string, { work, settle }: Waiting): void => {
    // Work that throws synchronously rejects like any other.
    const run = Promise.resolve()
      .then(work)
      .finally(() => {
        running.delete(name);
        beginNext();
      });
    running.set(name, run);
    settle(run);
  };
  const beginNext = (): void => {
    for (const [name, value] of waiting) {
      if (running.size >= atOnce) return;
      if (running.has(name)) continue;
      waiting.delete(name);
      begin(name, value);
    }
  };
  return {
    request: (name, work) => {
      if (isStopped) return Promise.resolve();
      const known = waiting.get(name);
      if (known !== undefined) return known.done;
      let settle: Waiting['settle'] = () => undefined;
      const done = new Promise<void>((resolve) => {
        settle = (outcome) => resolve(outcome);
      });
      waiting.set(name, { work, done, settle });
      beginNext();
      return done;
    },
    stop: async () => {
      isStopped = true;
      for (const { settle } of waiting.values()) settle(undefined);
      waiting.clear();
      await Promise.allSettled(running.values());
    },
    running: () => [...running.keys()],
  };
}
