import { refreshBuys } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { WorkerDeps } from '../worker-deps.js';

/** A seller's buy of which the last report came. */
export interface EndedBuy {
  readonly connectionId: string;
  readonly sellerMediaBuyId: string;
}

/** How long a look at the sellers may take after a buy has ended. */
const refreshMs = 10_000;

/**
 * Asks how buys stand whose last report came, because no webhook carries that. Apart from the inbox: a seller that
 * hangs over this question must not keep anybody's reports from the ledger.
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
  // Each principal signs the questions about its own buys.
  await Promise.all(
    [...new Set(records.map(({ buy }) => buy.principalId))].map((principalId) => {
      const own = records.filter(({ buy }) => buy.principalId === principalId);
      return refreshBuys(deps.ports, { scope, principalId, deadlineMs: refreshMs, signal }, own);
    }),
  );
}
