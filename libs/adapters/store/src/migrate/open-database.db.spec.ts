import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { must } from '@switchyard/values';
import { startEmbedded, type EmbeddedServer } from '../embedded/start-embedded.js';
import { applicationPassword } from './application-role.js';
import { applyMigrations } from './apply-migrations.js';
import { openDatabase } from './open-database.js';
import { readMigrations } from './read-migrations.js';
import { withClient } from './database-client.js';

let folder: string;
let server: EmbeddedServer;
let databases = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-open-'));
  const started = must(await startEmbedded({ dataDir: join(folder, 'server'), fsync: false }));
  server = started;
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A new, empty database on the shared server, or a copy of one there; the URL of `user` there. */
async function freshDatabase(template = 'template1'): Promise<string> {
  const name = `fresh${databases++}`;
  await asOwner(server.url, `create database ${name} template ${template}`);
  return urlOf(server.url, name, 'switchyard');
}

let migrated: Promise<string> | undefined;

/** A database with all tables, as it is before its first application role: for what begins after the migrations. */
async function migratedDatabase(): Promise<string> {
  migrated ??= freshDatabase().then(async (url) => {
    must(must(await withClient(url, (client) => applyMigrations(client, readMigrations()))));
    return new URL(url).pathname.slice(1);
  });
  return freshDatabase(await migrated);
}

function urlOf(base: string, database: string, user: string, password?: string): string {
  const url = new URL(base);
  url.pathname = `/${database}`;
  if (password !== undefined) {
    url.username = user;
    url.password = password;
  }
  return url.href;
}

async function asOwner(url: string, text: string): Promise<pg.QueryResultRow[]> {
  return must(await withClient(url, async (client) => (await client.query<pg.QueryResultRow>(text)).rows));
}

async function opened(env: Parameters<typeof openDatabase>[0], dataDir = folder) {
  return must(await openDatabase(env, dataDir));
}

