interface StopSignal {
  /** Resolves at the first SIGINT, SIGTERM or SIGHUP. Later signals have no effect. */
  readonly received: Promise<void>;
  hasReceived(): boolean;
  /** Removes the handlers. */
  forget(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Handles signals to stop. `onLate` is called `withinMs` milliseconds after the first one if the process still runs: a
 * database that does not answer, or a start that hangs, must not keep it running for ever.
 */
export function stopSignal(withinMs: number, onLate: () => void): StopSignal {
  const state = { received: false };
  let resolveReceived = (): void => undefined;
  const received = new Promise<void>((resolve) => {
    resolveReceived = resolve;
  });
  const listener = (): void => {
    // Stays after the handlers are removed: what keeps the process running is often what could not be closed.
    if (!state.received) setTimeout(onLate, withinMs).unref();
    state.received = true;
    resolveReceived();
  };
  for (const signal of signals) process.on(signal, listener);
  return {
    received,
    hasReceived: () => state.received,
    forget: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
