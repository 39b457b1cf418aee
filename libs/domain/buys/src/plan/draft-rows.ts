import type { CreateMediaBuyRequest } from '@switchyard/protocol';
import { defined } from '@switchyard/values';
import { storedTargeting } from '../model/stored-targeting.js';
import type { BuyPackage, Leg, MediaBuy, Operation, SellerBuy } from '../model/operation.js';
import type { IdSource } from '../model/ports.js';
import type { PlannedPackage } from './planned-package.js';

interface BuyToStore {
  readonly request: CreateMediaBuyRequest;
  readonly brandDomain: string;
  readonly brandId: string | undefined;
  readonly operator: string;
  readonly currency: string;
}

/** The stored form of a buy before any seller has answered, sealed or aggregated. */
export function draftMediaBuy(
  ids: IdSource,
  { id: operationId, organizationId, principalId, createdAt }: Operation,
  { request, brandDomain, brandId, operator, currency }: BuyToStore,
): MediaBuy {
  return {
    id: ids.token('mb'),
    organizationId,
    operationId,
    principalId,
    brand: { domain: brandDomain, ...defined({ brand_id: brandId }) },
    operator,
    currency,
    status: 'pending_start',
    revision: 1,
    startTime: request.startTime === 'asap' ? new Date(createdAt).toISOString() : request.startTime,
    endTime: request.endTime,
    createdAt,
    updatedAt: createdAt,
    ...defined({ buyerRef: request.buyerRef, context: request.context }),
  };
}

/** The stored part of a buy at the seller of a leg. */
export function draftSellerBuy(ids: IdSource, buy: MediaBuy, leg: Leg, accountId?: string): SellerBuy {
  return {
    id: ids.uuid(),
    mediaBuyId: buy.id,
    legId: leg.id,
    connectionId: leg.connectionId,
    seller: leg.seller,
    status: 'pending_start',
    ...defined({ accountId, login: leg.login }),
  };
}

type PackageToStore = Pick<PlannedPackage, 'request' | 'budgetMicros' | 'bidMicros'> & {
  readonly price: { readonly currency: string };
};

/** The stored form of a package, without its terms. */
export function draftPackage(
  place: Pick<BuyPackage, 'id' | 'mediaBuyId' | 'legId' | 'position' | 'seller'>,
  { request, price, budgetMicros, bidMicros }: PackageToStore,
): BuyPackage {
  const { productId, pricingOptionId, buyerRef, context, targetingOverlay } = request;
  return {
    ...place,
    productId,
    pricingOptionId,
    currency: price.currency,
    budgetMicros,
    ...defined({ bidMicros, buyerRef, context }),
    ...(targetingOverlay === undefined ? {} : { targeting: storedTargeting(targetingOverlay) }),
  };
}