describe('opening the database', () => {
  it('sets limits of its role on every connection, and a statement above one fails with a code', async () => {
    const database = await opened({ DATABASE_URL: await migratedDatabase() });
    const limits = ['jit', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const found = await Promise.all(limits.map((name) => asOwner(database.appUrl, `show ${name}`)));
    expect(Object.assign({}, ...found.map(([row]) => row))).toEqual({
      jit: 'off',
      statement_timeout: '1min',
      lock_timeout: '20s',
      idle_in_transaction_session_timeout: '1min',
    });
    const beyond = `set statement_timeout = '1ms'; select count(*) from generate_series(1, 100000000)`;
    await expect(asOwner(database.appUrl, beyond)).rejects.toMatchObject({ code: '57014' });
    expect(await asOwner(database.appUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('migrates with a role that may create roles, and returns the plain role it created', async () => {
    const url = await freshDatabase();
    const database = await opened({ DATABASE_URL: url });
    const name = new URL(url).pathname.slice(1);
    expect(new URL(database.appUrl).username).toBe(`${name}_app`);
    expect(database.ownerUrl).toBe(url);
    expect(await asOwner(database.appUrl, 'select current_user::text as me')).toEqual([
      { me: `${name}_app` },
    ]);
    expect(await asOwner(database.appUrl, `select has_schema_privilege('bullmq', 'usage') as may`)).toEqual([
      { may: true },
    ]);
  });

  it('gives replicas that share the URL the same password, even if they start at the same moment', async () => {
    const url = await freshDatabase();
    const folders = [1, 2, 3].map((each) => join(folder, `replica${each}`));
    const replicas = await Promise.all(folders.map((dataDir) => opened({ DATABASE_URL: url }, dataDir)));
    expect(new Set(replicas.map((replica) => replica.appUrl)).size).toBe(1);
    await asOwner(replicas[0]!.appUrl, 'select 1');
    const applied = await asOwner(url, 'select migration_name from _prisma_migrations order by 1');
    expect(applied.map((row) => row['migration_name'] as string)).toEqual(
      readMigrations().map(({ name }) => name),
    );
  });

  it('migrates with DATABASE_OWNER_URL if DATABASE_URL is a plain role, and runs as that role', async () => {
    const owner = await freshDatabase();
    await asOwner(owner, `create role plain login password 'plainly'`);
    const plain = urlOf(owner, new URL(owner).pathname.slice(1), 'plain', 'plainly');
    const refused = await openDatabase({ DATABASE_URL: plain }, folder);
    expect(refused).toMatchObject({ ok: false, error: { code: 'no_owner' } });
    const database = await opened({ DATABASE_URL: plain, DATABASE_OWNER_URL: owner });
    expect(database.appUrl).toBe(plain);
    expect(await asOwner(plain, 'select count(*)::int as n from organization')).toEqual([{ n: 0 }]);
    expect(await asOwner(plain, 'select count(*)::int as n from organization_ids()')).toEqual([{ n: 0 }]);
    const later = await opened({ DATABASE_URL: plain });
    expect(later.ownerUrl).toBeUndefined();
  });

  it('reports how a plain role gets its rights in a database that was migrated for another', async () => {
    const url = await migratedDatabase();
    await opened({ DATABASE_URL: url });
    await asOwner(url, `create role ungranted login password 'u'`);
    const plain = urlOf(server.url, new URL(url).pathname.slice(1), 'ungranted', 'u');
    const refused = await openDatabase({ DATABASE_URL: plain }, folder);
    expect(refused).toMatchObject({ error: { code: 'role_refused' } });
    expect(refused.ok ? '' : refused.error.message).toContain('Run switchyard migrate');
    await opened({ DATABASE_URL: plain, DATABASE_OWNER_URL: url });
    await opened({ DATABASE_URL: plain });
  });

  it('refuses a role that bypasses row-level security', async () => {
    const owner = await migratedDatabase();
    await asOwner(owner, `create role passer login bypassrls password 'passing'`);
    const passer = urlOf(owner, new URL(owner).pathname.slice(1), 'passer', 'passing');
    const refused = await openDatabase({ DATABASE_URL: passer, DATABASE_OWNER_URL: owner }, folder);
    expect(refused).toMatchObject({ ok: false, error: { code: 'role_refused' } });
    await opened({ DATABASE_URL: owner });
    const alone = await openDatabase({ DATABASE_URL: passer }, folder);
    expect(alone).toMatchObject({ ok: false, error: { code: 'role_refused' } });
  });

  it('refuses a role that could become the owner or bypass row-level security, through any number of roles', async () => {
    const owner = await migratedDatabase();
    const name = new URL(owner).pathname.slice(1);
    await opened({ DATABASE_URL: owner });
    await asOwner(
      owner,
      `create role keeper1 nologin; create role between1 noinherit; create role passes1 nologin bypassrls;
       create role joined1 login noinherit password 'joined'; create role passing1 login noinherit password 'joined';
       grant keeper1 to between1; grant between1 to joined1; grant passes1 to passing1;
       alter table custody_entry owner to keeper1`,
    );
    for (const [role, through] of [
      ['joined1', 'keeper1'],
      ['passing1', 'passes1'],
    ] as const) {
      const url = urlOf(owner, name, role, 'joined');
      for (const env of [{ DATABASE_URL: url }, { DATABASE_URL: url, DATABASE_OWNER_URL: owner }]) {
        const refused = await openDatabase(env, folder);
        expect(refused).toMatchObject({ ok: false, error: { code: 'role_refused' } });
        expect(JSON.stringify(refused)).toContain(`revoke ${through} from ${role}`);
      }
    }
  });

  it('applies row-level security to an owner that is not a superuser, and lookups before a tenant is known still work', async () => {
    const server0 = await freshDatabase();
    const name = new URL(server0).pathname.slice(1);
    await asOwner(
      server0,
      `create role keeper2 login createrole password 'keeping'; alter database ${name} owner to keeper2`,
    );
    const owner = urlOf(server0, name, 'keeper2', 'keeping');
    const database = await opened({ DATABASE_URL: owner });
    expect(new URL(database.appUrl).username).toBe(`${name}_app`);
    await asOwner(
      server0,
      `insert into organization (id, slug, name, domain, is_public, created_at)
       values (gen_random_uuid(), 'one', 'One', 'one.example', false, now())`,
    );
    expect(await asOwner(owner, 'select slug from organization')).toEqual([]);
    expect(await asOwner(database.appUrl, 'select slug from organization')).toEqual([]);
    expect(await asOwner(database.appUrl, `select slug from organization_by_slug('one')`)).toEqual([
      { slug: 'one' },
    ]);
    expect(
      await asOwner(owner, `select pg_has_role('keeper2', '${name}_lookup', 'usage') as inherits`),
    ).toEqual([{ inherits: false }]);
    // A migration by that owner, which would silently skip every row, fails.
    const blind = await withClient(owner, (client) =>
      applyMigrations(client, [
        ...readMigrations(),
        { name: '9_blind', sql: `update organization set name = 'Two'`, checksum: 'c' },
      ]),
    );
    expect(blind).toMatchObject({ ok: true, value: { ok: false, error: { code: 'failed_migration' } } });
    await opened({ DATABASE_URL: owner });
  });

  it('reports what a superuser has to run if the owner may not create roles, and starts after that', async () => {
    const server0 = await freshDatabase();
    const name = new URL(server0).pathname.slice(1);
    await asOwner(
      server0,
      `create role keeper3 login password 'keeping'; create role plain3 login password 'keeping';
       alter database ${name} owner to keeper3`,
    );
    const env = {
      DATABASE_URL: urlOf(server0, name, 'plain3', 'keeping'),
      DATABASE_OWNER_URL: urlOf(server0, name, 'keeper3', 'keeping'),
    };
    const refused = await openDatabase(env, folder);
    if (refused.ok) throw new Error('It opened.');
    const [, remedy] = /as a superuser: (.*); and start again/.exec(refused.error.message) ?? [];
    expect(remedy).toBe(`create role ${name}_lookup nologin noinherit; grant ${name}_lookup to keeper3`);
    await asOwner(server0, remedy ?? '');
    const database = await opened(env);
    expect(await asOwner(database.appUrl, 'select count(*)::int as n from organization_ids()')).toEqual([
      { n: 0 },
    ]);
  });

  it('lets a plain role that its owner may not change set its limits, and keeps existing ones', async () => {
    const server = await freshDatabase();
    const name = new URL(server).pathname.slice(1);
    await asOwner(
      server,
      `create role keeper5 login password 'keeping'; create role plain5 login password 'keeping';
       alter database ${name} owner to keeper5;
       create role ${name}_lookup nologin noinherit; grant ${name}_lookup to keeper5;
       alter role plain5 in database ${name} set lock_timeout = '7s'`,
    );
    const url = urlOf(server, name, 'plain5', 'keeping');
    const limits = async () => [
      ...(await asOwner(url, 'show statement_timeout')),
      ...(await asOwner(url, 'show lock_timeout')),
    ];
    const given = [{ statement_timeout: '1min' }, { lock_timeout: '7s' }];
    await opened({ DATABASE_URL: url, DATABASE_OWNER_URL: urlOf(server, name, 'keeper5', 'keeping') });
    expect(await limits()).toEqual(given);
    await asOwner(server, `alter role plain5 in database ${name} reset statement_timeout`);
    await Promise.all([1, 2, 3].map(() => opened({ DATABASE_URL: url })));
    expect(await limits()).toEqual(given);
  });

  it('reads passwords of any characters from files, and names a file that it cannot read', async () => {
    const owner = await migratedDatabase();
    const name = new URL(owner).pathname.slice(1);
    const password = `p@ss/w:rd#?% '"\\{}é\ttab `;
    await asOwner(
      owner,
      `create role plain4 login password E'${password.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
    );
    const file = join(folder, 'plain4.password');
    writeFileSync(file, `${password}\n`);
    const env = {
      DATABASE_URL: `postgresql://plain4@${new URL(owner).host}/${name}${new URL(owner).search}`,
      DATABASE_PASSWORD_FILE: file,
      DATABASE_OWNER_URL: owner,
    };
    const database = await opened(env);
    expect(await asOwner(database.appUrl, 'select current_user::text as me')).toEqual([{ me: 'plain4' }]);
    const gone = await openDatabase({ ...env, DATABASE_PASSWORD_FILE: join(folder, 'nothing') }, folder);
    expect(gone).toMatchObject({ ok: false, error: { code: 'settings' } });
  });

  it('reports without the password that nothing answers, or that the URL is invalid', async () => {
    const url = 'postgresql://someone:hunter2@127.0.0.1:1/none';
    for (const DATABASE_URL of [url, 'not a url', 'postgresql://someone:hunter2@127.0.0.1:1']) {
      const refused = await openDatabase({ DATABASE_URL }, folder);
      expect(refused).toMatchObject({ ok: false, error: { code: 'unreachable' } });
      expect(JSON.stringify(refused)).not.toContain('hunter2');
    }
  });

  it('starts the embedded server without a URL, and stops it', async () => {
    const dataDir = join(folder, 'embedded');
    const database = await opened({}, dataDir);
    expect(database.embedded).toBe(true);
    await asOwner(database.appUrl, 'select 1');
    await database.stop();
    expect(existsSync(join(dataDir, 'postgres/pg/postmaster.pid'))).toBe(false);
  });
});

describe('the password of the application role', () => {
  it('is stored in a file of mode 0600 if the owner has none', () => {
    const dataDir = join(folder, 'peer');
    const first = applicationPassword('postgresql://owner@127.0.0.1/x', dataDir);
    expect(applicationPassword('postgresql://owner@127.0.0.1/x', dataDir)).toBe(first);
    expect(statSync(join(dataDir, 'application-role.secret')).mode & 0o777).toBe(0o600);
  });

  it('does not reveal the owner password it is derived from, and differs by database', () => {
    const [a, b] = ['a', 'b'].map((name) =>
      applicationPassword(`postgresql://o:secret@127.0.0.1/${name}`, folder),
    );
    expect(a).toMatch(/^[0-9a-f]{64}$/);
    expect(a).not.toBe(b);
  });

  it('is never sent as text: the server is given a verifier only', async () => {
    const url = await migratedDatabase();
    await asOwner(url, `alter database ${new URL(url).pathname.slice(1)} set log_statement = 'all'`);
    const database = await opened({ DATABASE_URL: url });
    const log = await asOwner(
      server.url,
      `select pg_read_file('${join(folder, 'server/postgres.log')}') as log`,
    );
    expect(String(log[0]!['log'])).toContain('alter role');
    expect(String(log[0]!['log'])).not.toContain(new URL(database.appUrl).password);
  });
});

describe('a migration', () => {
  const migration = (name: string, sql: string, checksum = 'c') => ({ name, sql, checksum });

  async function apply(url: string, ...migrations: ReturnType<typeof migration>[]) {
    return must(await withClient(url, (client) => applyMigrations(client, migrations)));
  }

  it('runs once, in order of its name', async () => {
    const url = await freshDatabase();
    const one = migration('1_one', 'create table one (id int)');
    const two = migration('2_two', 'alter table one add column name text');
    expect(await apply(url, one)).toEqual({ ok: true, value: ['1_one'] });
    expect(await apply(url, one, two)).toEqual({ ok: true, value: ['2_two'] });
    expect(await apply(url, one, two)).toEqual({ ok: true, value: [] });
  });

  it('that was edited after it ran is refused, and no later one runs', async () => {
    const url = await freshDatabase();
    await apply(url, migration('1_one', 'create table one (id int)'));
    const refused = await apply(
      url,
      migration('1_one', 'create table one (id bigint)', 'd'),
      migration('2_two', 'create table two (id int)'),
    );
    expect(refused).toMatchObject({ ok: false, error: { code: 'edited_migration' } });
    expect(await asOwner(url, `select to_regclass('two') as two`)).toEqual([{ two: null }]);
  });

  it('that replaces older ones is recorded and not run if they have run, and refuses a database with only some of them', async () => {
    const [old, between] = [await freshDatabase(), await freshDatabase()];
    const one = migration('1_one', 'create table one (id int)');
    const two = migration('2_two', 'create table two (id int)');
    await apply(old, one, two);
    await apply(between, one);
    const both = {
      ...migration('3_both', 'create table one (id int); create table two (id int)'),
      replaces: '2_two',
    };
    const three = migration('4_three', 'alter table two add column name text');
    expect(await apply(old, both, three)).toEqual({ ok: true, value: ['4_three'] });
    expect(await apply(old, both, three)).toEqual({ ok: true, value: [] });
    expect(await apply(await freshDatabase(), both, three)).toEqual({
      ok: true,
      value: ['3_both', '4_three'],
    });
    expect(await apply(between, both, three)).toMatchObject({
      ok: false,
      error: { code: 'unknown_migration' },
    });
    expect(await asOwner(between, `select to_regclass('two') as two`)).toEqual([{ two: null }]);
  });

  it('that fails changes nothing, and runs again once it is repaired', async () => {
    const url = await freshDatabase();
    const broken = migration('1_one', 'create table one (id int); select 1 / 0');
    expect(await apply(url, broken)).toMatchObject({ ok: false, error: { code: 'failed_migration' } });
    expect(await asOwner(url, `select to_regclass('one') as one`)).toEqual([{ one: null }]);
    expect((await apply(url, migration('1_one', 'create table one (id int)'))).ok).toBe(true);
  });

  it('that only a newer version knows stops an older one', async () => {
    const url = await freshDatabase();
    await apply(url, migration('9_later', 'select 1'));
    expect(await apply(url, migration('1_one', 'select 1'))).toMatchObject({
      ok: false,
      error: { code: 'unknown_migration' },
    });
  });

  it('of 2026-11-28 renames the stored members of terms, and publishes no change of a buy for it', async () => {
    const url = await freshDatabase();
    const known = readMigrations();
    const at = known.findIndex(({ name }) => name.endsWith('_plain_names'));
    await apply(url, ...known.slice(0, at));
    const id = '00000000-0000-4000-8000-000000000001';
    const insert = (position: number, terms: string): string =>
      `insert into buy_package (id, organization_id, media_buy_id, leg_id, position, seller, product_id,
         pricing_option_id, currency, budget_micros, terms)
       values (gen_random_uuid(), '${id}', 'buy', '${id}', ${position}, 'acme', 'p', 'o', 'USD', 1, ${terms})`;
    await asOwner(url, insert(0, `'{"asked": {"pacing": "even"}, "sent": {}, "said": {"pacing": "asap"}}'`));
    await asOwner(url, insert(1, 'null'));
    await apply(url, ...known.slice(0, at + 1));
    expect(await asOwner(url, 'select terms from buy_package order by position')).toEqual([
      { terms: { requested: { pacing: 'even' }, sent: {}, reported: { pacing: 'asap' } } },
      { terms: null },
    ]);
    expect(await asOwner(url, `select * from change_event`)).toEqual([]);
  });

  it('is read from the folder with the checksum of its bytes', () => {
    const [first] = readMigrations();
    const copy = join(folder, 'migrations');
    cpSync(join(import.meta.dirname, '../../../../../prisma/migrations'), copy, { recursive: true });
    expect(readMigrations(copy)[0]).toEqual(first);
    expect(first!.checksum).toMatch(/^[0-9a-f]{64}$/);
  });
});
