export { activateSignal } from './activate-signal.js';
export { askBuys, leaseCredentials, type ReadAsk, type ReadPorts } from './ask-buys.js';
export { viewBuy } from './buy-view.js';
export { createMediaBuy, type MediaBuyMade } from './create-media-buy.js';
export { targetOf } from './call-seller.js';
export type { BuyerAccount, Mutation } from './caller.js';
export { buyStatus, foldObservation, operationStatus } from './fold-observation.js';
export { followLeg } from './follow-leg.js';
export type { Mutated } from './mutate.js';
export { isSettled, pollPaceMs, type LegObservation } from './observe-leg.js';
export { offerOf, type Offer, type OfferedPrice } from './offer.js';
export type {
  BuyPackage,
  Leg,
  LegStatus,
  MediaBuy,
  MediaBuyRecord,
  ObservationSource,
  Operation,
  SellerBuy,
} from './operation.js';
export type {
  Begun,
  BuyFilter,
  OperationDraft,
  OperationState,
  OperationStore,
  RegistrationDraft,
} from './operation-store.js';
export type { BuysPorts, ConnectionReader, IdSource, LeaseSecrets, LegSecrets } from './ports.js';
export { readDelivery, type DeliveryRead } from './read-delivery.js';
export { readMediaBuys, refreshBuys, type MediaBuysRead } from './read-media-buys.js';
export { isAnswerable, sendTimeoutMs, store as storeObservation } from './run-leg.js';
