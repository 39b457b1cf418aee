export interface StopSignal {
  /** Resolves at the first SIGINT or SIGTERM. Those that follow change nothing: stopping goes on as it was. */
  readonly told: Promise<void>;
  isTold(): boolean;
  /** Stops listening. */
  forget(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function stopSignal(): StopSignal {
  const state = { told: false };
  let resolveTold = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    resolveTold = resolve;
  });
  const listener = (): void => {
    state.told = true;
    resolveTold();
  };
  for (const signal of signals) process.on(signal, listener);
  return {
    told,
    isTold: () => state.told,
    forget: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
