export { accountNames, isAccountName, type AccountName } from './account-chart.js';
export type { BookedBuy, BookedPackage, StreamEnd } from './booked-buy.js';
export {
  createEntry,
  entryKinds,
  restoreEntry,
  type EntryDraft,
  type EntryError,
  type EntryKind,
  type LedgerEntry,
} from './entry.js';
export { groupBy } from './group-by.js';
export { bodyOfEntry, readEntryBody, type BodyPosting, type EntryBody } from './entry-body.js';
export { commitmentEntry, isRefused, type ChangeRow, type CommitmentChange } from './commitment-entry.js';
export { granularityOf, type Granularity } from './granularity.js';
export { ledgerExport, ledgerFormat, verifyLedgerExport, type ExportVerdict } from './ledger-export.js';
export {
  isRowMove,
  rowState,
  reportedRow as reportedRow,
  type DeliveryRowState,
} from './delivery-row-states.js';
export type { LedgerStore, PackageDelivered } from './ledger-store.js';
export type {
  Observation,
  ObservationSource,
  QuarantineCode,
  QuarantineReason,
  ReportOutcome,
} from './observation.js';
export type { Posting, PostingFault } from './posting.js';
export type { ReportVersion, StoredVersion } from './report-version.js';
export { spendBySeller, type Balance, type SellerSpend, type SpendPeriod } from './spend.js';
export { versionsOf, type EntryRow, type PostingRow } from './audit-entry.js';
export type { LedgerProblem, LedgerProblemCode } from './ledger-audit.js';
export { illegalRowMove } from './post-report.js';
export { decideReport, type ReportDecision } from './decide-report.js';
export { usualSpendLimit, type SpendLimit } from './judge-spend.js';
export {
  ReportRepository as ReportRepository,
  type LedgerContents as LedgerContents,
} from './report-repository.js';
export { readPeriod, type Period } from './read-period.js';
export {
  verifyLedger,
  type LedgerCounts,
  type LedgerPage,
  type LedgerSource,
  type LedgerVerification,
  type SpentOnPackage,
  type LedgerVerifyOptions,
} from './verify-ledger.js';
