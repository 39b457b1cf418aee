import { taskError, type TaskError } from '@switchyard/protocol';
import { ownReach, type Reach, type TenantScope } from '@switchyard/tenancy';
import type { MediaBuyRecord } from './operation.js';
import type { OperationStore } from './operation-store.js';

/** The media buy that a request names: by our id, or in forms without ids by the buyer's own reference. */
export interface BuyNamed {
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
}

/** The caller, and the buys it may use for this request. */
export interface CallerReach {
  readonly principalId: string;
  /** Absent: those it created. */
  readonly reach?: Reach;
}

/**
 * Finds a buy that is in reach. A reference means the caller's own buy, or a colleague's where the caller has
 * none with that reference; a reference of two buys finds none.
 */
export async function findBuy(
  store: Pick<OperationStore, 'mediaBuys'>,
  scope: TenantScope,
  { principalId, reach = ownReach(principalId) }: CallerReach,
  { mediaBuyId, buyerRef }: BuyNamed,
): Promise<MediaBuyRecord | undefined> {
  if (mediaBuyId !== undefined)
    return (await store.mediaBuys(scope, { reach, ids: [mediaBuyId], limit: 1 }))[0];
  const buyerRefs = [buyerRef ?? ''];
  const [own, second] = await store.mediaBuys(scope, { principalId, reach, buyerRefs, limit: 2 });
  if (own !== undefined) return second === undefined ? own : undefined;
  const [found, another] = await store.mediaBuys(scope, { reach, buyerRefs, limit: 2 });
  return another === undefined ? found : undefined;
}

/** The error where no buy is in reach by that name. */
export function noSuchBuy({ mediaBuyId }: BuyNamed): TaskError {
  return taskError('MEDIA_BUY_NOT_FOUND', 'You have no media buy with this id.', {
    field: mediaBuyId === undefined ? 'buyer_ref' : 'media_buy_id',
    suggestion: 'get_media_buys without ids lists yours.',
  });
}
