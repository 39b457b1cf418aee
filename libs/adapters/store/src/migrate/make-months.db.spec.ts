import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createOrganization, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { openStore } from '../core/open-store.js';
import { inboxWork } from '../events/inbox-work.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { applyMigrations } from './apply-migrations.js';
import { makeMonths } from './make-months.js';
import { migrateDatabase } from './migrate-database.js';
import { readMigrations } from './read-migrations.js';
import { withClient } from './database-client.js';

const tables = ['ledger_entry', 'ledger_posting', 'report_version'];
const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Client({ connectionString: database.ownerUrl });
await owner.connect();
afterAll(() => owner.end());
afterAll(stop);

/** The first instant of a month, so many months from now. */
function monthFromNow(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
}

const nameOf = (table: string, months: number): string =>
  `${table}_${monthFromNow(months).toISOString().slice(0, 7).replace('-', '_')}`;

async function partitions(client: pg.Client = owner): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relispartition and relkind = 'r' order by relname`,
  );
  return rows.map(({ name }) => name);
}

/** One entry with a posting, with ids of that time or other ones. */
async function insertEntry(
  client: Pick<pg.Client, 'query'>,
  organizationId: string,
  id: string,
): Promise<void> {
  await client.query(
    `insert into ledger_entry (id, organization_id, stream, block_number, position, kind, operation_id, seller,
       occurred_at, body, hash) values ($1::uuid, $2, $1::uuid::text, 1, 0, 'observation', $1::uuid, 'acme', now(), '', '')`,
    [id, organizationId],
  );
  await client.query(
    `insert into ledger_posting (entry_id, line, organization_id, account, seller, day, currency, amount_micros)
     values ($1, 0, $2, 'media_spend', 'acme', '2026-01-01', 'EUR', 1)`,
    [id, organizationId],
  );
}

async function insertMessage(
  client: Pick<pg.Client, 'query'>,
  organizationId: string,
  id: string,
  at: Date,
): Promise<string> {
  const { rows } = await client.query<{ place: string }>(
    `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body, body_hash,
       verdict, state, received_at) values ($1, $2, 'r', $1, 's', 'report', '[]', '', '', '{}', 'received', $3)
     returning tableoid::regclass::text as place`,
    [id, organizationId, at],
  );
  return rows[0]?.place ?? '';
}

async function placesOf(id: string, client: pg.Client = owner): Promise<readonly string[]> {
  const { rows } = await client.query<{ place: string }>(
    `select tableoid::regclass::text as place from ledger_entry where id = $1
     union all select tableoid::regclass::text from ledger_posting where entry_id = $1`,
    [id],
  );
  return rows.map(({ place }) => place);
}

describe('partitions by month', () => {
  it('have no grants, forced row security and no policy, in every schema', async () => {
    await makeMonths(owner);
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relispartition and c.relkind in ('r', 'p')
         and (not c.relrowsecurity or not c.relforcerowsecurity
           or exists (select from pg_policy p where p.polrelid = c.oid)
           or exists (select from aclexplode(c.relacl) g where g.grantee <> c.relowner)
           or exists (select from pg_attribute a, aclexplode(a.attacl) g where a.attrelid = c.oid and g.grantee <> c.relowner))`,
    );
    expect(rows).toEqual([]);
    expect((await partitions()).length).toBeGreaterThanOrEqual(11);
  });

  it("do not show another tenant's rows, even if they were granted by mistake", async () => {
    const [a, b] = [await createOrganization(store), await createOrganization(store)];
    const id = timeOrderedId(Date.now());
    await insertEntry(owner, b.id, id);
    const [place = ''] = await placesOf(id);
    const asA = (text: string) =>
      store.inTenant({ organizationId: a.id }, async (client) => (await client.query(text)).rowCount);
    await expect(asA(`select from ${place}`)).rejects.toThrow(/permission denied/);
    await expect(asA(`delete from ${place}`)).rejects.toThrow(/permission denied/);
    const role = new URL(database.appUrl).username;
    await owner.query(`grant select, delete on ${place} to ${role}`);
    expect([await asA(`select from ${place}`), await asA(`delete from ${place}`)]).toEqual([0, 0]);
    await owner.query(`revoke all on ${place} from ${role}`);
    expect(await placesOf(id)).toHaveLength(2);
  });

  it('of this month and the next are created once by the application, and only by this function', async () => {
    for (const name of (await partitions()).filter((one) => /_\d{4}_\d\d$/.test(one)))
      await owner.query(`drop table by_month.${name}`);
    expect((await makeMonths(store.pool)).toSorted()).toEqual(tables.map((table) => nameOf(table, 1)));
    expect(await makeMonths(store.pool)).toEqual([]);
    const { rows } = await store.pool.query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'by_month'::regnamespace
         and has_function_privilege(oid, 'execute')`,
    );
    expect(rows).toEqual([{ name: 'make_next' }]);
    await expect(store.pool.query('create table by_month.mine (id int)')).rejects.toThrow(
      /permission denied/,
    );
  });

  it('contain what is posted in their month, and a lookup of one id reads one partition', async () => {
    await makeMonths(owner);
    const { id: organizationId } = await createOrganization(store);
    const id = timeOrderedId(monthFromNow(1).getTime());
    await store.inTenant({ organizationId }, (client) => insertEntry(client as never, organizationId, id));
    expect(await placesOf(id)).toEqual([
      `by_month.${nameOf('ledger_entry', 1)}`,
      `by_month.${nameOf('ledger_posting', 1)}`,
    ]);
    const before = timeOrderedId(monthFromNow(1).getTime() - 1);
    await insertEntry(owner, organizationId, before);
    expect(await placesOf(before)).toEqual(['by_month.ledger_entry_first', 'by_month.ledger_posting_first']);
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(
      `explain select from ledger_entry where id = '${id}'`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(
      [...plan.matchAll(/ledger_entry_\w+/g)].map(String).filter((one) => !one.endsWith('_pkey')),
    ).toEqual([nameOf('ledger_entry', 1)]);
  });

  it('contain messages by time of receipt, and marking one does not read months before the oldest waiting one', async () => {
    await owner.query(`drop table if exists by_month.${nameOf('inbox_event', 2)}`);
    await owner.query(
      `create table by_month.${nameOf('inbox_event', 2)} partition of inbox_event
       for values from ('${monthFromNow(2).toISOString()}') to ('${monthFromNow(3).toISOString()}')`,
    );
    const { id: organizationId } = await createOrganization(store);
    const id = randomUUID();
    await store.inTenant({ organizationId }, async (client) => {
      const place = await insertMessage(client as never, organizationId, id, monthFromNow(2));
      expect(place).toBe(`by_month.${nameOf('inbox_event', 2)}`);
      await client.query('set local plan_cache_mode = force_generic_plan');
      const counted = () =>
        client.query<{ scans: number }>(
          `select coalesce(sum(idx_scan), 0)::int as scans from pg_stat_xact_user_tables where relname = 'inbox_event_first'`,
        );
      const before = (await counted()).rows[0]?.scans ?? 0;
      await inboxWork(store).mark(client, [{ id, state: 'applied' }], Date.now());
      // One: for the search of the oldest waiting message.
      expect(((await counted()).rows[0]?.scans ?? 0) - before).toBeLessThanOrEqual(1);
    });
    await owner.query(`drop table by_month.${nameOf('inbox_event', 2)}`);
  });

  it('are not created if the default partition has rows of that month, and no row is lost', async () => {
    const { id: organizationId } = await createOrganization(store);
    for (const table of tables) await owner.query(`drop table if exists by_month.${nameOf(table, 1)}`);
    const id = timeOrderedId(monthFromNow(1).getTime());
    await insertEntry(owner, organizationId, id);
    expect(await makeMonths(owner)).toEqual([nameOf('report_version', 1)]);
    expect(await placesOf(id)).toEqual(['by_month.ledger_entry_rest', 'by_month.ledger_posting_rest']);
    expect(await makeMonths(owner)).toEqual([]);
  });

  it('wait two seconds for a reader of all of them, and are created by a later call', async () => {
    for (const table of tables) await owner.query(`drop table if exists by_month.${nameOf(table, 1)}`);
    await owner.query('delete from ledger_entry; delete from ledger_posting');
    await owner.query('begin; select from ledger_entry');
    const made = await makeMonths(store.pool);
    await owner.query('commit');
    expect(made).toEqual([]);
    expect(await makeMonths(store.pool)).toHaveLength(3);
  });
});

describe('a ledger from before there were partitions', () => {
  it('keeps its rows, and puts ids of a later time or another kind into the default partition', async () => {
    const url = new URL(database.ownerUrl);
    url.pathname = `/before_${randomUUID().slice(0, 8)}`;
    const name = pg.escapeIdentifier(url.pathname.slice(1));
    await owner.query(`create database ${name}`);
    const run = async <T>(use: (client: pg.Client) => Promise<T>): Promise<T> => {
      return must(await withClient(url.href, use));
    };
    const [organizationId, old, later] = [randomUUID(), timeOrderedId(Date.UTC(2026, 0, 2)), randomUUID()];
    const random = `9${later.slice(1)}`;
    const known = readMigrations();
    const at = known.findIndex((one) => one.name.endsWith('_ledger_by_month'));
    await run(async (client) => {
      await applyMigrations(client, known.slice(0, at));
      for (const id of [old, random]) await insertEntry(client, organizationId, id);
      await insertMessage(client, organizationId, old, new Date());
      const role = new URL(database.appUrl).username;
      await client.query(`grant select on ledger_entry, inbox_event to ${role}`);
      // As the previous version plans it, on the same connection.
      await client.query('prepare kept as select * from ledger_entry where organization_id = $1');
      expect((await client.query(`execute kept('${organizationId}')`)).rowCount).toBe(2);
      const migrated = await migrateDatabase(url.href, '/tmp');
      expect(migrated).toMatchObject({ ok: true });
      expect((await client.query(`execute kept('${organizationId}')`)).rowCount).toBe(2);
      expect(await placesOf(old, client)).toEqual([
        'by_month.ledger_entry_first',
        'by_month.ledger_posting_first',
      ]);
      expect(await placesOf(random, client)).toEqual([
        'by_month.ledger_entry_rest',
        'by_month.ledger_posting_rest',
      ]);
      expect((await partitions(client)).filter((one) => one.endsWith(nameOf('', 1)))).toHaveLength(3);
      const messages = await client.query('select tableoid::regclass::text as place, id from inbox_event');
      expect(messages.rows).toEqual([{ place: 'by_month.inbox_event_first', id: old }]);
      const granted = await client.query(
        `select c.oid::regclass from pg_class c, aclexplode(c.relacl) a
         where c.relnamespace = 'by_month'::regnamespace and a.grantee <> c.relowner`,
      );
      expect(granted.rows).toEqual([]);
    });
    await owner.query(`drop database ${name} with (force)`);
  });
});
