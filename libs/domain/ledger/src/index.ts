export {
  archiveColumns,
  archivePages,
  archiveRows,
  archiveTables,
  verifyStretch,
  withArchive,
  type ArchivedPart,
  type ArchiveTable,
} from './archive.js';
export { type LedgerArchive } from './ledger-source.js';
export { isAccountName, type Posting } from './entry/posting.js';
export type { BookedBuy, BookedPackage, LongPeriods, StreamEnd } from './report/booked-buy.js';
export { createEntry, entryOf, restoreEntry, type LedgerEntry } from './entry/entry.js';
export { groupBy } from './group-by.js';
export { readEntryBody, type EntryBody } from './entry/entry-body.js';
export { assignmentEntry, type AssignmentRow } from './entry/assignment-entry.js';
export { commitmentEntry, isRefused, type ChangeRow } from './entry/commitment-entry.js';
export { messageFacts } from './entry/entry-facts.js';
export { type Granularity, readPeriod } from './report/read-period.js';
export { isBelowBooked, type LimitSum } from './limit-sum.js';
export { ledgerExport, ledgerFormat, verifyLedgerExport } from './ledger-export.js';
export type {
  EntryFilter,
  FigureChange,
  LedgerStore,
  PackageDelivered,
  ReportedFigure,
  ReportPreview,
} from './ledger-store.js';
export type {
  MessageEvidence,
  Observation,
  ObservationSource,
  QuarantineCode,
  ReportOutcome,
} from './report/observation.js';
export { firstDayOf, type ReportVersion, type StoredVersion } from './report/report-version.js';
export { type BillingMonths } from './calendar/billed-range.js';
export { localDay } from './calendar/zone.js';
export { proposeZone, type ZoneProposal } from './calendar/propose-zone.js';
export { placeAnew, type PlacedAnew } from './report/place-anew.js';
export { isSplit, restOf, sharesOf } from './calendar/share-days.js';
export type { Balance, PackageMove } from './spend.js';
export { versionsOf, type EntryRow, type PostingRow } from './entry/audit-entry.js';
export { figuresDifferWidely, illegalRowMove } from './report/post-report.js';
export { decideReport, type ReportDecision } from './report/decide-report.js';
export { usualSpendLimit, type SpendLimit } from './report/judge-spend.js';
export { ReportRepository, type LedgerContents } from './report/report-repository.js';
export { verifyLedger, type LedgerVerification, type LedgerVerifyOptions } from './verify-ledger.js';
export {
  type LedgerCounts,
  type LedgerPage,
  type LedgerSource,
  type PackageMonth,
  type SpentOnPackage,
} from './ledger-source.js';
export { daysOfPeriod, isPeriod, shiftDay, type AccountingPeriod } from './finance/period.js';
export {
  invoiceFields,
  fieldReader,
  isDelivered,
  readInvoice,
  type InvoiceHead,
  type InvoiceDefaults,
  type InvoiceField,
  type InvoiceLine,
  type InvoiceMapping,
} from './finance/invoice.js';
export {
  figureFields,
  isWithoutAmounts,
  readFigureRow,
  type Figure,
  type FigureBuy,
  type FigureField,
} from './finance/figure.js';
export { basisText, countedUnits, type AgreedPrice, type CountBasis } from './finance/counted-price.js';
export { isAbsurd, isDoubtful } from './finance/plausible.js';
export { compareAccounts, type AccountFigures, type AccountInvoice } from './finance/compare-accounts.js';
export type { BookedInvoice, PackageFigures } from './finance/compared-figures.js';
export { finalCountDue } from './finance/final-count.js';
export {
  agreementsOf,
  agreementText,
  faultOfAgreement,
  withAgreement,
  type Agreement,
} from './finance/agreement.js';
export {
  nextOrder,
  orderNumber,
  orderTitle,
  type OrderedPackage,
  type OrderFacts,
  type OrderVersion,
} from './billing/insertion-order.js';
export { billedDays, proposedDecision } from './finance/explain-break.js';
export { breakKinds, subjectOf, type FoundBreak } from './finance/create-break.js';
export { reconciliationWork, type Reconciliation } from './finance/reconcile.js';
export {
  percentText,
  toleranceAmong,
  type SetTolerance,
  type Tolerance,
  type UsedTolerance,
} from './finance/tolerance.js';
export { agingBuckets, agingOf, usualTermDays, type AgingRow, type OpenInvoice } from './finance/aging.js';
export { type DatedRate } from './finance/payment.js';
export {
  decidePayment,
  type DecidedPayment,
  type MissingRate,
  type Payment,
  type PaymentDraft,
  type PaymentFacts,
  type PaymentRefusal,
} from './finance/decide-payment.js';
export {
  amountsOf,
  billedBy,
  breakResolutions,
  dayOfResolution,
  decideResolution,
  holdsOf,
  owedKinds,
  previewResolutions,
  type BilledDocument,
  type BreakResolution,
  type DecidedResolution,
  type Hold,
  type JudgedBreak,
  type ResolutionDraft,
  type ResolutionPreview,
} from './finance/decide-resolution.js';
export {
  closeSteps,
  decideClose,
  decideReopen,
  type ClientDue,
  type CloseChecklist,
  type CloseFacts,
  type CloseStepName,
  type Closing,
  type KeptOpen,
  type PeriodIds,
  type PeriodState,
  type Reopened,
  type Reopening,
  type SellerDue,
} from './finance/decide-close.js';
export { payableOf, wholeUnits, type NotPayable, type PayableInvoice } from './finance/payable-invoice.js';
export { readBankAccount, shortIban, type BankAccount } from './finance/bank-account.js';
export { pain001, paymentCsv, type PaymentFile, type Transfer } from './finance/payment-file.js';
export { readCamt053, readMt940, type BankEntry, type BankStatement } from './reading/bank-statement.js';
export {
  disputeAmounts,
  disputeOutcomes,
  letterFacts,
  letterText,
  movedPostings,
  type AccountAmounts,
  type DisputeLetter,
  type DisputeOutcome,
} from './finance/dispute.js';
export {
  exportFormats,
  journalDocuments,
  journalRows,
  roundedLines,
  type ExportFormat,
  type JournalSum,
  type JournalDocument,
} from './finance/journal-export.js';
export {
  batchParts,
  billFiles,
  bookSystems,
  journalFile,
  type BatchPart,
  type BookBill,
  type BookFile,
  type BookSystem,
} from './finance/journal-files.js';
export { adviseBudgets, type Advice, type AdvisedLine } from './finance/advice.js';
export { paceOf, plannedByDay, usualSilentDays, type Pace } from './finance/pacing.js';
export { sentInTime } from './report/judge-order.js';
export { countFacts, countFigures, type CountedFigure } from './report/count-facts.js';
export {
  statementDigest,
  statementDocument,
  statementFileFormat,
  statementProblems,
  type StatementScope,
} from './finance/statement.js';
export { decodingWork, textOf } from './reading/decode-text.js';
export { readDocuments, type FileContent } from './reading/read-file.js';
export { foldName, type ReadingField } from './reading/header-names.js';
export { type FileReading, type LineType, type ReadDocument, type ReadLine } from './reading/reading.js';
export { ReadingFault } from './reading/split-rows.js';
export {
  buyOfNames,
  namesOf,
  referencesOf,
  settleReading,
  type KnownThings,
  type NamedBuy,
} from './reading/settle-reading.js';
export {
  bookedLine,
  documentHead,
  foldedNumber,
  invoiceEntry,
  voidPostings,
} from './finance/book-document.js';
export { derivedRates, ratesOfEcb, ratesOfEcbXml } from './reading/published-rates.js';
export { marginOf, type MarginParts } from './billing/margin.js';
export {
  billingBases,
  billingKinds,
  faultOfRule,
  faultOfTax,
  taxCategories,
  type BillingBasis,
  type BillingKind,
  type BillingRule,
  type TaxCategory,
  type TaxRate,
} from './billing/billing-rule.js';
export {
  billClient,
  billedKey,
  shownLines,
  taxesOf,
  totalsOf,
  type BilledCampaign,
  type BilledSum,
  type BillingCheck,
  type ClientDraft,
  type ClientFigure,
  type ClientLine,
  type ClientLineType,
  type FreeLine,
} from './billing/bill-client.js';
export { clientInvoicePostings, clientPaymentPostings } from './billing/client-postings.js';
export {
  clientDocumentText,
  documentDigest,
  type ClientDocument,
  type DocumentParty,
} from './billing/client-document.js';
export { ciiText } from './billing/cii.js';
export { ublText } from './billing/ubl.js';
export { checkLayout, type LayoutFinding } from './finance/check-layout.js';
export { checkPlace, type PlaceFinding } from './files/check-place.js';
export {
  isPlaceScheme,
  type AskPlace,
  type FilePlace,
  type PlaceAnswer,
  type PlacedFile,
  type PlaceRequest,
} from './files/file-place.js';
export { layoutFiles, type BookLayout, type LayoutCodes } from './finance/book-layout.js';
