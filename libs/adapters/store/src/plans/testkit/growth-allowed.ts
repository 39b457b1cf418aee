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
    part: 'from ( select s.organization_id',
    why: 'adds up what all buys of the organization spent',
  },
  { file: 'outbox/purge-outbox.ts', part: 'limit 1000', why: 'a sweep, 1,000 rows at a time' },
  { file: 'vault/callback-secrets.ts', part: 'delete from credential', why: 'a sweep, 500 rows at a time' },
  {
    file: 'tenancy/grant-directory.ts',
    part: 'from role order by name',
    why: 'roles that people have edited: they do not grow with buys',
  },
  {
    file: 'tenancy/team-directory.ts',
    part: 'from team_member where principal_id',
    why: 'the teams of one principal: they do not grow with buys',
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
