import {
  breakRepository,
  figureRepository,
  financeFiles,
  invoiceLife,
  invoiceRepository,
  bookRepository,
  paymentRepository,
  periodRepository,
  readFigures,
  readPacing,
  spendBy,
  spendInReporting,
  toleranceRepository,
  type PacingWanted,
  type SpendQuestion,
  type Store,
} from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { readingGate } from '../platform/routes/read-file.js';
import type { Settings } from './settings/settings.js';

type FinanceSettings = Pick<Settings, 'SWITCHYARD_FINANCE_FILE_MB' | 'SWITCHYARD_FINANCE_FILE_ROWS'>;

/** Each process has four or more database connections; two reads use at most all four. */
const filesAtOnce = 2;

/** The parts of finance beyond the ledger's own entries. */
export function assembleFinance(store: Store, settings: FinanceSettings) {
  return {
    files: financeFiles(store),
    fileLimits: {
      bytes: settings.SWITCHYARD_FINANCE_FILE_MB * 1_000_000,
      rows: settings.SWITCHYARD_FINANCE_FILE_ROWS,
    },
    fileReads: readingGate(filesAtOnce),
    thirdParties: figureRepository(store),
    breaks: breakRepository(store),
    invoices: invoiceRepository(store),
    invoiceLife: invoiceLife(store),
    periods: periodRepository(store),
    payments: paymentRepository(store),
    books: bookRepository(store),
    tolerances: toleranceRepository(store),
    pacing: (scope: TenantScope, wanted: PacingWanted) => readPacing(store, scope, wanted),
    spendInReporting: (scope: TenantScope, question: SpendQuestion) =>
      spendInReporting(store, scope, question),
    figures: (scope: TenantScope, wanted: Parameters<typeof readFigures>[2]) =>
      readFigures(store, scope, wanted),
    spendBy: (scope: TenantScope, question: SpendQuestion) => spendBy(store, scope, question),
  };
}
