import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createConnection, createOrganization, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { openStore } from '../core/open-store.js';
import { biReaders } from './bi-readers.js';
import { biViews, readBiView, type BiView } from './bi-views.js';
import { sumSpend } from './spend-sums.js';

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Client({ connectionString: database.ownerUrl });
const role = `bi_reader_${randomUUID().slice(0, 8)}`;
const password = 'only for this test';
let own: string;
let rival: string;
let reader: pg.Client;

const connect = async (): Promise<pg.Client> => {
  const url = new URL(database.ownerUrl);
  url.username = role;
  url.password = password;
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

/** One row in each table that a view shows. */
async function fill(organizationId: string, slug: string): Promise<void> {
  await createConnection(store, organizationId, { slug });
  const insert = async (table: string, given: Readonly<Record<string, unknown>>): Promise<void> => {
    const { rows } = await owner.query<{ name: string; type: string }>(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'public' and table_name = $1 and is_nullable = 'NO' and column_default is null`,
      [table],
    );
    const made: Readonly<Record<string, () => unknown>> = {
      uuid: randomUUID,
      'timestamp with time zone': () => new Date(),
      jsonb: () => '{}',
      bytea: () => Buffer.from('x'),
      boolean: () => false,
      integer: () => 1,
      bigint: () => 7_000_000,
      ARRAY: () => [],
    };
    const values = { ...given, organization_id: organizationId };
    const all = new Map<string, unknown>([
      ...rows.map(({ name, type }) => [name, made[type]?.() ?? randomUUID()] as const),
      ...Object.entries(values),
    ]);
    await owner.query(
      `insert into "${table}" (${[...all.keys()].join()}) values (${[...all.keys()].map((_, place) => `$${place + 1}`).join()})`,
      [...all.values()],
    );
  };
  const [buy, entry] = [`mb_${slug}`, randomUUID()];
  await insert('media_buy', { id: buy, brand: '{"domain":"b.example"}' });
  await insert('reconciliation_break', { period: '2026-10' });
  await insert('invoice', { period: '2026-10' });
  await insert('accounting_period', { period: '2026-10', state: 'open' });
  await insert('internal_approval', { state: 'open' });
  await insert('journal_block', { stream: 'ledger', number: 1, sealed_at: new Date('2026-10-02T23:30:00Z') });
  await insert('ledger_entry', { id: entry, stream: 'ledger', block_number: 1, kind: 'delivery' });
  for (const [line, account] of ['media_spend', 'seller_payable'].entries())
    await insert('ledger_posting', {
      entry_id: entry,
      line,
      account,
      media_buy_id: buy,
      seller: slug,
      day: '2026-10-01',
      currency: 'EUR',
      amount_micros: account === 'media_spend' ? 7_500_000 : -7_500_000,
    });
}

beforeAll(async () => {
  await owner.connect();
  own = (await createOrganization(store)).id;
  rival = (await createOrganization(store)).id;
  await fill(own, 'ours');
  await fill(rival, 'theirs');
  must(await biReaders(owner).add(role, own, password));
  reader = await connect();
});
afterAll(async () => {
  await reader.end();
  await biReaders(owner).remove(role);
  await owner.end();
  await stop();
});

const views = Object.keys(biViews) as BiView[];

describe('a reader of reports', () => {
  it('sees its own rows in every view, and each view of the schema is declared', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'bi'::regnamespace and relkind = 'v' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(views.toSorted());
    for (const view of views)
      expect([view, (await reader.query(`select * from bi.${view}`)).rowCount]).toEqual([view, 1]);
    const { rows: spend } = await reader.query('select * from bi.spend_daily');
    expect(spend).toMatchObject([
      {
        day: '2026-10-01',
        media_buy_id: 'mb_ours',
        seller: 'ours',
        currency: 'EUR',
        spend_micros: '7500000',
      },
    ]);
    expect((await reader.query('select booked_on from bi.spend_booked')).rows).toEqual([
      { booked_on: '2026-10-02' },
    ]);
  });

  it('sees no row of another organization, whatever it sets', async () => {
    const theirs = async (): Promise<number> => {
      let seen = 0;
      for (const view of views) {
        const { rows } = await reader.query(`select to_jsonb(v)::text as text from bi.${view} v`);
        seen += rows.filter(({ text }) => String(text).includes('theirs')).length;
        if (view === 'periods' || view === 'breaks') seen += Math.max(0, rows.length - 1);
      }
      return seen;
    };
    for (const attempt of [
      `set switchyard.organization_id = '${rival}'`,
      `begin; set local switchyard.organization_id = '${rival}'`,
      `select set_config('switchyard.organization_id', '${rival}', false)`,
      'set default_transaction_read_only = off',
      'set enable_seqscan = off',
    ]) {
      await reader.query(attempt);
      expect([attempt, await theirs()]).toEqual([attempt, 0]);
    }
    await reader.query('rollback').catch(() => undefined);
    for (const refused of [
      `set role postgres`,
      `set session authorization '${new URL(database.ownerUrl).username}'`,
      `set role "${new URL(database.appUrl).username}"`,
      'select * from bi.reader',
      `insert into bi.reader values ('x', '${rival}')`,
      `create or replace function bi.reader_organization() returns uuid language sql as $$ select '${rival}'::uuid $$`,
      'create table public.mine (x int)',
      'create temporary table mine as select 1',
    ])
      expect([
        refused,
        await reader.query(refused).then(
          () => 'done',
          () => 'refused',
        ),
      ]).toEqual([refused, refused.includes('temporary') ? expect.any(String) : 'refused']);
  });

  it('may read no table and call no function of the server that reads anything', async () => {
    const { rows } = await reader.query<{ name: string }>(
      `select c.relname as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
         and has_table_privilege(c.oid, 'select, insert, update, delete')
       union all
       select p.proname from pg_proc p
       where p.pronamespace = 'public'::regnamespace and has_function_privilege(p.oid, 'execute')`,
    );
    // It writes an instant as text, and reads nothing.
    expect(rows).toEqual([{ name: 'instant_of' }]);
  });

  it('lets no function of a condition see a row of another organization before the view has left it out', async () => {
    const { rows } = await owner.query<{ name: string; options: string[] | null }>(
      `select relname as name, reloptions as options from pg_class where relnamespace = 'bi'::regnamespace and relkind = 'v'`,
    );
    expect(rows.filter(({ options }) => options?.includes('security_barrier=true') !== true)).toEqual([]);
  });

  it('is listed, and once removed its sessions end and it can log in no more', async () => {
    const another = `${role}_two`;
    must(await biReaders(owner).add(another, own, password));
    expect((await biReaders(owner).list()).map((each) => each.role)).toEqual([role, another]);
    expect(await biReaders(owner).add(another, rival, password)).toMatchObject({ ok: false });
    expect(await biReaders(owner).remove(another)).toBe(true);
    expect(await biReaders(owner).remove(another)).toBe(false);
    const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [another]);
    expect(rowCount).toBe(0);
  });
});

it('gives the server the same rows for an export, of the tenant of its transaction alone', async () => {
  const read = (organizationId: string, view: BiView, day: string) =>
    readBiView(store, { organizationId }, { view, day }, async ({ columns, each }) => {
      const all: Readonly<Record<string, unknown>>[] = [];
      await each((rows) => Promise.resolve(void all.push(...rows)));
      return { columns, all };
    });
  expect(await read(own, 'spend_booked', '2026-10-02')).toMatchObject({
    columns: { booked_on: 'text', spend_micros: 'integer' },
    all: [{ media_buy_id: 'mb_ours', spend_micros: 7_500_000n }],
  });
  expect((await read(own, 'spend_booked', '2026-10-03')).all).toEqual([]);
  expect((await read(rival, 'sellers', '2026-10-03')).all).toMatchObject([{ seller: 'theirs' }]);
  expect((await store.pool.query('select * from bi.sellers')).rowCount).toBe(0);
});

describe('spend by the day of booking', () => {
  it('is the same before and after days that are over were summed, once, and goes on with what is booked since', async () => {
    const read = async () =>
      (await reader.query<{ booked_on: string }>('select * from bi.spend_booked order by booked_on, day'))
        .rows;
    const before = await read();
    // Its own day is not over yet: its block was sealed half an hour before midnight.
    expect(await sumSpend(store, Date.UTC(2026, 9, 2, 23, 59))).toBe(0);
    const noon = Date.UTC(2026, 9, 3, 12);
    expect(await sumSpend(store, noon)).toBeGreaterThan(0);
    expect(await read()).toEqual(before);
    expect(await sumSpend(store, noon)).toBe(0);
    const { rows: sums } = await owner.query(
      'select booked_on, amount_micros from spend_booked_day where organization_id = $1',
      [own],
    );
    expect(sums).toEqual([{ booked_on: '2026-10-02', amount_micros: '7500000' }]);
    await owner.query(
      `insert into journal_block (organization_id, stream, number, previous_hash, hash, entry_count, sealed_at)
       select organization_id, stream, 2, hash, 'h2', 1, '2026-10-03T10:00:00Z' from journal_block
       where organization_id = $1 and number = 1`,
      [own],
    );
    const entry = randomUUID();
    await owner.query(
      `create temporary table copied as select * from ledger_entry where organization_id = '${own}';
       update copied set id = '${entry}', block_number = 2;
       insert into ledger_entry select * from copied`,
    );
    await owner.query(
      `insert into ledger_posting (entry_id, line, organization_id, account, seller, media_buy_id, day, currency, amount_micros)
       select $2, line, organization_id, account, seller, media_buy_id, day, currency, amount_micros from ledger_posting
       where organization_id = $1`,
      [own, entry],
    );
    const live = await read();
    expect(live.map(({ booked_on: on }) => on)).toEqual(['2026-10-02', '2026-10-03']);
    expect(await sumSpend(store, Date.UTC(2026, 9, 4))).toBeGreaterThan(0);
    expect(await read()).toEqual(live);
  });
});

describe('the questions for Metabase and Grafana', () => {
  const bi = new URL('../../../../../docker/bi/', import.meta.url);
  const questions = readFileSync(new URL('questions.sql', bi), 'utf8')
    .replaceAll('{{from}}', "'2026-01-01'")
    .replaceAll('{{to}}', "'2026-12-31'")
    .split(';')
    .slice(0, -1);
  const dashboard = JSON.parse(readFileSync(new URL('grafana.json', bi), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly rawSql: string }[] }[];
  };
  const panels = dashboard.panels
    .flatMap(({ targets }) => targets.map(({ rawSql }) => rawSql))
    .map((sql) => sql.replaceAll(/\$__time(?:From|To)\(\)/g, "'2026-06-01T00:00:00Z'"));

  it('are answered by the views, and the dashboard has each of them', async () => {
    expect([questions.length, panels.length]).toEqual([7, 7]);
    for (const sql of [...questions, ...panels])
      expect((await reader.query(sql)).fields.length).toBeGreaterThan(1);
    const { rows } = await reader.query<{ spend: string }>(questions[0] ?? '');
    expect(rows.length).toBeGreaterThan(0);
  });
});
