export { acceptWebhook, replayed, type AcceptedWebhook, type WebhookRefusal } from './accept-webhook.js';
export { keyRetainedUntil, keyMemoryMs } from './key-retention.js';
export {
  longestQuietMs,
  nextPollAt,
  recordPoll,
  recordReport,
  recoveryPaceMs,
  reportGraceMs,
  type ReportPoll,
  type ReportSeen,
  type ReportWatch,
  type WatchState,
} from './watch-reports.js';
export type {
  InboxEvent,
  InboxEventKind,
  InboxStore,
  RefusedWebhook,
  RegistrationKind,
  RegistrationMode,
  WebhookEvidence,
  WebhookRegistration,
  WebhookRegistrations,
  WebhookVerdict,
} from './inbox-port.js';
export {
  type BuyerRegistration,
  type CallbackSecrets,
  type RegistrationChannel,
  type RegistrationEnvelope,
  type TaskCallbacks,
  shownAddress,
} from './out/buyer-registration.js';
export { completeBody, writeTaskEvent, type TaskUpdate } from './out/write-task-event.js';
export { EndpointBreaker, endpointOf } from './out/endpoint-breaker.js';
export { judgeAttempt, missingStatuses, type AttemptResult } from './out/judge-attempt.js';
export {
  outboxHorizonMs,
  type ClaimedEvent,
  type OutboxDraft,
  type OutboxKind,
  type OutboxState,
} from './out/outbox-event.js';
export type { ActivityRequest, AttemptEnd, AttemptRecord, OutboxStore } from './out/outbox-store.js';
export { nextAttemptAt } from './out/retry-schedule.js';
export {
  impairmentWindowMs,
  shownImpairment,
  writeImpairment,
  type ImpairmentState,
} from './out/write-impairment.js';
export {
  isProof,
  writeAccountChange,
  writeCreativeChange,
  type CreativeChange,
  writeCapabilitiesChange,
  writeChallenge,
  type AccountStatusChange,
} from './out/write-notification.js';
export {
  planSubscribers,
  subscriberOf,
  type SubscriberStore,
  type SubscriberSet,
} from './out/subscribers.js';
export { planReports, type ReportPlan } from './out/plan-reports.js';
export type { CountedFigure, ReportFacts } from './out/report-facts.js';
export {
  changeByWebhook,
  changesBySnapshot,
  impairedPackages,
  impairedTo,
  type ImpairmentChange,
  type KnownImpairment,
  type RecordedImpairment,
} from './impairment-changes.js';
export { registrationSecret } from './registration-secret.js';
export { checkNotices, type NoticeFinding } from './notices/check-notices.js';
export {
  mostNoticeBytes,
  noticeBody,
  type NoticeConnector,
  type ToldNotice,
} from './notices/notice-connector.js';
