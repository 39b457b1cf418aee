import { IconCalendarCheck, IconFileInvoice, IconReportAnalytics, IconScale } from '@tabler/icons-react';
import { pagesOf, type Page } from '../page.js';

const page = pagesOf('finance');
const needs = 'ledger.read';

export const financePages: readonly Page[] = [
  page(
    { path: '/reconcile', title: 'Reconcile', needs, words: 'breaks differences compare', icon: IconScale },
    () => import('./workbench.js'),
    'ReconcilePage',
  ),
  page(
    { path: '/reconcile/all', title: 'All differences', needs, hidden: true },
    () => import('./reconcile.js'),
    'AllBreaksPage',
  ),
  page(
    { path: '/reconcile/$id', title: 'Difference', needs, hidden: true },
    () => import('./workbench.js'),
    'WorkbenchPage',
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
      needs,
      words: 'periods month reopen checklist accruals not invoiced',
      icon: IconCalendarCheck,
    },
    () => import('./month-close.js'),
    'ClosePage',
  ),
  page(
    { path: '/close/$month', title: 'Month', needs, hidden: true },
    () => import('./month-close.js'),
    'MonthPage',
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
