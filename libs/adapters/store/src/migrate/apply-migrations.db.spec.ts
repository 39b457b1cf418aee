import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { applyMigrations, migrationLock } from './apply-migrations.js';
import { judgeMigrations } from './judge-migrations.js';
import { migrateDatabase } from './migrate-database.js';
import { openDatabase } from './open-database.js';
import { readDirectives, readMigrations, type Migration } from './read-migrations.js';
import { withClient } from './database-client.js';

let database: TestDatabase;
const known = readMigrations();
const newest = known.at(-1)!.name;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.stop());

async function asOwner<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  return must(await withClient(database.ownerUrl, use));
}

const migration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: 'c',
  ...readDirectives(sql),
});

const apply = (...more: Migration[]) =>
  asOwner((client) => applyMigrations(client, [...known, ...more], { lockTimeoutMs: 200, tries: 2 }));

const forget = (name: string) =>
  asOwner((client) => client.query('delete from _prisma_migrations where migration_name = $1', [name]));

describe('a migration of a newer version', () => {
  it('lets an older version run if it declares that this one runs with it, and is named', async () => {
    expect(
      await apply(migration('3_expand', `-- runs with: ${newest}\ncreate table expanded (id int)`)),
    ).toEqual({
      ok: true,
      value: ['3_expand'],
    });
    for (const env of [
      { DATABASE_URL: database.appUrl },
      { DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl },
    ])
      expect(await openDatabase(env, '/nowhere')).toMatchObject({
        ok: true,
        value: { applied: [], newer: ['3_expand'] },
      });
    await forget('3_expand');
  });

  it('may have an earlier name than the newest one of an older version', async () => {
    const [before = ''] = known.slice(-2).map(({ name }) => name);
    const merged = `${before}_merged_late`;
    expect(merged < newest).toBe(true);
    await apply(migration(merged, `-- runs with: ${before}\nselect 1`));
    expect(await openDatabase({ DATABASE_URL: database.appUrl }, '/nowhere')).toMatchObject({
      ok: true,
      value: { newer: [merged] },
    });
    await forget(merged);
  });

  it('stops a version that is older than the one it declares, or any if it declares none', async () => {
    for (const sql of ['-- runs with: 3_between\nselect 1', 'select 1']) {
      await apply(migration('3_between', `-- runs with: ${newest}\nselect 1`), migration('4_contract', sql));
      expect(await openDatabase({ DATABASE_URL: database.appUrl }, '/nowhere')).toMatchObject({
        ok: false,
        error: {
          code: 'unknown_migration',
          message: expect.stringContaining('4_contract') as unknown as string,
        },
      });
      await forget('3_between');
      await forget('4_contract');
    }
  });

  it('stops a version if the database lacks its migrations', async () => {
    await apply(migration('3_expand', `-- runs with: ${newest}\nselect 1`));
    const judged = await asOwner((client) =>
      judgeMigrations(client, [...known, migration('2_forgotten', 'select 1')]),
    );
    expect(judged).toMatchObject({ ok: false, error: { code: 'unknown_migration' } });
    await forget('3_expand');
  });

  it('declares an existing migration, in every file of this version', () => {
    const names = known.flatMap(({ name, replaces = name }) => [name, replaces]);
    for (const { name, runsWith } of known)
      if (runsWith !== undefined)
        expect([name, names.includes(runsWith) && runsWith < name]).toEqual([name, true]);
  });
});

