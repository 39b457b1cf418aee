export type { Dialect, Form, WireProfile } from './versions/wire-profile.js';
export { hasFeature, latestForm } from './versions/release-features.js';
export type { AccountRef } from './entities/account/account-ref.js';
export { type ActivateSignalRequest, type ActivateSignalAnswer } from './tasks/activate-signal.js';
export type { AvailableAction } from './entities/media-buy/buy-actions.js';
export type { Brand } from './entities/brand/brand.js';
export type { GetCapabilitiesRequest, Capabilities } from './entities/capabilities/capabilities.js';
export type {
  CreateMediaBuyRequest,
  CreateMediaBuyAnswer,
  CreatedPackage,
} from './entities/media-buy/create-media-buy.js';
export type { CreativeFormat, ListCreativeFormatsRequest } from './entities/format/creative-format.js';
export type {
  DeliverySlice,
  DeliveryTotals,
  PackageDelivery,
  MediaBuyDelivery,
  DeliveryReport,
  GetMediaBuyDeliveryRequest,
} from './entities/delivery/delivery-report.js';
export type { DeploymentTarget, ActivationKey, Deployment } from './entities/signal/deployment.js';
export type { Finding, Incomplete } from './losses/finding.js';
export type { FormatId } from './entities/format/format-id.js';
export type {
  GetMediaBuysRequest,
  GetMediaBuysAnswer,
  BuyHistoryEntry,
  BuyPart,
  MediaBuyView,
} from './entities/media-buy/media-buy-view.js';
export type { GetProductsRequest, GetProductsAnswer } from './entities/product/get-products.js';
export type { GetSignalsRequest, GetSignalsAnswer } from './entities/signal/get-signals.js';
export type { GetTaskRequest, TaskProgress, TaskView } from './entities/task/task-view.js';
export type { TaskExchange } from './entities/task/task-messages.js';
export {
  type MediaBuyStatus,
  canBecome,
  isBuyOver,
  readBuyStatus,
  rollUp,
} from './entities/media-buy/buy-status.js';
export type { Original } from './message/original.js';
export { requirementOf } from './message/requirement.js';
export type { PackageRequest } from './entities/package/package-request.js';
export type { PackageUpdate } from './entities/package/package-update.js';
export type { PricingOption } from './entities/product/pricing.js';
export type { PublisherProperty, Product } from './entities/product/product.js';
export type { ProposalPurchase } from './entities/media-buy/proposal-purchase.js';
export type { ProductFilters } from './entities/product/filters.js';
export type { PushConfig, ReportingWebhook, RequestExtras } from './message/request-extras.js';
export type { Signal } from './entities/signal/signal.js';
export type { Recovery } from './errors/recovery.js';
export type { TaskError } from './errors/task-fault.js';
export type { TaskStatus } from './entities/task/task-status.js';
export type { UpdateMediaBuyRequest, UpdateMediaBuyAnswer } from './entities/media-buy/update-media-buy.js';
export type {
  ExactNumbers,
  PermissionArea,
  PermissionKind,
  TaskArea,
  ProjectedRequest,
  ReadAnswer,
  TaskSpec,
  CallerVersion,
} from './task-spec.js';
export type { SellerReply } from './errors/seller-reply.js';
export { dialects, type DialectNames } from './versions/dialect.js';
export { isSlug, prefixId, slugPattern, splitId } from './ids.js';
export { isTerminal, observe, readTaskStatus } from './entities/task/task-status.js';
export { actionsIn, actionsOf, commonActions, isPackageAction } from './entities/media-buy/buy-actions.js';
export { errorRows } from './errors/error-table.js';
export { readWarnings } from './errors/read-errors.js';
export { errorRule, httpStatusOf, shownAs, isOutdated, taskError } from './errors/task-error.js';
export { codeIn, projectError, projectErrors } from './errors/project-errors.js';
export { dialectOf, readWireProfile, supportedVersions, wireProfileOfRefusal } from './versions/version.js';
export {
  askedRelease,
  sellerFormOf,
  profileOf,
  settingForms,
  type SettingForm,
} from './versions/seller-form.js';
export {
  credentialError,
  credentialIn,
  credentialInArgs,
  findCredential,
  isCredential,
} from './credentials/credential-scan.js';
export { credentialPlaces, selfAssertionIn } from './credentials/credential-places.js';
export {
  challengeHash,
  isExpected,
  readWebhookChallenge,
  type ExpectedChallenge,
  type WebhookChallenge,
} from './message/webhook-challenge.js';
export { readReply, replyOfTask, readProgressWords } from './message/reply.js';
export {
  readWebhookEnvelope,
  replyOfEnvelope,
  writeWebhookEnvelope,
  type WebhookEnvelope,
} from './message/envelope.js';
export { readA2aEvent, type A2aEvent } from './message/a2a-event.js';
export { readDeliveryReport } from './entities/delivery/read-delivery-report.js';
export { missingMetricsOf, isFiguresAway } from './entities/delivery/metrics.js';
export { projectEnvelope, type SellerRow } from './message/answer-envelope.js';
export { projectCapabilities, type LocalCapabilities } from './entities/capabilities/local-capabilities.js';
export {
  activateSignal,
  cancelTask,
  createMediaBuy,
  getCapabilities,
  getMediaBuyDelivery,
  getMediaBuys,
  getProducts,
  getSignals,
  getTask,
  listAccounts,
  listAuthorizedProperties,
  listCreativeFormats,
  listCreatives,
  listTasks,
  providePerformanceFeedback,
  reportUsage,
  syncAccounts,
  syncCreatives,
  updateMediaBuy,
} from './released-tasks.js';
export { releaseNamed, releaseNames } from './releases/known-releases.js';
export {
  askedBy,
  errorsIn,
  exactIn,
  lifecycleTask,
  lifecycleTaskOf,
  lifecycleTasksOf,
  releasesWith,
} from './releases/lifecycle.js';
export { inRelease, lifecycleReleaseOf, standInFor, withStandIns } from './releases/lifecycle-sellers.js';
export { type LifecycleSeller } from './releases/seller-lifecycle.js';
export {
  lifecycleMember,
  type Kept,
  type LifecycleTask,
  type ToldSeller,
} from './releases/lifecycle-task.js';
export type { ReleaseName } from './releases/release.js';
export { findTask, taskNameAt, tasks, taskTable, type AnyTaskSpec, servingTask } from './task-table.js';
export {
  getAccountFinancials,
  type AccountFinancials,
  type FinancialsRequest,
} from './tasks/get-account-financials.js';
export { readDeclaredPortfolio } from './tasks/list-authorized-properties.js';
export { type PerformanceFeedbackRequest } from './tasks/provide-performance-feedback.js';
export { type ReportUsageAnswer, type ReportUsageRequest, type UsageRecord } from './tasks/report-usage.js';
export {
  readCampaignNames,
  type CampaignName,
  type CampaignNames,
} from './entities/media-buy/campaign-names.js';
export { isOnChannel } from './entities/product/channels.js';
export { isSameFormat } from './entities/format/format-id.js';
export {
  bareFormatKey,
  canCarry,
  formatKey,
  readCreative,
  readCreativeStatus,
} from './entities/creative/creative.js';
export type {
  Creative,
  CreativeAction,
  CreativeAssignment,
  CreativeApproval,
  CreativeAtSeller,
  CreativeFilters,
  CreativeSort,
  CreativeStatus,
  ListCreativesAnswer,
  ListCreativesRequest,
  ListedCreative,
  PackageApproval,
  SyncCreativesAnswer,
  SyncCreativesRequest,
  SyncedCreative,
} from './entities/creative/creative-messages.js';
export type {
  Account,
  AccountStatus,
  RequestedAccount,
  ListAccountsRequest,
  SyncAccountsRequest,
  SyncedAccount,
} from './entities/account/account-messages.js';
export { projectSubscriber, type Subscriber } from './entities/account/subscriber.js';
export type {
  CancelRefusal,
  CancelTaskRequest,
  ListTasksRequest,
  TaskFilters,
  TaskSort,
  TaskSummary,
} from './entities/task/task-messages.js';
export type {
  AuthorizedProperty,
  ListAuthorizedPropertiesAnswer,
  ListAuthorizedPropertiesRequest,
  PublisherAuthorization,
} from './entities/product/authorized-properties.js';
export { partInRelease, projectReport, wholeTerms, type WholeTerms } from './releases/across-releases.js';
export { publicProduct } from './entities/product/project-product.js';
export { notReportedOfProduct, notReportedOfSignal } from './losses/not-reported.js';
export { signalCpms } from './entities/signal/signal.js';
export { projectTarget, readDeployment } from './entities/signal/deployment.js';
export { readPackageTerms, wordsOfSellers } from './entities/package/package-terms.js';
export { exactBelow } from './message/amount.js';
export { unreadMembers } from './entities/media-buy/unread-members.js';
export { lostToTool, shapeArgs } from './message/shape-args.js';
export { proposalMembers } from './entities/media-buy/proposal-purchase.js';
export { answerLimits } from './losses/answer-limits.js';
export { originalLimits } from './losses/original-limits.js';
export { lostInAnswer, type AnswerLoss } from './losses/lost-in-answer.js';
export { requestedPart } from './message/requested-part.js';
export { wantsReportSecret } from './message/extras.js';
export { unknownSignals } from './entities/signal/signal-names.js';
export { lostInReading, listOfItems } from './losses/lost-in-reading.js';
export { unconfirmed } from './losses/unconfirmed.js';
export { projectExtras } from './message/extras.js';
