import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import {
  bookRepository,
  bankAccounts,
  billingSettings,
  breakRepository,
  clientInvoices,
  clientNames,
  clientReports,
  madeDocuments,
  sharedDocuments,
  disputeRepository,
  figureRepository,
  financeFiles,
  invoiceLife,
  invoiceRepository,
  paymentRepository,
  paymentRuns,
  periodRepository,
  readFigures,
  readPacing,
  sellerCalendars,
  spendBy,
  insertionOrders,
  operationStore,
  toleranceRepository,
  type Store,
} from '@switchyard/store';
import type { Clock } from '@switchyard/values';
import { capabilityOf, type DepsOf } from '../platform/routes/controller-of.js';
import { readingGate } from '../platform/routes/read-file.js';
import { billingRoutes } from './billing.routes.js';
import { billingSettingsRoutes } from './billing-settings.routes.js';
import { bookRoutes } from './books.routes.js';
import { disputeRoutes } from './disputes.routes.js';
import { breakEvidenceRoutes } from './break-evidence.routes.js';
import { figureRoutes } from './figures.routes.js';
import { fileRoutes } from './files.routes.js';
import { invoiceLifeRoutes } from './invoice-life.routes.js';
import type { ImportDeps } from './import-invoices.js';
import { invoiceRoutes } from './invoices.routes.js';
import { pacingRoutes } from './pacing.routes.js';
import { payableRoutes } from './payables.routes.js';
import { paymentRoutes } from './payments.routes.js';
import { periodRoutes } from './periods.routes.js';
import { reconciliationRoutes } from './reconciliation.routes.js';
import type { RunDeps } from './run-reconciliation.js';
import { sellerCalendarRoutes } from './seller-calendars.routes.js';
import { statementRoutes } from './statements.routes.js';
import { SharedDocumentsController } from './documents/shared-documents.controller.js';
import { VerifiedDocumentsController } from './documents/verified-documents.controller.js';
import { shareRoutes } from './documents/shares.routes.js';
import { insertionOrderRoutes } from './insertion-orders.routes.js';
import { agreementRoutes } from './agreements.routes.js';
import { toleranceRoutes } from './tolerances.routes.js';

export const finance = capabilityOf('finance', {
  // Before the documents of clients: one of them is `/v1/billing/{id}`.
  billingSettings: billingSettingsRoutes,
  billing: billingRoutes,
  books: bookRoutes,
  disputes: disputeRoutes,
  breakEvidence: breakEvidenceRoutes,
  figures: figureRoutes,
  files: fileRoutes,
  invoices: invoiceRoutes,
  invoiceLife: invoiceLifeRoutes,
  pacing: pacingRoutes,
  payables: payableRoutes,
  payments: paymentRoutes,
  periods: periodRoutes,
  reconciliation: reconciliationRoutes,
  sellerCalendars: sellerCalendarRoutes,
  shares: shareRoutes,
  statements: statementRoutes,
  tolerances: toleranceRoutes,
  agreements: agreementRoutes,
  insertionOrders: insertionOrderRoutes,
});

/** What finance takes from the rest of the process. */
type FinancePorts = Pick<
  DepsOf<typeof finance>,
  | 'bookLayouts'
  | 'clients'
  | 'connections'
  | 'controls'
  | 'baseUrl'
  | 'documentKeys'
  | 'domainOf'
  | 'fileLimits'
  | 'grants'
  | 'jobStarter'
  | 'ledger'
  | 'lists'
  | 'ports'
  | 'principals'
  | 'quotas'
>;

/** Each process has four or more database connections; two reads use at most all four. */
const filesAtOnce = 2;

/** What the jobs of finance need. */
export function financeJobDeps(
  store: Store,
  clock: Clock,
  ports: Pick<FinancePorts, 'clients' | 'connections' | 'fileLimits' | 'ledger' | 'quotas'>,
) {
  return {
    ...ports,
    clock,
    files: financeFiles(store),
    fileReads: readingGate(filesAtOnce, 10_000),
    thirdParties: figureRepository(store),
    breaks: breakRepository(store),
    invoices: invoiceRepository(store),
    tolerances: toleranceRepository(store),
    figures: (scope, wanted) => readFigures(store, scope, wanted),
  } satisfies RunDeps & ImportDeps;
}

/** What the rows of finance need. */
export function financeDeps(store: Store, clock: Clock, ports: FinancePorts): DepsOf<typeof finance> {
  return {
    ...ports,
    ...financeJobDeps(store, clock, ports),
    disputes: disputeRepository(store),
    invoiceLife: invoiceLife(store),
    periods: periodRepository(store),
    calendars: sellerCalendars(store),
    payments: paymentRepository(store),
    runs: paymentRuns(store),
    accounts: bankAccounts(store),
    billing: billingSettings(store),
    clientInvoices: clientInvoices(store),
    clientReports: clientReports(store),
    clientNames: (scope, of) => clientNames(store, scope, of),
    shares: sharedDocuments(store),
    madeDocuments: madeDocuments(store),
    newId: randomUUID,
    books: bookRepository(store),
    orders: insertionOrders(store),
    operations: operationStore(store),
    pacing: (scope, wanted) => readPacing(store, scope, wanted),
    spendBy: (scope, question) => spendBy(store, scope, question),
  };
}

/** The parts of finance beyond the ledger's own entries. */
@Module({
  controllers: [...finance.controllers, SharedDocumentsController, VerifiedDocumentsController],
})
export class FinanceModule {}
