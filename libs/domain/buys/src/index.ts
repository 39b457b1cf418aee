export type {
  BrandNamed,
  BuyAssignment,
  CampaignDirectory,
  CampaignQuestion,
  KnownCampaign,
  KnownClient,
  KnownOfBrand,
  KnownRule,
  Belonging,
} from './campaigns/campaign.js';
export type {
  BrandFilter,
  BuyMove,
  BuyMoved,
  Campaign,
  CampaignFilter,
  CampaignRule,
  Client,
  ClientBrand,
  ClientFilter,
  ClientRepository,
} from './campaigns/client.js';
export { findCampaign, isOfBrand } from './campaigns/find-campaign.js';
export { brandNamed, clientOfBrand, placeDraft, belongingOf } from './campaigns/place-draft.js';
export { convertUp, isRate, type ExchangeRate } from './spending/exchange.js';
export {
  breachForBuyer,
  breachText,
  judgeSpend,
  limitKinds,
  limitName,
  rateIn,
  standingsOf,
  usedOf,
  type Breach,
  type LimitKind,
  type LimitStanding,
  type LimitStandings,
  type LimitUse,
  type RateOf,
  type SpendingLimit,
  type SpendPart,
} from './spending/limit.js';
export { withAdded, type QuotedPrice, type SpendDraft } from './spending/spend-draft.js';
export {
  waitsForApproval,
  type Decided,
  type InternalApproval,
  type InternalApprovals,
  type InternalDecision,
  type InternalState,
  type RequestPlace,
} from './spending/internal-approval.js';
export {
  approveRequest,
  denyRequest,
  expireRequests,
  waitingLegs,
  type DecidingPorts,
  type DecisionFailure,
} from './spending/decide-approval.js';
export { activateSignal } from './signals/activate-signal.js';
export {
  queryBuys,
  leaseCredentials,
  relearnFor,
  withoutBuyers,
  type ReadRequest,
  type ReadPorts,
} from './read/query-buys.js';
export { buyHistory } from './read/buy-history.js';
export { cancellationCost } from './model/cancellation-terms.js';
export { liveBudget, viewBuy } from './read/buy-view.js';
export { flightOf } from './model/held-flight.js';
export { heldBudget, termsShown } from './model/kept-terms.js';
export { viewUpdate } from './update/view-update.js';
export { buysAtMost, type BuysPage } from './read/walk-buys.js';
export { updateMediaBuy, type MediaBuyUpdated } from './update/update-media-buy.js';
export { ownBuy, type BuyNamed } from './model/own-buy.js';
export { illegalTransition, taskRegression, terminalConflict } from './update/refuse-transition.js';
export { settleParkedLeg, type LegVerdict } from './observe/settle-parked-leg.js';
export { createMediaBuy, type MediaBuyMade } from './create/create-media-buy.js';
export {
  previewMediaBuy,
  type BuyPreview,
  type SellerPreview,
  type SpendQuestion,
} from './create/preview-media-buy.js';
export { draftSealed, type SealedMutation } from './send/draft-sealed.js';
export {
  crowdedBy,
  insertCeilings,
  type Crowded,
  type InsertBudget,
  type InsertCeiling,
} from './model/insert-budget.js';
export { requestHash } from './model/request-hash.js';
export { spendOfUpdate } from './send/sealed-spend.js';
export { targetOf } from './send/call-seller.js';
export type { BuyerAccount, Mutation } from './model/caller.js';
export { fold, applyObservation, type Applied as Folded } from './observe/apply-observation.js';
export { unsignedLeg } from './send/draft-leg.js';
export { followLeg } from './observe/follow-leg.js';
export { replayTtlSeconds, type Mutated } from './send/mutate.js';
export { rememberedSince } from './send/resume-leg.js';
export { isSettled, type LegObservation } from './observe/observe-leg.js';
export {
  callbackNotBound,
  endlessAfterByTaskMs,
  endlessAfterMs,
  pollPaceMs,
  pollPaceOf,
} from './observe/poll-pace.js';
export { offerOf, type Offer, type OfferedPrice, type Quote } from './model/offer.js';
export { proposalOf, type Allocation, type Proposal, type ProposalQuote } from './proposals/proposal.js';
export { proposalQuotes } from './proposals/proposal-quotes.js';
export { proposalNotFound } from './proposals/proposal-faults.js';
export type { ImpairmentRepository } from './model/impairments.js';
export type {
  BuyChange,
  BuyPackage,
  Leg,
  LegStatus,
  MediaBuy,
  MediaBuyRecord,
  ObservationSource,
  Operation,
  OperationMove,
  SellerBuy,
} from './model/operation.js';
export type {
  Begun,
  BuyGuard,
  BuyFilter,
  Elsewhere,
  OperationDraft,
  OperationState,
  OperationStore,
  RegistrationDraft,
  TakenLeg,
} from './model/operation-store.js';
export type {
  BuysPorts,
  ConnectionReader,
  IdSource,
  LeaseSecrets,
  LegSecrets,
  SignerFor,
} from './model/ports.js';
export type { LastFigure, LastFigures } from './read/last-figures.js';
export type { SellerDelivery } from './read/add-up-delivery.js';
export { readDelivery, type DeliveryRead } from './read/read-delivery.js';
export { readMediaBuys, type BuysRequest, type MediaBuysRead } from './read/read-media-buys.js';
export { refreshBuys, type BuysRefreshed, type SellerRefusal } from './read/refresh-buys.js';
export { buyStatus, operationStatus } from './observe/roll-up-operation.js';
export { sendTimeoutMs } from './send/run-leg.js';
export { cancelOperation, type CancelRequest, type OperationCanceled } from './tasks/cancel-operation.js';
export type { LoggedTask, TaskLog, TaskPage, TaskPlace, TaskQuery } from './tasks/task-log.js';
export { claimLocal } from './send/claim-local.js';
export { provideFeedback } from './read/provide-feedback.js';
export type { BilledElsewhere, BillingRepository } from './usage/billing-repository.js';
export { reportUsage, type UsageReport, type UsageReported } from './usage/report-usage.js';
export type { NamedUsage } from './usage/route-usage.js';
export { usageAnswer } from './usage/usage-answer.js';
export {
  standsAsRead,
  targetKey,
  type Activation,
  type ActivationRepository,
  type ActivationState,
  type RequestedElsewhere,
  type SegmentAt,
} from './signals/activation.js';
export { activationAnswer } from './signals/activation-answer.js';
export { hideOthers } from './signals/hide-others.js';
export { seeSignals, type SeenSignals } from './signals/see-signals.js';
export { showSignals } from './signals/show-signals.js';
export { showActivations } from './signals/show-activations.js';
export { refreshActivations } from './signals/refresh-activations.js';
export type { AccountsAt } from './model/account-gates.js';
export { inBuyersWords } from './observe/in-buyers-words.js';
export { storeObservation } from './observe/store-observation.js';
export { movedOn } from './tasks/moved-on.js';
export { canLast, isMarketRead, marketReads } from './market/market-read.js';
export { withoutCallbackSecrets } from './model/without-callback-secrets.js';
export { draftRead, withoutTokens, type OpenRead, type ReadAddress } from './market/draft-read.js';
export { gatherRead, type Gathered, type GatheredLeg } from './market/gather-read.js';
export { readRetentionMs, readTimeoutMs } from './market/poll-read.js';
export { applyCreativeEvent, type CreativeEventOutcome } from './creatives/apply-creative-event.js';
export { creativeEffects, type CreativeEffects } from './creatives/creative-effects.js';
export { inBuyersNames } from './creatives/in-buyers-names.js';
export { nameOfLocal } from './creatives/name-at-seller.js';
export { placementByApprovals, type CreativeApprovalRepository } from './creatives/creative-approvals.js';
export { creativesNotOwn } from './creatives/creatives-not-own.js';
export { creativeHash } from './creatives/creative-hash.js';
export type {
  AssignablePackage,
  AssignmentSeen,
  CreativeDraft,
  CreativePage,
  CreativeQuery,
  CreativeStore,
  LibraryAssignment,
  LibraryCreative,
  Placement,
  PlacementSeen,
  PlacementStatus,
} from './creatives/creative-library.js';
export { isCreativeMove, isUndecided, rollUpCreative } from './creatives/creative-states.js';
export { listCreatives } from './creatives/list-creatives.js';
export { previewSync } from './creatives/preview-sync.js';
export { refreshCreatives } from './creatives/refresh-creatives.js';
export { syncAnswer } from './creatives/sync-answer.js';
export { syncCreatives, type CreativePorts } from './creatives/sync-creatives.js';
export {
  answerApproval,
  canGoOn,
  type ApprovalFailure,
  type ApprovalPorts,
} from './approvals/answer-approval.js';
export { dismissApproval } from './approvals/dismiss-approval.js';
export type {
  AnswerClaim,
  Approval,
  ApprovalState,
  ApprovalStore,
  InboxFilter,
  ReviewRow,
  ShownTasks,
} from './approvals/approval.js';
export { approvalChange, type ApprovalChange } from './approvals/approval-change.js';
export { sendAnswer, sendDueAnswers } from './approvals/send-answer.js';
