export type {
  BrandNamed,
  BuyAssignment,
  CampaignDirectory,
  KnownCampaign,
  KnownClient,
  KnownOfBrand,
  KnownRule,
  Belonging,
} from './model/campaign.js';
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
export { clientIn, isOfBrand } from './campaigns/find-campaign.js';
export { brandNamed, clientOfBrand, placeDraft, belongingOf } from './campaigns/place-draft.js';
export { isRate, type ExchangeRate } from './model/exchange.js';
export {
  breachForBuyer,
  breachText,
  limitKinds,
  limitName,
  rateIn,
  standingsOf,
  usedOf,
  verdictOn,
  type Used,
  type LimitKind,
  type LimitStanding,
  type LimitStandings,
  type LimitUse,
  type RateOf,
  type SpendingLimit,
  type SpendPart,
  type SpendVerdict,
} from './model/limit.js';
export type { MonthAmount } from './model/limit.js';
export {
  endableFrom,
  judgePart,
  recommit,
  type Commitment,
  type PartFacts,
  type SpendState,
} from './spending/part-commitment.js';
export {
  campaignStandings,
  withCampaign,
  type CampaignAsked,
  type CampaignUse,
} from './spending/campaign-standing.js';
export {
  canAskAboutSellers,
  countedLegs,
  decideRequest,
  decideSpend,
  type ApprovalDraft,
  type SpendRefusal,
  type WaitingFacts,
} from './spending/decide-spend.js';
export { spendFindings } from './spending/limit-errors.js';
export { spreadOverMonths, type SpendTime } from './spending/spend-months.js';
export { withAdded } from './spending/spend-draft.js';
export {
  shownStatus,
  waitsForApproval,
  type Decided,
  type InternalApproval,
  type InternalApprovals,
  type InternalDecision,
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
export { activateSignal } from './activate/activate-signal.js';
export { queryBuys, leaseCredentials, relearnFor, withoutBuyers } from './read/query-buys.js';
export { type ReadRequest, type ReadPorts } from './model/read-request.js';
export { cancellationCost, cancellationFeeMicros } from './terms/cancellation-terms.js';
export { liveBudget, viewBuy } from './read/buy-view.js';
export { flightAtSeller, flightOf } from './model/flight.js';
export { budgetAtSeller, termsShown } from './terms/stored-terms.js';
export { viewUpdate } from './update/view-update.js';
export { buysAtMost, type BuysPage } from './read/walk-buys.js';
export { updateMediaBuy } from './update/update-media-buy.js';
export { findBuy, type BuyNamed } from './model/find-buy.js';
export { taskRegression, terminalConflict } from './apply/refuse-transition.js';
export { settleParkedLeg } from './run/settle-parked-leg.js';
export { createMediaBuy, type MediaBuyMade } from './create/create-media-buy.js';
export { previewMediaBuy, type BuyPreview, type SpendQuestion } from './create/preview-media-buy.js';
export { draftSealed } from './run/draft-sealed.js';
export { crowdedBy, insertCeilings, type Crowded, type InsertBudget } from './model/insert-budget.js';
export { accountScope, requestHash } from './model/keys.js';
export { spendOfUpdate } from './run/sealed-spend.js';
export type { Mutation } from './model/caller.js';
export type { BuyerAccount } from './model/buyer-account.js';
export { applyAndExplain, applyObservation, type Applied } from './apply/apply-observation.js';
export { unsignedLeg } from './call/draft-leg.js';
export { tellSellers } from './call/tell-sellers.js';
export { followLeg } from './run/follow-leg.js';
export { replayTtlSeconds } from './run/mutate.js';
export { type Mutated } from './model/mutated.js';
export { rememberedSince } from './run/run-leg.js';
export { isMadeOrMayBe, isSettled, type LegObservation } from './model/leg-state.js';
export { callbackNotBound, endlessAfterByTaskMs, endlessAfterMs } from './apply/poll-pace.js';
export { offerOf, type Offer, type Quote } from './model/offer.js';
export { findOffers } from './plan/find-offers.js';
export { type Proposal, type ProposalQuote, proposalQuotes } from './model/proposal.js';
export { proposalNotFound } from './proposals/proposal-faults.js';
export type {
  ImpairmentRepository,
  BuysPorts,
  IdSource,
  LeaseSecrets,
  LegSecrets,
  SignerFor,
  BillingRepository,
} from './model/ports.js';
export type {
  BuyChange,
  BuyPackage,
  Leg,
  LegStatus,
  MediaBuy,
  MediaBuyRecord,
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
  OperationStore,
} from './model/operation-store.js';
export type { OperationState } from './model/operation-state.js';
export type { RegistrationDraft } from './model/registration-draft.js';
export type { LastFigure } from './model/last-figures.js';
export type { SellerDelivery } from './read/add-up-delivery.js';
export { readDelivery } from './read/read-delivery.js';
export { readMediaBuys, type BuysRequest } from './read/read-media-buys.js';
export { refreshBuys } from './read/refresh-buys.js';
export { type SellerRefusal } from './apply/buys-refreshed.js';
export { sendTimeoutMs } from './call/leg-run.js';
export { cancelOperation } from './tasks/cancel-operation.js';
export { type TaskLog, type TaskPlace, type TaskQuery, movedOn } from './tasks/task-log.js';
export { claimLocal } from './run/claim-local.js';
export { provideFeedback } from './read/provide-feedback.js';
export { reportUsage } from './usage/report-usage.js';
export type { NamedUsage } from './usage/route-usage.js';
export { usageAnswer } from './usage/usage-answer.js';
export {
  isUnchanged,
  targetKey,
  type Activation,
  type ActivationRepository,
  type ActivationState,
  type RequestedElsewhere,
  type SegmentAt,
} from './model/activation.js';
export { activationAnswer } from './signals/activation-answer.js';
export { hideOtherTenants } from './signals/hide-other-tenants.js';
export { applyReportedSignals } from './signals/apply-reported-signals.js';
export { showSignals, showActivations } from './signals/show-activations.js';
export { refreshActivations } from './activate/refresh-activations.js';
export type { AccountsAt } from './plan/client-accounts.js';
export { inAccount } from './plan/client-accounts.js';
export { translateError } from './apply/translate-error.js';
export { storeObservation } from './run/store-observation.js';
export { canLast, isMarketRead, marketReads } from './apply/market-read.js';
export { stripCallbackSecrets } from './model/webhook-secret.js';
export { draftRead, withoutTokens, type ReadAddress } from './market/draft-read.js';
export { gatherRead, type Gathered, type GatheredLeg } from './market/gather-read.js';
export { readRetentionMs } from './run/poll-read.js';
export { applyCreativeEvent } from './creatives/apply-creative-event.js';
export { creativeEffects, type CreativeEffects } from './creatives/creative-effects.js';
export { withBuyerIds } from './model/buyer-creative-ids.js';
export { reportedOf } from './model/outbound.js';
export { nameOfLocal } from './model/name-at-seller.js';
export { placementByApprovals } from './creatives/creative-approvals.js';
export type { CreativeApprovalRepository } from './model/creative-approvals.js';
export { creativesNotOwn } from './model/creative-owner.js';
export type {
  AssignablePackage,
  CreativeDraft,
  CreativePage,
  CreativeQuery,
  CreativeStore,
  DuePlacement,
  LibraryAssignment,
  LibraryCreative,
  Placement,
  PlacementSeen,
  PlacementStatus,
} from './model/creative-library.js';
export { isUndecided, rollUpCreative } from './creatives/creative-states.js';
export { listCreatives } from './creatives/list-creatives.js';
export { previewSync } from './creatives/preview-sync.js';
export { refreshCreatives } from './creatives/refresh-creatives.js';
export { syncAnswer } from './creatives/sync-answer.js';
export { syncCreatives } from './creatives/sync-creatives.js';
export { type CreativePorts } from './model/creative-ports.js';
export { answerApproval, canGoOn, type ApprovalFailure } from './approvals/answer-approval.js';
export { type ApprovalPorts } from './approvals/approval.js';
export { dismissApproval } from './approvals/dismiss-approval.js';
export type { Approval, ApprovalStore, InboxFilter, ReviewRow, ShownTasks } from './approvals/approval.js';
export { approvalChange } from './approvals/approval-change.js';
export { sendDueAnswers } from './approvals/send-answer.js';
export { loosenedIn, rulesText } from './control/campaign-change.js';
export { isSurelyLower, limitText } from './control/limit-change.js';
export { firstJump, ratesMakingRoom } from './control/rate-change.js';
export {
  decidesControl,
  placeOfRequest,
  requestsControl,
  type ControlAct,
  type ControlActor,
  type ControlDecided,
  type ControlKind,
  type ControlOutcomes,
  type ControlRefusal,
  type ControlRequest,
  type ControlRequests,
  type ControlSeen,
  type Taken,
  type WrittenOff,
} from './control/control-request.js';
