import { IconCalendarCheck, IconFileInvoice, IconReportAnalytics, IconScale } from '@tabler/icons-react';
import { pagesOf, type Page } from '../page.js';

const page = pagesOf('finance');
const needs = 'ledger.read';

export const financePages: readonly Page[] = [
  page(
    { path: '/reconcile', title: 'Reconcile', needs, words: 'breaks differences compare', icon: IconScale },
    () => import('./reconcile.js'),
    'ReconcilePage',
  ),
  page(
    { path: '/reconcile/$id', title: 'Difference', needs, hidden: true },
    () => import('./break.js'),
    'BreakPage',
  ),
  page(
    { path: '/invoices', title: 'Invoices', tab: 'List', needs, words: 'import bill', icon: IconFileInvoice },
    () => import('./invoices.js'),
    'InvoicesPage',
  ),
  page(
    {
      path: '/invoices/age',
      title: 'By age',
      tab: 'By age',
      of: '/invoices',
      needs,
      words: 'aging due overdue payable unpaid',
    },
    () => import('./aging.js'),
    'AgingPage',
  ),
  page(
    { path: '/invoices/$id', title: 'Invoice', needs, hidden: true },
    () => import('./invoice.js'),
    'InvoicePage',
  ),
  page(
    {
      path: '/close',
      title: 'Month close',
      tab: 'Months',
      needs,
      words: 'periods month reopen checklist',
      icon: IconCalendarCheck,
    },
    () => import('./periods.js'),
    'PeriodsPage',
  ),
  page(
    {
      path: '/close/accruals',
      title: 'Accruals',
      tab: 'Accruals',
      of: '/close',
      needs,
      words: 'not invoiced',
    },
    () => import('./accruals.js'),
    'AccrualsPage',
  ),
  page(
    {
      path: '/reports',
      title: 'Reports',
      tab: 'Spend',
      needs,
      words: 'spend pivot cost ledger',
      icon: IconReportAnalytics,
    },
    () => import('./spend.js'),
    'SpendPage',
  ),
  page(
    {
      path: '/reports/statements',
      title: 'Statements',
      tab: 'Statements',
      of: '/reports',
      needs,
      words: 'signed document',
    },
    () => import('./statements.js'),
    'StatementsPage',
  ),
  page(
    {
      path: '/verify',
      title: 'Verify a document',
      tab: 'Verify a document',
      of: '/reports',
      words: 'check signature chain custody statement',
    },
    () => import('./verify.js'),
    'VerifyPage',
  ),
  page(
    { path: '/reports/entries/$id', title: 'Ledger entries', needs, hidden: true },
    () => import('./entries.js'),
    'EntriesPage',
  ),
];
