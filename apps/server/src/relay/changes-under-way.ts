/** Changes that were answered and are still being stored. */
export interface ChangesUnderWay {
  add(of: ChangeOf, recorded: Promise<unknown>): void;
  /** Resolves once every change of this principal at this seller is stored. */
  settled(of: ChangeOf): Promise<void>;
}

interface ChangeOf {
  readonly principalId: string;
  readonly connectionId: string;
}

/** A brand may refer to the result of its last request as soon as it has the answer, which is before we have stored it. */
export function createChangesUnderWay(): ChangesUnderWay {
  const underWay = new Map<string, Set<Promise<unknown>>>();
  return {
    add: (of, recording) => {
      const key = keyOf(of);
      const own = underWay.get(key) ?? new Set();
      underWay.set(key, own);
      const work = recording
        .catch(() => undefined)
        .finally(() => {
          own.delete(work);
          if (own.size === 0) underWay.delete(key);
        });
      own.add(work);
    },
    settled: async (of) => {
      await Promise.all([...(underWay.get(keyOf(of)) ?? [])]);
    },
  };
}

function keyOf({ principalId, connectionId }: ChangeOf): string {
  return `${principalId} ${connectionId}`;
}
