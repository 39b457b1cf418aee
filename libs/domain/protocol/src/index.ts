export type { Dialect, Form, Voice } from './voice.js';
export type {
  Original,
  TaskStatus,
  MediaBuyStatus,
  Recovery,
  TaskError,
  Finding,
  FormatId,
  Brand,
  AccountRef,
  PricingOption,
  PublisherProperty,
  Product,
  DeploymentTarget,
  ActivationKey,
  Deployment,
  Signal,
  CreativeFormat,
  ProductFilters,
  RequestExtras,
  PushConfig,
  ReportingWebhook,
  GetCapabilitiesRequest,
  Capabilities,
  GetProductsRequest,
  GetProductsAnswer,
  DeliverySlice,
  Incomplete,
  PageMark,
  GetSignalsRequest,
  GetSignalsAnswer,
  ListCreativeFormatsRequest,
  ListCreativeFormatsAnswer,
  PackageRequest,
  CreateMediaBuyRequest,
  CreatedPackage,
  CreateMediaBuyAnswer,
  PackageUpdate,
  UpdateMediaBuyRequest,
  UpdateMediaBuyAnswer,
  AvailableAction,
  GetMediaBuysRequest,
  BuyHistoryEntry,
  MediaBuyView,
  GetMediaBuysAnswer,
  GetMediaBuyDeliveryRequest,
  DeliveryTotals,
  PackageDelivery,
  MediaBuyDelivery,
  DeliveryReport,
  ActivateSignalRequest,
  ActivateSignalAnswer,
  GetTaskRequest,
  TaskExchange,
  TaskView,
} from './model.js';
export type {
  ExactNumbers,
  PermissionArea,
  PermissionKind,
  ReadAnswer,
  TaskSpec,
  SellerReply,
  CallerVersion,
} from './task-spec.js';
export { dialects, type DialectNames } from './dialect.js';
export { isSlug, prefixId, slugPattern, splitId, type IdError, type SplitId } from './ids.js';
export { isTerminal, observe, readTaskStatus, type Observation } from './task-status.js';
export { buyStatusWord, canBecome, canFollow, isBuyOver, readBuyStatus, rollUp } from './buy-status.js';
export { actionsIn, actionsOf, commonActions } from './buy-actions.js';
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
export { dialectOf, readVoice, voiceOfRefusal, supportedVersions, type CallToRead } from './version.js';
export { sellerFormOf } from './seller-form.js';
export {
  credentialError,
  credentialIn,
  credentialInArgs,
  findCredential,
  isCredential,
} from './credential-scan.js';
export { credentialPlaces } from './credential-places.js';
export { readReply, replyOfTask, type A2aReply } from './reply.js';
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
export { projectEnvelope, type AnswerEnvelope, type SellerRow } from './answer-envelope.js';
export { projectCapabilities, type OwnCapabilities } from './own-capabilities.js';
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
} from './properties.js';
export type { ReportUsageAnswer, ReportUsageRequest, UsageRecord } from './usage.js';
export { updateMediaBuy } from './tasks/update-media-buy.js';
export { taskNotFound } from './tasks/get-task.js';
export { projectDeliveryReport } from './project-delivery-report.js';
export { publicProduct } from './wire/project-product.js';
export { signalCpms, signalPricingOptionIds } from './wire/signal.js';
export { projectTarget, readDeployment } from './wire/deployment.js';
export { exactBelow } from './wire/amount.js';
export { readMoment, readSchedule, type Schedule } from './wire/schedule.js';
export { selfAssertionIn } from './self-assertion.js';
export { lostToTool, shapeArgs } from './shape-args.js';
export { lostMembers, notCarried, type Carriage } from './wire/lost-members.js';
export { answerLimits, type AnswerLimit } from './answer-limits.js';
export { lostInAnswer, type AnswerLoss } from './lost-in-answer.js';
