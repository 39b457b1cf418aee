import { pagesOf, type Page } from '../page.js';

const page = pagesOf('finance');
const needs = 'ledger.read';

export const financePages: readonly Page[] = [
  page(
    { path: '/spend', title: 'Spend', needs, words: 'report pivot cost ledger' },
    () => import('./spend.js'),
    'SpendPage',
  ),
  page(
    { path: '/spend/$id', title: 'Ledger entries', needs, hidden: true },
    () => import('./entries.js'),
    'EntriesPage',
  ),
  page(
    { path: '/reconcile', title: 'Reconcile', needs, words: 'breaks differences compare' },
    () => import('./reconcile.js'),
    'ReconcilePage',
  ),
  page(
    { path: '/reconcile/$id', title: 'Difference', needs, hidden: true },
    () => import('./break.js'),
    'BreakPage',
  ),
  page(
    { path: '/invoices', title: 'Invoices', needs, words: 'import bill' },
    () => import('./invoices.js'),
    'InvoicesPage',
  ),
  page(
    { path: '/invoices/$id', title: 'Invoice', needs, hidden: true },
    () => import('./invoice.js'),
    'InvoicePage',
  ),
  page(
    { path: '/periods', title: 'Periods', needs, words: 'close month reopen checklist' },
    () => import('./periods.js'),
    'PeriodsPage',
  ),
  page(
    { path: '/statements', title: 'Statements', needs, words: 'signed document' },
    () => import('./statements.js'),
    'StatementsPage',
  ),
  page(
    { path: '/statements/verify', title: 'Verify a statement', words: 'check signature chain custody' },
    () => import('./verify.js'),
    'VerifyPage',
  ),
  page(
    { path: '/aging', title: 'Aging', needs, words: 'invoices due overdue payable unpaid' },
    () => import('./aging.js'),
    'AgingPage',
  ),
  page(
    { path: '/accruals', title: 'Accruals', needs, words: 'not invoiced' },
    () => import('./accruals.js'),
    'AccrualsPage',
  ),
];
