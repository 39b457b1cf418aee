import type { Clock } from '@switchyard/values';

export interface Rounds {
  /** Starts no further round; resolves when the running one has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `round` repeatedly, `pauseMs` milliseconds after the previous one has ended. A failed round is reported, and the
 * next one runs all the same.
 */
export function every(
  clock: Clock,
  pauseMs: number,
  round: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Rounds {
  let stopped = false;
  let running = Promise.resolve();
  let cancel = (): void => undefined;
  const plan = (): void => {
    cancel = clock.after(pauseMs, () => {
      running = round()
        .catch(onFailure)
        .then(() => {
          if (!stopped) plan();
        });
    });
  };
  plan();
  return {
    stop: async () => {
      stopped = true;
      cancel();
      await running;
    },
  };
}
