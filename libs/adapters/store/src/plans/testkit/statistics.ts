import type pg from 'pg';

/** The organization that has half of all rows of each table. */
export const largeOrganization = '11111111-1111-4111-8111-111111111111';

/** Its only principal, who made all of these rows. */
export const largePrincipal = '22222222-2222-4222-8222-222222222222';

interface Column {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Of a partitioned table: statistics of all partitions together. */
  readonly inherited: boolean;
  /** Number of partitions with rows; 1 for a table without partitions. */
  readonly parts: number;
  /** The table, of a partition too. */
  readonly noun: string;
  /** The lowest id of a partition. */
  readonly lowest: string;
  /** A time of a partition. */
  readonly instant: string;
}

/** Tables whose row count in one organization grows with people and sellers, not with buys. */
const settled = new Set(
  [
    'organization principal principal_token principal_identity principal_account person_password person_factor person_passkey proved_address organization_quota usage_count scim_access scim_user scim_group invitation connection connection_health emergency_stop access_grant team_member role onboarding_run nightly_run seller_account account_use capability_version seller_authorization seller_consent finance_file job_file',
    'client brand campaign campaign_note seller_contact buy_plan spending_limit spend_total exchange_rate ledger_balance',
    'account_declaration client_login governance_case governed_thing dispute dispute_answer legal_entity client_billing client_invoice client_invoice_line client_payment client_accrual shared_document made_document bank_account payment_run payment_order payment_order_item agreement insertion_order tolerance payment_term seller_calendar book_code journal_batch reconciliation_run accounting_period close_step',
    'off_protocol_billing ledger_archive signing_key principal_signer delegation trust_document instance_note oauth_artifact oauth_key seen_key sender_key refused_signature journal_head limit_check',
  ]
    .join(' ')
    .split(' '),
);
const ofSettings = /_(endpoint|setting|policy|provider|rule)$/;
const rowsOfSettled = 20_000;
const openRows = 20;

/** Values that half of the rows have: the largest organization, and its largest principal, client, seller and so on. */
export const largeValues: Readonly<Record<string, string>> = {
  organization_id: largeOrganization,
  principal_id: largePrincipal,
  client_id: largePrincipal,
  brand_domain: 'large.example',
  campaign_id: largePrincipal,
  connection_id: largePrincipal,
  seller: 'large',
};

/** The most common values of the columns that queues are read by: all but the last few rows are done. */
const common: Readonly<Record<string, string>> = {
  'inbox_event.state': 'applied',
  'outbox_event.state': 'delivered',
  'approval.state': 'answered',
  'internal_approval.state': 'approved',
  'media_buy.status': 'completed',
  'leg.status': 'completed',
  'operation.status': 'completed',
  'relay_request.state': 'sealed',
  'seller_buy.status': 'completed',
  'webhook_registration.kind': 'status',
  'signal_activation.state': 'live',
  'bank_entry.state': 'booked',
};
/** Null except in rows that are due or open. */
const dueColumns = /^(due_at|next_poll_at|lease_until|next_expected_at|held_micros)$/;
/** Null only in rows that still wait for a worker. */
const takenUpColumns = /^(custody_at|entry_id|acknowledged_at)$/;
/** Number of distinct values of a column that does not grow with the buys. */
const few: readonly (readonly [RegExp, number])[] = [
  [/^organization_id$/, 1_000],
  [/^(connection_id|sender|agent_url|delegation_id)$/, 50_000],
  [/^(principal_id|credential_id)$/, 20_000],
  [/^(seller|slug)$/, 500],
  [
    /^(kind|state|status|task|mode|channel|way|scheme|action|granularity|currency|account|source|dialect|form)$/,
    8,
  ],
  [/^(day|period_start|period_end)$/, 400],
  [/^stream$/, 2_000],
];