describe('a function that a migration makes anew', () => {
  it('can be called by the application of the version before as soon as the migration is applied', async () => {
    const role = new URL(database.appUrl).username;
    const mayCall = async (): Promise<unknown> => {
      const { rows } = await asOwner((client) =>
        client.query(
          `select has_function_privilege($1, 'work_due(text[],timestamptz[])', 'execute') as may`,
          [role],
        ),
      );
      return rows[0];
    };
    expect(await mayCall()).toEqual({ may: true });
    const anew = `do $$ declare made text := pg_get_functiondef('work_due(text[],timestamptz[])'::regprocedure); begin
        drop function work_due(text[], timestamptz[]); execute made; end $$;
      revoke execute on function work_due(text[], timestamptz[]) from public;`;
    const marked = `${anew} comment on function work_due(text[], timestamptz[]) is 'for the application';`;
    expect(await apply(migration('3_anew', marked))).toMatchObject({ ok: true });
    expect(await mayCall()).toEqual({ may: true });
    await forget('3_anew');
    // One that is no longer for the application is not given to it.
    expect(await apply(migration('3_anew', anew))).toMatchObject({ ok: true });
    expect(await mayCall()).toEqual({ may: false });
    await forget('3_anew');
    await apply(migration('3_anew', marked));
    await forget('3_anew');
  });
});

describe('locks', () => {
  it('time out: a migration that does not get them changes nothing, and others continue', async () => {
    await asOwner(async (holder) => {
      await holder.query('begin; lock table organization in access share mode');
      const refused = await apply(migration('3_alter', 'alter table organization add column late int'));
      expect(refused).toMatchObject({
        ok: false,
        error: {
          code: 'failed_migration',
          message: expect.stringContaining('did not get its locks') as unknown as string,
        },
      });
      await holder.query('commit');
    });
    expect(await apply(migration('3_alter', 'alter table organization add column late int'))).toMatchObject({
      ok: true,
    });
    await forget('3_alter');
  });

  it('let one process migrate while the others wait, also for indexes that are built concurrently', async () => {
    await asOwner(async (holder) => {
      await holder.query('select pg_advisory_lock($1)', [migrationLock]);
      const waiting = migrateDatabase(database.ownerUrl, '/nowhere');
      // Waiting processes hold no snapshot, which the index build would wait for.
      const built = await applyMigrations(holder, [
        ...known,
        migration(
          '3_index',
          '-- outside a transaction\ncreate index concurrently if not exists org_name on organization (name);',
        ),
      ]);
      expect(built).toEqual({ ok: true, value: ['3_index'] });
      await forget('3_index');
      await holder.query('select pg_advisory_unlock($1)', [migrationLock]);
      expect(await waiting).toMatchObject({ ok: true, value: { applied: [] } });
    });
  });
});

describe('an index that is built concurrently', () => {
  const sql = `-- outside a transaction
    create unique index concurrently if not exists org_late on organization ((1));`;

  it('is built again from its beginning after an interruption', async () => {
    await asOwner(async (client) => {
      for (const n of [1, 2])
        await client.query(
          `insert into organization (id, slug, name, domain, is_public, created_at)
           values (gen_random_uuid(), $1, $1, $1, false, now())`,
          [`late${String(n)}`],
        );
    });
    // Two rows are not unique: PostgreSQL leaves an index behind that is not valid.
    expect(await apply(migration('3_unique', sql))).toMatchObject({ ok: false });
    const invalid = `select indisvalid from pg_index where indexrelid = to_regclass('org_late')`;
    expect((await asOwner((client) => client.query(invalid))).rows).toEqual([{ indisvalid: false }]);
    await asOwner((client) => client.query(`delete from organization where slug = 'late2'`));
    expect(await apply(migration('3_unique', sql))).toEqual({ ok: true, value: ['3_unique'] });
    expect((await asOwner((client) => client.query(invalid))).rows).toEqual([{ indisvalid: true }]);
    await forget('3_unique');
  });

  it('is the only statement outside a transaction: others are refused before anything runs', async () => {
    const refused = await apply(migration('3_mixed', `${sql} create table mixed (id int)`));
    expect(refused).toMatchObject({ ok: false, error: { code: 'failed_migration' } });
    expect((await asOwner((client) => client.query(`select to_regclass('mixed') as t`))).rows).toEqual([
      { t: null },
    ]);
  });
});
