import type { TenantScope } from '@switchyard/tenancy';
import type { MediaBuyRecord } from './operation.js';
import type { OperationStore } from './operation-store.js';

/** The media buy that a request names: by our id, or in forms without one by the buyer's own reference. */
export interface BuyNamed {
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
}

/** A buy of the caller's own. Another principal's is not found, and neither is a reference that two buys carry. */
export async function ownBuy(
  store: Pick<OperationStore, 'mediaBuys'>,
  scope: TenantScope,
  principalId: string,
  { mediaBuyId, buyerRef }: BuyNamed,
): Promise<MediaBuyRecord | undefined> {
  const named = mediaBuyId === undefined ? { buyerRefs: [buyerRef ?? ''] } : { ids: [mediaBuyId] };
  const [found, another] = await store.mediaBuys(scope, { principalId, limit: 2, ...named });
  return another === undefined ? found : undefined;
}