/** One page per table, because the planner then trusts the number of rows in the statistics. */
export async function makePages(owner: pg.Client): Promise<void> {
  await owner.query('set session_replication_role = replica');
  for (const [table, columns] of byTable(await columnsOf(owner))) {
    const wanted = columns.filter(({ required, inherited }) => required && !inherited);
    const [first] = wanted;
    if (first === undefined) continue;
    const names = wanted.map(({ name }) => `"${name}"`).join(', ');
    const values = wanted.map(literalOf).join(', ');
    // A refused row has already taken its page.
    await owner.query('begin');
    await owner
      .query(`insert into ${first.schema}.${table} (${names}) values (${values})`)
      .catch(() => undefined);
    await owner.query('rollback');
  }
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and ${ours('relnamespace')}
     and relname <> '_prisma_migrations' and pg_relation_size(oid) = 0`,
  );
  if (rows.length > 0) throw new Error(`No page: ${rows.map(({ name }) => name).join(', ')}`);
}

/** Sets the planner's statistics to an organization of `buys` buys, which has half of all rows. */
export async function pretend(owner: pg.Client, buys: number): Promise<void> {
  for (const [table, columns] of byTable(await columnsOf(owner))) {
    const [{ schema, parts } = { schema: 'public', parts: 1 }] = columns;
    const total = (isSettled(table) ? rowsOfSettled : 2 * buys) / parts;
    await owner.query(
      `select pg_restore_relation_stats('schemaname', $1::text, 'relname', $2::text,
      'relpages', 1, 'reltuples', $3::real)`,
      [schema, table, total],
    );
    for (const column of columns) await pretendColumn(owner, column, total);
  }
  const indexes = await owner.query<{ schema: string; name: string }>(
    `select c.relnamespace::regnamespace::text as schema, c.relname as name
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where ${ours('c.relnamespace')} and c.relkind = 'i' and i.indpred is not null`,
  );
  for (const { schema, name } of indexes.rows)
    await owner.query(
      `select pg_restore_relation_stats('schemaname', $1::text, 'relname', $2::text,
      'relpages', 2, 'reltuples', $3::real)`,
      [schema, name, 2 * openRows],
    );
}

/** Deletes the statistics of the columns, as before the first ANALYZE; the size is read from the files. */
export async function forgetColumns(owner: pg.Client): Promise<void> {
  for (const { schema, table, name, inherited } of await columnsOf(owner))
    await owner.query('select pg_clear_attribute_stats($1, $2, $3, $4)', [schema, table, name, inherited]);
}

async function pretendColumn(owner: pg.Client, column: Column, total: number): Promise<void> {
  const { schema, table, noun, name, type, inherited } = column;
  const open = openRows / total;
  const nulls = dueColumns.test(name) ? 1 - open : takenUpColumns.test(name) ? open : 0;
  const distinct = few.find(([pattern]) => pattern.test(name))?.[1] ?? (type === 'boolean' ? 2 : -0.5);
  const large = isSettled(table) ? undefined : largeValues[name];
  const value = large ?? common[`${noun}.${name}`];
  const share = large === undefined ? 1 - open : 0.5;
  const often =
    value === undefined
      ? ''
      : `, 'most_common_vals', '{${value}}'::text, 'most_common_freqs', '{${share}}'::real[]`;
  const isKey = name === 'id';
  const isTime = type.startsWith('timestamp') && !type.endsWith('[]');
  const spread = isTime ? `, 'histogram_bounds', '{2026-01-01Z,2026-12-31Z}'::text` : '';
  await owner.query(
    `select pg_restore_attribute_stats('schemaname', $1::text, 'relname', $2::text, 'attname', $3::text,
       'inherited', $4::boolean, 'null_frac', $5::real, 'avg_width', 16, 'n_distinct', $6::real ${often}${spread})`,
    [schema, table, name, inherited, nulls, isKey ? -1 : Math.min(distinct, total)],
  );
}

const ours = (namespace: string): string =>
  `${namespace} in ('public'::regnamespace, 'by_month'::regnamespace)`;

async function columnsOf(owner: pg.Client): Promise<readonly Column[]> {
  const { rows } = await owner.query<Column>(
    `select c.relnamespace::regnamespace::text as schema, c.relname as table, a.attname as name,
            format_type(a.atttypid, null) as type, a.attnotnull and not a.atthasdef as required,
            c.relkind = 'p' as inherited,
            case when c.relispartition then (select count(*)::int from pg_inherits i where i.inhparent = p.inhparent) else 1 end as parts,
            coalesce(t.relname, c.relname) as noun,
            case when t.relname = 'inbox_event' and pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' then '9999-01-01' else 'now' end as instant,
            case when pg_get_partition_constraintdef(c.oid) is null or t.relname = 'inbox_event' then '${largeOrganization}'
                 when pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' then 'ffffffff-ffff-4fff-bfff-ffffffffffff'
                 else coalesce(substring(pg_get_expr(c.relpartbound, c.oid) from $$FROM \\('([^']+)'$$),
                               '00000000-0000-0000-0000-000000000000') end as lowest
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_inherits p on p.inhrelid = c.oid left join pg_class t on t.oid = p.inhparent
     where c.relkind in ('r', 'p') and ${ours('c.relnamespace')} and c.relname <> '_prisma_migrations'
     order by 2, a.attnum`,
  );
  return rows;
}

/** Whether a table does not grow with buys. */
function isSettled(table: string): boolean {
  return settled.has(table) || ofSettings.test(table);
}

function byTable(columns: readonly Column[]): ReadonlyMap<string, readonly Column[]> {
  const tables = new Map<string, Column[]>();
  for (const column of columns) tables.set(column.table, [...(tables.get(column.table) ?? []), column]);
  return tables;
}

function literalOf({ type, lowest, instant }: Column): string {
  if (type.endsWith('[]')) return `'{}'`;
  if (type === 'uuid') return `'${lowest}'`;
  if (type.startsWith('json')) return `'{}'`;
  if (type.startsWith('timestamp')) return `'${instant}'`;
  if (type === 'bytea') return `''`;
  return type === 'text' ? `'x'` : type === 'boolean' ? 'false' : '1';
}
