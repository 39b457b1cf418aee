export { startEmbedded, type EmbeddedOptions, type EmbeddedServer } from './embedded/start-embedded.js';
export type { EmbeddedFailure, EmbeddedFailureCode } from './embedded/failure.js';
export { readOrMakeSecret } from './embedded/secret-file.js';
export {
  ensureDatabase,
  openDatabase,
  type DatabaseEnvironment,
  type OpenedDatabase,
} from './migrate/open-database.js';
export { migrateDatabase } from './migrate/migrate-database.js';
export { withClient } from './migrate/with-client.js';
export { readMigrations, type Migration } from './migrate/read-migrations.js';
export type { DatabaseFailure, DatabaseFailureCode } from './migrate/failure.js';
export { isDatabaseUnavailable } from './core/unavailable.js';
export { watchDatabase, type DatabaseWatch, type WatchOptions } from './core/watch-database.js';
export { openStore, type Store, type StoreOptions } from './core/open-store.js';
export type { Rows, Statement, TenantClient } from './core/tenant-client.js';
export { organizations, type Organization, type Organizations } from './tenancy/organizations.js';
export { dueWork, type Due, type DueKind, type DueWork } from './tenancy/due-work.js';
export { identityDirectory } from './tenancy/identity-directory.js';
export { principalDirectory } from './tenancy/principal-directory.js';
export { connectionDirectory } from './sellers/connection-directory.js';
export { credentialStore } from './vault/credential-store.js';
export { inboxStore } from './events/inbox-store.js';
export {
  eventLog,
  type CopySeen,
  type DecisionDraft,
  type EventDecision,
  type EventLog,
  type LoggedDetail,
  type LoggedEvent,
  type LoggedState,
} from './events/event-log.js';
export {
  inboxWork,
  type InboxMark,
  type InboxPlace,
  type InboxState,
  type InboxWork,
  type StoredEvent,
  type WaitingEvent,
} from './events/inbox-work.js';
export {
  impairments,
  type Impairments,
  type NotifiedImpairment as NotifiedImpairment,
} from './events/impairments.js';
export { inboxPurge, type InboxPurge } from './events/purge-inbox.js';
export {
  reportWatches,
  type DueWatch,
  type EndedPoll as EndedPoll,
  type ReportWatches,
} from './events/report-watches.js';
export {
  relayNativeRegistration,
  relayReportRegistration,
  webhookRegistrations,
} from './events/webhook-registrations.js';
export { replayStore, type PurgingReplayStore, type ReplayStoreOptions } from './signing/replay-store.js';
export { instanceNotes, type InstanceNotes } from './instance/instance-notes.js';
export {
  findInstance,
  lockInstance,
  type InstanceInfo,
  type InstanceLock,
  type LockFailure,
  type RunningInstance,
} from './instance/lock-instance.js';
export { oldReads, type OldReads } from './buys/old-reads.js';
export { abandonedWork, type AbandonedWork } from './buys/abandoned-work.js';
export { approvalStore } from './approvals/approval-store.js';
export { answerCache as answerCache } from './answers/answer-cache.js';
export { activationRepository as activationRepository } from './signals/activation-repository.js';
export { creativeApprovals } from './creatives/creative-approvals.js';
export { creativeStore } from './creatives/creative-store.js';
export { operationStore } from './buys/operation-store.js';
export { checkpointStore, type CheckpointStore, type SealedCheckpoint } from './ledger/checkpoint-store.js';
export { ledgerStore } from './ledger/ledger-store.js';
export { verifyInWorker, type VerifyJob } from './ledger/verify-in-worker.js';
export { platformKeyStore as platformKeyStore } from './signing/platform-key-store.js';
export { alarmRepository as alarmRepository, raiseAlarm } from './signing/alarm-repository.js';
export {
  refusedSignatures,
  type RefusedSignature,
  type RefusedSignatures,
} from './signing/refused-signatures.js';
export { seenKeys, type KeySighting, type SeenKeys } from './signing/seen-keys.js';
export { trustDocuments } from './signing/trust-documents.js';
export { signerDirectory } from './signing/signer-directory.js';
export { taskCallbacks } from './outbox/task-callbacks.js';
export { outboxStore } from './outbox/outbox-store.js';
export { endlessLegs, type EndlessLeg, type EndlessLegs } from './buys/endless-legs.js';
export { callbackSecretsPurge, type CallbackSecretsPurge } from './vault/callback-secrets.js';
export { outboxPurge, type OutboxPurge } from './outbox/purge-outbox.js';
export { reportStreams, type ReportStreams } from './outbox/report-streams.js';
export {
  registrationRotation,
  rotateRegistration,
  type RegistrationRotation,
} from './outbox/rotate-registrations.js';
export type { Announce } from './outbox/announce.js';
export { delegations } from './relay/delegations.js';
export { relayLog } from './relay/relay-log.js';
export { taskLog } from './buys/task-log.js';
export { billingRepository as billingRepository } from './buys/billing-repository.js';
export { accountRepository as accountRepository } from './tenancy/account-repository.js';
