import type { DatabaseWatch } from '@switchyard/store';
import type { Parts, Surroundings } from './compose.js';
import { clockText } from './open-adapters.js';

/** What `/readyz` answers. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/** The state is read in advance, so that the answer does not wait for a hanging database. */
export function readiness(watch: DatabaseWatch, isStopping: boolean): Readiness {
  const database = watch.isAvailable() ? 'ok' : 'unreachable';
  const aheadMs = watch.clockAheadMs();
  const parts = {
    database,
    ...(isStopping ? { server: 'stopping' } : {}),
    ...(aheadMs === 0 ? {} : { clock: clockText(aheadMs) }),
  };
  return { ready: database === 'ok' && !isStopping, parts };
}

/** Measures at each scrape what no event reports. */
export function measureOnScrape(
  { breakers }: Parts,
  { adapters: { store }, watching: { metrics } }: Surroundings,
  ready: () => Readiness,
): void {
  metrics.onScrape(() => {
    const { totalCount, idleCount, waitingCount } = store.pool;
    metrics.dbConnections.set({ state: 'used' }, totalCount - idleCount);
    metrics.dbConnections.set({ state: 'idle' }, idleCount);
    metrics.dbConnections.set({ state: 'waiting' }, waitingCount);
    for (const phase of ['open', 'half_open'] as const)
      metrics.breakers.set({ state: phase }, breakers.count(phase));
    metrics.ready.set(ready().ready ? 1 : 0);
  });
}
