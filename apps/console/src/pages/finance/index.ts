import {
  IconCalendarCheck,
  IconFileInvoice,
  IconReceipt,
  IconReportAnalytics,
  IconScale,
} from '@tabler/icons-react';
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
    {
      path: '/invoices/read',
      title: 'Read a file',
      tab: 'Read a file',
      of: '/invoices',
      needs: 'ledger.write',
      words: 'import invoice bill questions german workbook',
    },
    () => import('./read-invoice.js'),
    'ReadInvoicePage',
  ),
  page(
    {
      path: '/disputes',
      title: 'Disputes',
      tab: 'Disputes',
      of: '/invoices',
      needs,
      words: 'case letter answer difference seller',
    },
    () => import('./disputes.js'),
    'DisputesPage',
  ),
  page(
    { path: '/disputes/$id', title: 'Dispute', needs, of: '/disputes', hidden: true },
    () => import('./dispute.js'),
    'DisputePage',
  ),
  page(
    {
      path: '/payments',
      title: 'Payments',
      tab: 'Payments',
      of: '/invoices',
      needs,
      words: 'pay bank transfer pain.001 statement account iban',
    },
    () => import('./payments.js'),
    'PaymentsPage',
  ),
  page(
    { path: '/payments/$id', title: 'Payment', needs, of: '/payments', hidden: true },
    () => import('./payment.js'),
    'PaymentPage',
  ),
  page(
    { path: '/invoices/$id', title: 'Invoice', needs, hidden: true },
    () => import('./invoice.js'),
    'InvoicePage',
  ),
  page(
    {
      path: '/billing',
      title: 'Client billing',
      tab: 'Documents',
      needs,
      words: 'client invoice credit note draft run issue receivable reminder share',
      icon: IconReceipt,
    },
    () => import('./billing/billing.js'),
    'BillingPage',
  ),
  page(
    {
      path: '/billing/rules',
      title: 'Rules and companies',
      tab: 'Rules and companies',
      of: '/billing',
      needs,
      words: 'legal entity markup fee commission tax client cost plus',
    },
    () => import('./billing/rules.js'),
    'BillingRulesPage',
  ),
  page(
    {
      path: '/billing/margin',
      title: 'Margin',
      tab: 'Margin',
      of: '/billing',
      needs,
      words: 'profit markup client campaign owe overdue receivable',
    },
    () => import('./billing/margin.js'),
    'MarginPage',
  ),
  page(
    { path: '/billing/$id', title: 'Document to a client', needs, of: '/billing', hidden: true },
    () => import('./billing/document.js'),
    'ClientDocumentPage',
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
