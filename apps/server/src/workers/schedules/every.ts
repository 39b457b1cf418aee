import type { Clock } from '@switchyard/values';

export interface Rounds {
  /** No further round begins; resolves when the one under way is done. */
  stop(): Promise<void>;
}

/**
 * Runs `round` again and again, `pauseMs` milliseconds after the one before has ended. A round that fails is told
 * of, and the next one comes all the same.
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
