interface Allowed {
  readonly file: string;
  /** A part of the statement, in lower case and with single spaces. */
  readonly part: string;
  readonly why: string;
}

/** Statements that may read more with each buy. */
export const growthAllowed: readonly Allowed[] = [
  {
    file: 'approvals/approval-store.ts',
    part: 'from approval a',
    why: 'with a seller, a state and a principal: the questions of one seller, which people answer one by one',
  },
  {
    file: 'buys/task-log.ts',
    part: 'group by status, task',
    why: 'the answer counts every task of the principal that its filters match',
  },
  {
    file: 'creatives/creative-store.ts',
    part: 'where p.synced_at is not null',
    why: 'a sync that removes what it does not name compares with the whole library',
  },
  {
    file: 'creatives/creative-store.ts',
    part: 'select creative_id from creative where archived_at is null',
    why: 'a sync that removes what it does not name compares with the whole library',
  },
  { file: 'ledger/ledger-source.ts', part: 'from ledger_entry', why: 'a verification counts everything' },
  { file: 'outbox/purge-outbox.ts', part: 'limit 1000', why: 'a sweep, 1,000 rows at a time' },
  { file: 'vault/callback-secrets.ts', part: 'delete from credential', why: 'a sweep, 500 rows at a time' },
  {
    file: 'vault/credential-store.ts',
    part: 'from credential c',
    why: 'lists every secret for who rotates them',
  },
];

/** Files with a text that only a run puts together, and what it is. */
export const withoutOwnText: Readonly<Record<string, string>> = {
  'buys/begin-operation.ts': 'inserts the columns that are given',
  'buys/insert-rows.ts': 'inserts the columns that are given',
  'buys/task-log.ts': 'the page of a list in the order that is asked for',
  'core/in-tenant.ts': 'names the tenant around the statements of others',
  'core/open-store.ts': 'names the tenant',
  'creatives/creative-store.ts': 'the library: its condition is put together from the filters that are given',
  'events/claim-events.ts': 'inserts one row per event',
  'events/inbox-work.ts': 'an event and its registration, by the condition that is given',
  'ledger/insert-columns.ts': 'inserts columns',
  'relay/admit-statement.ts': 'calls one function',
  'sellers/cached-connections.ts': 'connections of one organization, by the condition that is given',
  'vault/credential-store.ts': 'a name of another package stands in it; it reads what a partial index holds',
};
