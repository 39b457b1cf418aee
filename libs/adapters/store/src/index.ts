export { startEmbedded } from './embedded/start-embedded.js';
export { ensureDatabase, openDatabase, type OpenedDatabase } from './migrate/open-database.js';
export { makeMonths } from './migrate/make-months.js';
export { migrateDatabase } from './migrate/migrate-database.js';
export { withClient } from './migrate/database-client.js';
export { readMigrations } from './migrate/read-migrations.js';
export { isDatabaseUnavailable } from './core/unavailable.js';
export { isInvalidValue } from './core/list-statement.js';
export {
  listReader,
  sortKeyOf,
  type Field,
  type Filter,
  type Kind,
  type List,
  type ListedRow,
  type ListReader,
} from './core/list.js';
export { lists } from './lists.js';
export { watchDatabase, type DatabaseWatch } from './core/watch-database.js';
export { openStore, type Store } from './core/open-store.js';
export type { TenantClient } from './core/tenant-client.js';
export {
  changeLog,
  type Change,
  type ChangeFilter,
  type ChangeLog,
  type ChangePage,
} from './changes/change-log.js';
export { comparePlaces, placeText, readPlace, type ChangePlace } from './changes/change-place.js';
export { organizations, type NewOrganization, type Organizations } from './tenancy/organizations.js';
export { sellerLife, type LiveBuys, type SellerFigures, type SellerLife } from './sellers/seller-life.js';
export { factorRepository } from './tenancy/factor-repository.js';
export { invitationRepository } from './tenancy/invitation-repository.js';
export { passwordRepository } from './tenancy/password-repository.js';
export { stopRepository } from './tenancy/stop-repository.js';
export { jobRepository } from './jobs/job-repository.js';
export { jobFiles, type JobFiles } from './jobs/job-files.js';
export {
  jobStates,
  type JobFault,
  type JobLease,
  type JobProgress,
  type JobRecord,
  type JobsShown,
  type JobStore,
  type JobWait,
  type JobWord,
  type TakenJob,
} from './jobs/job-store.js';
export { endpointRepository, type EndpointRepository } from './notices/endpoint-repository.js';
export { noticeRepository } from './notices/notice-repository.js';
export {
  noticeModes,
  type ClaimedDelivery,
  type DeliveryEnd,
  type EndpointChannel,
  type HandedOut,
  type Notice,
  type NoticeEndpoint,
  type NoticeMode,
  type NoticePerson,
  type NoticeSetting,
  type NoticesShown,
  type NoticeStore,
  type PlannedDelivery,
  type ShownNotice,
} from './notices/notice-store.js';
export { dueWork, type DueKind, type DueWork } from './tenancy/due-work.js';
export { linkKeys, type LinkKeys } from './tenancy/link-keys.js';
export { grantDirectory } from './tenancy/grant-directory.js';
export { teamDirectory } from './tenancy/team-directory.js';
export { addressDirectory } from './tenancy/address-directory.js';
export { signInPolicies } from './tenancy/sign-in-policies.js';
export { exportOrganization, type ExportedTable } from './tenancy/organization-export.js';
export {
  organizationRemovals,
  type OrganizationDeletion,
  type OrganizationRemovals,
} from './tenancy/organization-removals.js';
export { personErasures, type PersonErasures } from './tenancy/person-erasures.js';
export {
  quotaKinds,
  quotaStore,
  type QuotaKind,
  type QuotaState,
  type QuotaStore,
  type UsageCounter,
} from './tenancy/quotas.js';
export { scimAccesses, type ScimAccesses } from './tenancy/scim-access.js';
export {
  scimDirectory,
  type ScimDirectory,
  type ScimGroup,
  type ScimMember,
  type ScimSearch,
  type ScimUser,
} from './tenancy/scim-directory.js';
export { signInProviders } from './tenancy/sign-in-providers.js';
export { identityDirectory } from './tenancy/identity-directory.js';
export { principalDirectory } from './tenancy/principal-directory.js';
export { oauthStore, type OAuthKeyRecord, type OAuthStore } from './oauth/oauth-store.js';
export { connectionDirectory } from './sellers/connection-directory.js';
export { nightlyRuns } from './sellers/nightly-runs.js';
export { onboardingRuns } from './sellers/onboarding-runs.js';
export {
  accountDeclarations,
  type AccountDeclaration,
  type AccountDeclarations,
} from './sellers/account-declarations.js';
export { sellerAccounts } from './sellers/seller-accounts.js';
export {
  sellerAuthorizations,
  type RenewalLease,
  type SealedToken,
  type SellerAuthorizations,
  type SellerConsent,
} from './sellers/seller-authorizations.js';
export { credentialStore } from './vault/credential-store.js';
export { inboxStore } from './events/inbox-store.js';
export { controlRequests } from './control/control-requests.js';
export { internalApprovals } from './spending/internal-approvals.js';
export { spendingLimits, type SpendingLimits } from './spending/spending-limits.js';
export { commitmentEnds, type CommitmentEnded, type CommitmentEnds } from './spending/end-commitment.js';
export { limitChecks, type LimitChecks } from './spending/limit-sums.js';
export {
  eventLog,
  type DecisionDraft,
  type EventLog,
  type LoggedDetail,
  type LoggedEvent,
} from './events/event-log.js';
export {
  pulledAnswer,
  pullStream,
  inboxWork,
  type InboxMark,
  type PulledAnswer,
  type InboxPlace,
  type InboxWork,
  type StoredEvent,
  type WaitingEvent,
} from './events/inbox-work.js';
export { impairments, type Impairments } from './events/impairments.js';
export type { StoredMessage } from './events/walk-messages.js';
export { inboxPurge, type InboxPurge } from './events/purge-inbox.js';
export { reportWatches, type DueWatch, type ReportWatches } from './events/report-watches.js';
export {
  relayNativeRegistration,
  relayReportRegistration,
  webhookRegistrations,
} from './events/webhook-registrations.js';
export { replayStore } from './signing/replay-store.js';
export { biReaders, type BiReader } from './bi/bi-readers.js';
export { biViews, readBiView, type BiRows, type BiView } from './bi/bi-views.js';
export { sumSpend } from './bi/spend-sums.js';
export { replicaCaughtUp } from './bi/replica.js';
export { copyCluster, placeCluster } from './backup/copy-cluster.js';
export { dumpDatabase, restoreDump } from './backup/dump-database.js';
export { ledgerHeads, type LedgerHead } from './backup/ledger-heads.js';
export { dropTrialDatabase, makeTrialDatabase } from './backup/trial-database.js';
export {
  inspectDatabase,
  inspectTenants,
  type DatabaseFacts,
  type TenantFacts,
} from './instance/inspect-database.js';
export { locateDatabase, type LocatedDatabase } from './instance/locate-database.js';
export { sellerContacts, type SellerContacts } from './sellers/seller-contacts.js';
export { instanceNotes, type InstanceNotes } from './instance/instance-notes.js';
export { lockInstance, type InstanceLock } from './instance/lock-instance.js';
export { oldReads, type OldReads } from './buys/old-reads.js';
export { abandonedWork, type AbandonedWork } from './buys/abandoned-work.js';
export { approvalStore } from './approvals/approval-store.js';
export { answerCache } from './answers/answer-cache.js';
export {
  adminAnswers,
  type AdminAnswers,
  type AnswerPlace,
  type KeptAdminAnswer,
} from './answers/admin-answers.js';
export { assistantActs, type AssistantAct, type AssistantActs } from './answers/assistant-acts.js';
export { activationRepository } from './signals/activation-repository.js';
export { firstDeeds, readFirstDeeds, type FirstDeed } from './campaigns/first-deeds.js';
export { noteRepository, type NoteRepository } from './campaigns/note-repository.js';
export { planRepository, type BuyPlan, type PlanRepository } from './campaigns/plan-repository.js';
export { clientRepository } from './campaigns/client-repository.js';
export {
  nameReader,
  type NameReader,
  type Names,
  type NamesWanted,
  type RowNames,
} from './campaigns/names.js';
export { campaignDirectory } from './campaigns/campaign-directory.js';
export { creativeApprovals } from './creatives/creative-approvals.js';
export { creativeStore } from './creatives/creative-store.js';
export { operationStore } from './buys/operation-store.js';
export { anchorStore, type AnchorStore, type SignedAnchor } from './ledger/anchor-store.js';
export { checkpointStore, type CheckpointStore, type SealedCheckpoint } from './ledger/checkpoint-store.js';
export { ledgerStore } from './ledger/ledger-store.js';
export {
  archiveMonths,
  type ArchiveJob,
  type ArchiveRefusal,
  type ArchiveStretch,
} from './migrate/archive-months.js';
export type { StoredArchive } from './ledger/read-archive.js';
export { verifyWithFiles } from './ledger/verify-in.js';
export { verifyInWorker } from './ledger/verify-in-worker.js';
export { platformKeyStore } from './signing/platform-key-store.js';
export { alarmRepository } from './signing/alarm-repository.js';
export { refusedSignatures, type RefusedSignatures } from './signing/refused-signatures.js';
export { chainEvidence, type ChainEvidence } from './relay/chain-evidence.js';
export { senderKeys, type SenderKey, type SenderKeys } from './signing/sender-keys.js';
export { seenKeys, type KeySighting, type SeenKeys } from './signing/seen-keys.js';
export { trustDocuments } from './signing/trust-documents.js';
export { signerDirectory } from './signing/signer-directory.js';
export { objectSearch, type Found, type ObjectSearch, type SearchReach } from './search/search-objects.js';
export { setUpLists, type SetUpLists } from './search/set-up-lists.js';
export { outboxLog, type OutboxLog, type OutgoingEvent } from './outbox/outbox-log.js';
export { taskCallbacks } from './outbox/task-callbacks.js';
export { outboxStore } from './outbox/outbox-store.js';
export { subscriberStore } from './outbox/subscribers.js';
export { endlessLegs, type EndlessLegs } from './buys/endless-legs.js';
export { sealedUnder, type SealedUnder } from './vault/sealed-under.js';
export { callbackSecretsPurge, type CallbackSecretsPurge } from './vault/callback-secrets.js';
export { outboxPurge, type OutboxPurge } from './outbox/purge-outbox.js';
export { reportStreams, type ReportStreams } from './outbox/report-streams.js';
export { delegations } from './relay/delegations.js';
export { relayLog } from './relay/relay-log.js';
export { auditLog, type AuditEntry, type AuditLog } from './audit/audit-log.js';
export { taskLog } from './buys/task-log.js';
export { billingRepository } from './buys/billing-repository.js';
export { accountRepository } from './tenancy/account-repository.js';
export {
  breakPlace,
  breakRepository,
  type BreakRepository,
  type StoredBreak,
} from './finance/break-repository.js';
export {
  type DocumentImport,
  invoiceRepository,
  type InvoiceRepository,
  type StoredInvoice,
} from './finance/invoice-repository.js';
export { financeFiles, type FinanceFiles, type StoredFile } from './finance/finance-files.js';
export { figureRepository, type FigureRepository } from './finance/figure-repository.js';
export { type CloseStep } from './finance/close-steps.js';
export { periodRepository, type PeriodRepository } from './finance/period-repository.js';
export { readFigures } from './finance/read-figures.js';
export {
  everySeller,
  sellerCalendars,
  type SellerCalendar,
  type SellerCalendars,
} from './finance/seller-calendars.js';
export {
  bookRepository,
  type BookRepository,
  type JournalBatch,
  type WriteBatch,
} from './finance/book-repository.js';
export {
  openInvoicesAtMost,
  paymentRepository,
  type Paid,
  type PaymentRepository,
  type TermChange,
} from './finance/payment-repository.js';
export { budgetLinesAtMost, readBudgetLines, type BudgetLine } from './finance/read-budget-lines.js';
export { pacingPlace, readPacing, type PacingFigures, type PacingWanted } from './finance/read-pacing.js';
export { insertionOrders, type InsertionOrders, type OrderNames } from './billing/insertion-orders.js';
export { toleranceRepository, type ToleranceRepository } from './finance/tolerance-repository.js';
export {
  spendBy,
  spendDimensions,
  spendInReporting,
  spendRowsAtMost,
  type ReportingRow,
  type SpendDimension,
  type SpendQuestion,
  type SpendRow,
} from './finance/spend-by.js';
export {
  billingSettings,
  type BillingSettings,
  type StoredBilling,
  type StoredEntity,
  type StoredRule,
} from './billing/billing-settings.js';
export {
  clientInvoices,
  type ClientInvoiceDetail,
  type ClientInvoices,
  type ClientStep,
} from './billing/client-invoices.js';
export { clientNames, clientReports, type ClientReports, type MarginRow } from './billing/client-reports.js';
export { madeDocuments, type MadeDocuments } from './billing/made-documents.js';
export {
  sharedDocuments,
  type SharedDocument,
  type SharedDocuments,
  type SharedLink,
} from './billing/shared-documents.js';
export { bankAccounts, type BankAccounts } from './finance/bank-accounts.js';
export { type ImportedEntry } from './finance/bank-import.js';
export { paymentRuns, type PaymentRuns, type RunStep } from './finance/payment-runs.js';
export { disputeRepository, type DisputeRepository, type DisputeStep } from './finance/dispute-repository.js';
export { invoiceLife, type Applied, type InvoiceLife, type LifeStep } from './finance/invoice-life.js';
export {
  capabilityVersions,
  type CapabilityVersion,
  type CapabilityVersions,
} from './sellers/capability-versions.js';
export type { CaseAction, CaseChanges, GovernanceCase } from './governance/case-rows.js';
export { governanceCases, nothingRuns, type GovernanceCases } from './governance/governance-cases.js';
export {
  governedThings,
  noteThings,
  type GovernedThings,
  type StoredThing,
  type Unanswered,
} from './governance/governed-things.js';
