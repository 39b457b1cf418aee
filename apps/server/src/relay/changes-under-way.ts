/** Changes whose answers are on their way back, and are being written down. */
export interface ChangesUnderWay {
  add(of: ChangeOf, noted: Promise<unknown>): void;
  /** Resolves once everything that this principal has changed at this seller is in the books. */
  settled(of: ChangeOf): Promise<void>;
}

export interface ChangeOf {
  readonly principalId: string;
  readonly connectionId: string;
}

/** A brand may name what its last request has made as soon as it has the answer, which is before that is noted. */
export function createChangesUnderWay(): ChangesUnderWay {
  const underWay = new Map<string, Set<Promise<unknown>>>();
  return {
    add: (of, noted) => {
      const key = keyOf(of);
      const own = underWay.get(key) ?? new Set();
      underWay.set(key, own);
      const work = noted
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
