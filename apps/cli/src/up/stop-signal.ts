export interface StopSignal {
  /** Resolves at the first SIGINT or SIGTERM. Those that follow change nothing: stopping goes on as it was. */
  readonly received: Promise<void>;
  hasReceived(): boolean;
  /** Stops listening. */
  forget(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for signals to stop. `onLate` is called `withinMs` milliseconds after the first one, if the process is still
 * there: a database that does not answer, or a start that hangs, must not keep it for ever.
 */
export function stopSignal(withinMs: number, onLate: () => void): StopSignal {
  const state = { told: false };
  let resolveTold = (): void => undefined;
  const received = new Promise<void>((resolve) => {
    resolveTold = resolve;
  });
  const listener = (): void => {
    // Not forgotten with the signals: what keeps the process from ending is often what could not be closed.
    if (!state.told) setTimeout(onLate, withinMs).unref();
    state.told = true;
    resolveTold();
  };
  for (const signal of signals) process.on(signal, listener);
  return {
    received,
    hasReceived: () => state.told,
    forget: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
