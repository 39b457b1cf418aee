export type { Dialect, Form, WireProfile as Voice } from './wire-profile.js';
export type { AccountRef } from './model/account-ref.js';
export type { ActivateSignalRequest, ActivateSignalAnswer } from './model/activate-signal.js';
export type { AvailableAction } from './model/available-action.js';
export type { Brand } from './model/brand.js';
export type { GetCapabilitiesRequest, Capabilities } from './model/capabilities.js';
export type { CreateMediaBuyRequest, CreateMediaBuyAnswer } from './model/create-media-buy.js';
export type { CreatedPackage } from './model/created-package.js';
export type { CreativeFormat } from './model/creative-format.js';
export type {
  DeliverySlice,
  DeliveryTotals,
  PackageDelivery,
  MediaBuyDelivery,
  DeliveryReport,
} from './model/delivery-report.js';
export type { DeploymentTarget, ActivationKey, Deployment } from './model/deployment.js';
export type { Finding } from './model/finding.js';
export type { FormatId } from './model/format-id.js';
export type { GetMediaBuyDeliveryRequest } from './model/get-media-buy-delivery.js';
export type { GetMediaBuysRequest, GetMediaBuysAnswer } from './model/get-media-buys.js';
export type { GetProductsRequest, GetProductsAnswer } from './model/get-products.js';
export type { GetSignalsRequest, GetSignalsAnswer } from './model/get-signals.js';
export type { GetTaskRequest } from './model/get-task.js';
export type { Incomplete } from './model/incomplete.js';
export type { ListCreativeFormatsRequest, ListCreativeFormatsAnswer } from './model/list-creative-formats.js';
export type { MediaBuyStatus } from './model/media-buy-status.js';
export type { BuyHistoryEntry, BuyPart, MediaBuyView } from './model/media-buy-view.js';
export type { Original } from './model/original.js';
export type { PackageRequest } from './model/package-request.js';
export type { PackageUpdate } from './model/package-update.js';
export type { PageMark } from './model/page-mark.js';
export type { PricingOption } from './model/pricing-option.js';
export type { PublisherProperty, Product } from './model/product.js';
export type { ProposalPurchase } from './model/proposal-purchase.js';
export type { ProductFilters } from './model/product-filters.js';
export type { PushConfig, ReportingWebhook } from './model/push-config.js';
export type { RequestExtras } from './model/request-extras.js';
export type { Signal } from './model/signal.js';
export type { Recovery, TaskError } from './model/task-error.js';
export type { TaskStatus } from './model/task-status.js';
export type { TaskExchange, TaskProgress, TaskView } from './model/task-view.js';
export type { UpdateMediaBuyRequest, UpdateMediaBuyAnswer } from './model/update-media-buy.js';
export type {
  ExactNumbers,
  PermissionArea,
  PermissionKind,
  TaskArea,
  ProjectedRequest,
  ReadAnswer,
  TaskSpec,
  SellerReply,
  CallerVersion,
} from './task-spec.js';
export { dialects, type DialectNames } from './dialect.js';
export { isSlug, prefixId, slugPattern, splitId, type IdError, type SplitId } from './ids.js';
export { isTerminal, observe, readTaskStatus, type Observation } from './task-status.js';
export { buyStatusWord, canBecome, canFollow, isBuyOver, readBuyStatus, rollUp } from './buy-status.js';
export { actionsIn, actionsOf, commonActions, isPackageAction } from './buy-actions.js';
export {
  canonicalCode,
  errorRule,
  httpStatusOf,
  isKnownCode,
  shownAs,
  type ErrorRule,
} from './error-codes.js';
export { errorAliases, errorNames, errorRows, type ErrorShown } from './error-table.js';
export { taskError, type TaskErrorExtras } from './task-error.js';
export { codeIn, projectError, projectErrors } from './project-errors.js';
export { readError, readErrors } from './read-errors.js';
export {
  dialectOf,
  readWireProfile as readWireProfile,
  wireProfileOfRefusal as wireProfileOfRefusal,
  supportedVersions,
  type CallToRead,
} from './version.js';
export { sellerFormOf } from './seller-form.js';
export {
  credentialError,
  credentialIn,
  credentialInArgs,
  findCredential,
  isCredential,
} from './credential-scan.js';
export { credentialPlaces } from './credential-places.js';
export { readReply, replyOfTask, type A2aReply, readProgressWords } from './reply.js';
export {
  readWebhookEnvelope,
  replyOfEnvelope,
  writeWebhookEnvelope,
  type EnvelopeError,
  type WebhookEnvelope,
  type WebhookReading,
} from './envelope.js';
export { readA2aEvent, type A2aEvent } from './a2a-event.js';
export { readDeliveryReport, type DeliveryReading } from './delivery-report.js';
export { missingMetricsOf } from './wire/missing-metrics.js';
export { projectEnvelope, type AnswerEnvelope, type SellerRow } from './answer-envelope.js';
export { projectCapabilities, type LocalCapabilities as LocalCapabilities } from './local-capabilities.js';
export { findTask, taskNameAt, taskNameIn, tasks, taskTable, type AnyTaskSpec } from './task-table.js';
export { activateSignal } from './tasks/activate-signal.js';
export { cancelTask } from './tasks/cancel-task.js';
export { createMediaBuy } from './tasks/create-media-buy.js';
export { getCapabilities } from './tasks/get-capabilities.js';
export { getMediaBuyDelivery } from './tasks/get-media-buy-delivery.js';
export { getMediaBuys } from './tasks/get-media-buys.js';
export { getProducts } from './tasks/get-products.js';
export { getSignals } from './tasks/get-signals.js';
export { getTask } from './tasks/get-task.js';
export { listAccounts } from './tasks/list-accounts.js';
export { listAuthorizedProperties } from './tasks/list-authorized-properties.js';
export { listCreativeFormats } from './tasks/list-creative-formats.js';
export { listCreatives } from './tasks/list-creatives.js';
export { listTasks } from './tasks/list-tasks.js';
export { providePerformanceFeedback } from './tasks/provide-performance-feedback.js';
export { reportUsage } from './tasks/report-usage.js';
export { syncAccounts } from './tasks/sync-accounts.js';
export { syncCreatives } from './tasks/sync-creatives.js';
export { isOnChannel } from './wire/channels.js';
export { isFiguresAway } from './wire/figures-away.js';
export { isSameFormat } from './wire/format-id.js';
export { bareFormatKey, canCarry, formatKey, readCreative, readCreativeStatus } from './wire/creative.js';
export type {
  Creative,
  CreativeAction,
  CreativeAssignment,
  CreativeApproval,
  CreativeAtSeller,
  CreativeFilters,
  CreativeSort,
  CreativeSortField,
  CreativeStatus,
  ListCreativesAnswer,
  ListCreativesRequest,
  ListedCreative,
  PackageApproval,
  SyncCreativesAnswer,
  SyncCreativesRequest,
  SyncedCreative,
} from './creatives.js';
export type {
  Account,
  AccountStatus,
  AccountWish,
  ListAccountsAnswer,
  ListAccountsRequest,
  SyncAccountsAnswer,
  SyncAccountsRequest,
  SyncedAccount,
} from './accounts.js';
export type { PerformanceFeedbackAnswer, PerformanceFeedbackRequest } from './feedback.js';
export type {
  CancelRefusal,
  CancelTaskAnswer,
  CancelTaskRequest,
  ListTasksAnswer,
  ListTasksRequest,
  TaskFilters,
  TaskSort,
  TaskSummary,
} from './platform-tasks.js';
export type {
  AuthorizedProperty,
  ListAuthorizedPropertiesAnswer,
  ListAuthorizedPropertiesRequest,
  PortfolioWords,
  PublisherAuthorization,
} from './properties.js';
export type { ReportUsageAnswer, ReportUsageRequest, UsageRecord } from './usage.js';
export { updateMediaBuy } from './tasks/update-media-buy.js';
export { taskNotFound } from './tasks/get-task.js';
export { projectDeliveryReport } from './project-delivery-report.js';
export { publicProduct } from './wire/project-product.js';
export {
  notReportedOfProduct as notReportedOfProduct,
  notReportedOfSignal as notReportedOfSignal,
} from './wire/not-told.js';
export { signalCpms } from './wire/signal.js';
export { projectTarget, readDeployment } from './wire/deployment.js';
export { readPackageTerms, wordsOfSellers } from './wire/package-terms.js';
export { exactBelow } from './wire/amount.js';
export { readMoment, readSchedule, type Schedule } from './wire/schedule.js';
export { unreadInUpdate } from './wire/unread-in-update.js';
export { selfAssertionIn } from './self-assertion.js';
export { lostToTool, shapeArgs } from './shape-args.js';
export { proposalMembers } from './wire/proposal-purchase.js';
export { lostMembers, lostPaths, notCarried, received as told, type Carriage } from './wire/lost-members.js';
export { answerLimits, type AnswerLimit } from './answer-limits.js';
export { originalLimits } from './original-limits.js';
export { lostInAnswer, type AnswerLoss } from './lost-in-answer.js';
export { requestedPart as requestedPart } from './requested-part.js';
export { isOutdated } from './is-outdated.js';
export { wantsReportSecret } from './wire/extras.js';
export { lostInReading } from './lost-in-reading.js';
export { listOfItems } from './stored-items.js';
export { projectExtras } from './wire/extras.js';
