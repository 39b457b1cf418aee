import type { TenantScope } from '@switchyard/tenancy';
import { isSettled } from '../model/leg-state.js';
import type { SellerBuy } from '../model/operation.js';
import type { OperationStore } from '../model/operation-store.js';

/** Whether a change by us is pending at a part: what its seller reports meanwhile may be that change. */
export async function isChangeUnderWay(
  store: Pick<OperationStore, 'legsAbout'>,
  scope: TenantScope,
  { id, mediaBuyId }: Pick<SellerBuy, 'id' | 'mediaBuyId'>,
): Promise<boolean> {
  const legs = await store.legsAbout(scope, mediaBuyId);
  return legs.some((leg) => leg.sellerBuyId === id && leg.status !== 'held' && !isSettled(leg));
}
