/** Runs work of one name one after another; a second request that comes while one waits is the same request. */
export function oneAtATime(): ((name: string, work: () => Promise<void>) => Promise<void>) & {
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
} {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  const start = (name: string, work: () => Promise<void>): Promise<void> => {
    const run = work().finally(() => running.delete(name));
    running.set(name, run);
    return run;
  };
  const request = (name: string, work: () => Promise<void>): Promise<void> => {
    const current = running.get(name);
    if (current === undefined) return start(name, work);
    const queued = waiting.get(name);
    if (queued !== undefined) return queued;
    const next = current.then(
      () => undefined,
      () => undefined,
    );
    const then = next.then(() => {
      waiting.delete(name);
      return start(name, work);
    });
    waiting.set(name, then);
    return then;
  };
  return Object.assign(request, {
    idle: async () => {
      while (running.size + waiting.size > 0)
        await Promise.allSettled([...running.values(), ...waiting.values()]);
    },
  });
}
