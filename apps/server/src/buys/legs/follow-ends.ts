import { refreshBuys } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';

/** A seller's buy whose last report has arrived. */
export interface EndedBuy {
  readonly connectionId: string;
  readonly sellerMediaBuyId: string;
}

/** How long polling the sellers of an ended buy may take, in milliseconds. */
const refreshMs = 10_000;

/**
 * Polls the state of buys whose last report has arrived, because no webhook carries it. Separate from the inbox, so
 * that a hanging seller delays no report.
 */
export async function followEnds(
  deps: WorkerDeps,
  scope: TenantScope,
  ended: readonly EndedBuy[],
): Promise<void> {
  const ids = new Set<string>();
  for (const { connectionId, sellerMediaBuyId } of ended) {
    const sellerBuy = await deps.ports.store.sellerBuyOf(scope, connectionId, sellerMediaBuyId);
    if (sellerBuy !== undefined) ids.add(sellerBuy.mediaBuyId);
  }
  if (ids.size === 0) return;
  const records = await deps.ports.store.mediaBuys(scope, { ids: [...ids], limit: ids.size });
  const { signal } = new AbortController();
  // Each principal signs the reads of its own buys.
  await Promise.all(
    [...new Set(records.map(({ buy }) => buy.principalId))].map((principalId) => {
      const own = records.filter(({ buy }) => buy.principalId === principalId);
      return refreshBuys(deps.ports, { scope, principalId, deadlineMs: refreshMs, signal }, own);
    }),
  );
}
