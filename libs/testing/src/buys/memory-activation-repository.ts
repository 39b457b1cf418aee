import {
  isUnchanged,
  targetKey,
  type Activation,
  type ActivationRepository,
  type SegmentAt,
} from '@switchyard/buys';

/** An activation repository in memory, for tests that need no database. */
export function memoryActivationRepository(): ActivationRepository {
  const tenants = new Map<string, Map<string, Activation>>();
  const rowsOf = (organizationId: string): Map<string, Activation> => {
    const rows = tenants.get(organizationId) ?? new Map<string, Activation>();
    tenants.set(organizationId, rows);
    return rows;
  };
  const segmentOf = ({ connectionId, segmentId }: SegmentAt): string =>
    JSON.stringify([connectionId, segmentId]);
  const keyOf = (activation: Activation): string =>
    `${segmentOf(activation)} ${targetKey(activation.target)}`;
  return {
    store: ({ organizationId }, activations, read) => {
      const rows = rowsOf(organizationId);
      const before = new Map((read ?? []).map((activation) => [keyOf(activation), activation]));
      const update = activations.filter(
        (activation) =>
          (rows.get(keyOf(activation))?.observedAt ?? activation.observedAt) <= activation.observedAt,
      );
      const isChanged = update.some((activation) => {
        const row = rows.get(keyOf(activation));
        return row !== undefined && !isUnchanged(row, before.get(keyOf(activation)));
      });
      if (read !== undefined && isChanged) return Promise.resolve(false);
      for (const { refused: _told, ...one } of update) rows.set(keyOf(one), one);
      return Promise.resolve(true);
    },
    postpone: ({ organizationId }, activations) => {
      const rows = rowsOf(organizationId);
      for (const { nextPollAt, ...read } of activations) {
        const row = rows.get(keyOf(read));
        if (nextPollAt === undefined || row?.state !== 'activating' || !isUnchanged(row, read)) continue;
        rows.set(keyOf(read), { ...row, nextPollAt });
      }
      return Promise.resolve();
    },
    of: ({ organizationId }, segments) => {
      const wanted = new Set(segments.map(segmentOf));
      return Promise.resolve(
        [...rowsOf(organizationId).values()].filter((activation) => wanted.has(segmentOf(activation))),
      );
    },
    due: ({ organizationId }, at, limit) => {
      const due = [...rowsOf(organizationId).values()].filter(
        ({ state, nextPollAt }) => state === 'activating' && nextPollAt !== undefined && nextPollAt <= at,
      );
      return Promise.resolve(due.sort((a, b) => (a.nextPollAt ?? 0) - (b.nextPollAt ?? 0)).slice(0, limit));
    },
    // Tenants share an account if they name the same connection, which no two tenants of a database do.
    elsewhere: ({ organizationId }, segments) => {
      const wanted = new Set(segments.map(segmentOf));
      const others = [...tenants]
        .filter(([id]) => id !== organizationId)
        .flatMap(([, rows]) => [...rows.values()]);
      return Promise.resolve(
        others
          .filter(
            (activation) =>
              wanted.has(segmentOf(activation)) &&
              activation.isRequested === true &&
              activation.state !== 'off',
          )
          .map(({ connectionId, segmentId, target }) => ({
            connectionId,
            segmentId,
            target: targetKey(target),
          })),
      );
    },
  };
}
