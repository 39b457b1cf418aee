interface Allowed {
  readonly file: string;
  /** A part of the statement, in lower case and with single spaces. */
  readonly part: string;
  readonly why: string;
}

/** Statements that may read more rows with each buy. */
export const growthAllowed: readonly Allowed[] = [
  {
    file: 'approvals/approval-store.ts',
    part: 'from leg where leg.status in',
    why: 'all that waits for a person at a seller, of which a page is cut',
  },
  {
    file: 'spending/internal-approvals.ts',
    part: 'from internal_approval a',
    why: 'the text without the conditions and the limit that each use of it adds',
  },
  {
    file: 'control/control-rows.ts',
    part: 'from control_request r',
    why: 'the text without the conditions and the limit that each use of it adds',
  },
  {
    file: 'finance/spend-by.ts',
    part: 'select',
    why: 'adds up what all buys spent: the test below limits how it grows',
  },
  { file: 'outbox/purge-outbox.ts', part: 'limit 1000', why: 'a sweep, 1,000 rows at a time' },
  { file: 'vault/callback-secrets.ts', part: 'delete from credential', why: 'a sweep, 500 rows at a time' },
  { file: 'billing/client-reports.ts', part: 'client_invoice', why: 'adds up one month' },
  { file: 'finance/book-repository.ts', part: 'from ledger_posting p', why: 'books one month' },
  {
    file: 'finance/period-repository.ts',
    part: 'from split_figure',
    why: 'the figures of one month, of 500 buys',
  },
  {
    file: 'finance/figure-repository.ts',
    part: 'as whole from seller_buy',
    why: 'all that one seller can have delivered, once for an imported file',
  },
  {
    file: 'finance/invoice-repository.ts',
    part: 'original_hash = ',
    why: 'the invoices of one seller, once for an imported file',
  },
  {
    file: 'finance/payment-runs.ts',
    part: 'from bank_entry',
    why: 'transactions that wait for a person, of which a page is cut',
  },
  {
    file: 'finance/read-figures.ts',
    part: 'count(distinct media_buy_id)',
    why: 'how much a reconciliation has to do, which reads each of these buys',
  },
  { file: 'sellers/seller-life.ts', part: 'from leg l', why: 'a person removes a seller' },
  {
    file: 'sellers/seller-authorizations.ts',
    part: 'update credential',
    why: 'the secrets of one seller, which do not grow with buys',
  },
  {
    file: 'spending/settle-spend.ts',
    part: 'update spend_commitment s set client_id',
    why: 'changes all buys of a brand when a person gives it to a client',
  },
  { file: 'ledger/', part: 'is_archived', why: 'a verification reads the whole ledger' },
  { file: 'ledger/package-spend.ts', part: 'stored as', why: 'a verification reads the whole ledger' },
  { file: 'ledger/ledger-source.ts', part: 'count', why: 'a verification reads the whole ledger' },
  {
    file: 'notices/notice-repository.ts',
    part: "'credential.expiring'",
    why: 'what ends within 30 days, once in a while',
  },
  { file: 'spending/limit-sums.ts', part: 'with limited', why: 'counts each limit again from all buys' },
  {
    file: 'tenancy/person-erasures.ts',
    part: '',
    why: 'a job that looks for the name of a person in all texts',
  },
  {
    file: 'vault/credential-store.ts',
    part: 'from credential c',
    why: 'lists every secret for who rotates them',
  },
  {
    file: 'vault/sealed-under.ts',
    part: 'from credential where',
    why: 'counts every secret by its master key for who moves them to another one',
  },
];

/** Files with a statement whose text is known only at run time, and what it is. */
export const withoutOwnText: Readonly<Record<string, string>> = {
  'audit/audit-log.ts': 'the conditions of the filters that are given',
  'buys/insert-rows.ts': 'inserts the columns that are given, and updates one row by its id',
  'buys/read-media-buys.ts': 'buys, by the reach and the filters that are given',
  'buys/read-state.ts': 'one operation, by the condition that is given',
  'buys/task-log.ts': 'the page of a list in the order that is asked for',
  'changes/change-log.ts': 'a page as far as the reach of its reader goes',
  'control/grant-acts.ts': 'principals with their roles, by the condition that is given',
  'control/somebody-else.ts':
    'who else holds a permission: the recursion of one-person.ts is a text of its own',
  'core/tenant-transaction.ts': 'names the tenant around the statements of others',
  'core/list-of-operations.ts': 'the operations in reach: a condition that a run puts together',
  'core/lock-row.ts': 'one row by its key, locked, of the table that is given',
  'core/list-statement.ts': 'the page of a list, with the conditions of the filters that are given',
  'creatives/creative-store.ts':
    'the library: its condition is put together from the reach and the filters that are given',
  'events/claim-events.ts': 'inserts one row per event',
  'events/inbox-work.ts': 'an event and its registration, by the condition that is given',
  'finance/break-repository.ts': 'breaks of one organization, by the condition of who may see them',
  'finance/payment-repository.ts': 'open invoices, in parts by the condition of who may see them',
  'finance/read-pacing.ts': 'campaigns or buys in reach: a condition that a run puts together',
  'finance/spend-by.ts': 'adds up spend by the dimensions that are given; each is planned as it composes it',
  'ledger/insert-columns.ts': 'inserts columns',
  'ledger/ledger-store.ts': 'the spend and the buy in reach: a condition that a run puts together',
  'outbox/report-streams.ts': 'wakes the streams of some buys: also as a part of a larger statement',
  'relay/admit-statement.ts': 'calls one function',
  'search/search-objects.ts': 'the ways to find what a text names, each by an index of its own',
  'sellers/cached-connections.ts': 'connections of one organization, by the condition that is given',
  'sellers/seller-authorizations.ts': 'one sign-in, by its key: the columns are listed once',
  'spending/commit-spend.ts': 'what one operation commits, by the condition of what it is',
  'tenancy/grant-directory.ts': 'the grants of one team, with the place of each kind of scope put together',
  'tenancy/one-person.ts':
    'who can act as a principal: a recursion over few rows that several statements share',
  'vault/credential-store.ts': 'a name of another package stands in it; it reads what a partial index holds',
  'spending/end-commitment.ts': 'the part of a buy at one seller, by the reach that is given',
  'spending/settle-spend.ts':
    'whether one operation or its buy commits anything: part of the statement that changes them',
};

/** Files with a call of Prisma whose condition is known only at run time, and what it is. */
export const withoutOwnCondition: Readonly<Record<string, string>> = {
  'campaigns/client-repository.ts': 'the clients in reach: a condition that a run puts together',
  'sellers/connection-directory.ts': 'one connection, by its key and the state that is given',
};
