import { targetKey, type Activation, type ActivationBook, type SegmentAt } from '@switchyard/buys';

/** The book of activations in memory, for tests that need no database. */
export function memoryActivationBook(): ActivationBook {
  const tenants = new Map<string, Map<string, Activation>>();
  const rowsOf = (organizationId: string): Map<string, Activation> => {
    const rows = tenants.get(organizationId) ?? new Map<string, Activation>();
    tenants.set(organizationId, rows);
    return rows;
  };
  const segmentOf = ({ connectionId, segmentId }: SegmentAt): string =>
    JSON.stringify([connectionId, segmentId]);
  return {
    keep: ({ organizationId }, activations) => {
      const rows = rowsOf(organizationId);
      for (const { refused: _told, ...one } of activations) {
        const key = `${segmentOf(one)} ${targetKey(one.target)}`;
        if ((rows.get(key)?.seenAt ?? one.seenAt) <= one.seenAt) rows.set(key, one);
      }
      return Promise.resolve();
    },
    of: ({ organizationId }, segments) => {
      const wanted = new Set(segments.map(segmentOf));
      return Promise.resolve(
        [...rowsOf(organizationId).values()].filter((one) => wanted.has(segmentOf(one))),
      );
    },
    due: ({ organizationId }, at, limit) => {
      const due = [...rowsOf(organizationId).values()].filter(
        ({ state, lookAt }) => state === 'activating' && lookAt !== undefined && lookAt <= at,
      );
      return Promise.resolve(due.sort((a, b) => (a.lookAt ?? 0) - (b.lookAt ?? 0)).slice(0, limit));
    },
    // Tenants share an account where they name the same connection, which no two of a database do.
    elsewhere: ({ organizationId }, segments) => {
      const wanted = new Set(segments.map(segmentOf));
      const others = [...tenants]
        .filter(([id]) => id !== organizationId)
        .flatMap(([, rows]) => [...rows.values()]);
      return Promise.resolve(
        others
          .filter((one) => wanted.has(segmentOf(one)) && one.asked === true && one.state !== 'off')
          .map(({ connectionId, segmentId, target }) => ({
            connectionId,
            segmentId,
            target: targetKey(target),
          })),
      );
    },
  };
}
