import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { jobRepository, openStore } from '@switchyard/store';
import { createTestDatabase, startMailServer, type TestDatabase } from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { openSwitchyard, type Switchyard } from '../open-switchyard.js';
import { checks, examine } from './examine.js';

let database: TestDatabase;
let server: Switchyard;
let env: Readonly<Record<string, string>>;
const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-doctor-'));

beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.appUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    SWITCHYARD_LOG_LEVEL: 'silent',
  };
  const adminSecret = new Secret(Buffer.from('a secret of the suite'));
  server = must(await openSwitchyard({ dataDir, env, port: 0, version: '0.0.0', adminSecret }));
});
afterAll(async () => {
  await server.close();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function findings(more: Readonly<Record<string, string>> = {}, folder = dataDir, fix = false) {
  const examined = await examine({ env: { ...env, ...more }, dataDir: folder, fix });
  return { examined, states: Object.fromEntries(examined.map(({ id, state }) => [id, state])) };
}

it('has one section of the runbook for each check, and no section without one', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/runbooks/operate.md'), 'utf8');
  const sections = [...page.matchAll(/^### doctor: (\w+)$/gm)].map(([, id]) => id);
  expect(sections).toEqual(checks.map(({ id }) => id));
});

it('finds nothing wrong with an installation that runs', async () => {
  const { examined, states } = await findings();
  expect(examined.filter(({ state }) => state === 'error')).toEqual([]);
  expect(states).toMatchObject({ database: 'ok', migrations: 'ok', keys: 'ok', work: 'ok', restored: 'ok' });
});

it('signs in at the mail server without a message, and looks whether a collector listens', async () => {
  const mail = await startMailServer();
  const near = {
    SWITCHYARD_SMTP_HOST: '127.0.0.1',
    SWITCHYARD_SMTP_SECURITY: 'none',
    SWITCHYARD_MAIL_FROM: 'a@b.example',
  };
  const right = {
    ...near,
    SWITCHYARD_SMTP_PORT: String(mail.port),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${mail.port}`,
  };
  expect((await findings(right)).states).toMatchObject({ mail: 'ok', collector: 'ok' });
  expect(mail.received).toEqual([]);
  await mail.close();
  expect((await findings(right)).states).toMatchObject({ mail: 'error', collector: 'warning' });
  expect((await findings()).states).toMatchObject({ mail: 'skipped', collector: 'skipped' });
});

it('prints no password of the database or of Redis, also when they do not answer', async () => {
  const away = 'postgresql://somebody:hunter2@127.0.0.1:1/none';
  const wrongEnv = {
    DATABASE_URL: away,
    DATABASE_OWNER_URL: away,
    REDIS_URL: 'redis://:hunter3@127.0.0.1:1',
  };
  const { examined, states } = await findings(wrongEnv);
  expect(states).toMatchObject({ database: 'error', redis: 'error', work: 'skipped' });
  expect(JSON.stringify(examined)).not.toMatch(/hunter/);
});

it('names the keys of another installation, and settings with which nothing starts', async () => {
  const other = mkdtempSync(join(tmpdir(), 'switchyard-doctor-'));
  const { states } = await findings({ SWITCHYARD_HOTS: 'x' }, other);
  expect(states).toMatchObject({ settings: 'error', keys: 'error', database: 'ok' });
  rmSync(other, { recursive: true });
});

it('says which folder for files cannot be written, and takes places of other kinds for none', async () => {
  const file = join(dataDir, 'keyring.json');
  const named = {
    SWITCHYARD_REPORTS_TO: 's3://figures/x',
    SWITCHYARD_ARCHIVE_FOLDER: join(dataDir, 'archive'),
  };
  expect((await findings(named)).states).toMatchObject({ folders: 'ok' });
  const { examined, states } = await findings({ ...named, SWITCHYARD_ARCHIVE_FOLDER: join(file, 'archive') });
  expect([states['folders'], examined.find(({ id }) => id === 'folders')?.detail]).toEqual([
    'error',
    expect.stringContaining(join(file, 'archive')),
  ]);
  expect((await findings()).states).toMatchObject({ folders: 'skipped' });
});

it('finds a job that no worker has taken for half an hour, and none that waits for its time', async () => {
  const store = openStore(database.appUrl, { connections: 1 });
  const { rows } = await store.pool.query<{ id: string }>('select id from organization_ids()');
  const organizationId = rows[0]?.id ?? '';
  const waiting = (dueAt: number) =>
    jobRepository(store).insert(
      { organizationId },
      {
        ...{ id: randomUUID(), kind: 'of_no_worker', waitsFor: 'files', principalId: randomUUID() },
        ...{ permissions: {}, input: {}, cursor: {}, items: [], createdAt: Date.now(), dueAt },
      },
    );
  try {
    await waiting(Date.now() + 3_600_000);
    expect((await findings()).states).toMatchObject({ jobs: 'ok' });
    await waiting(Date.now() - 3_600_000);
    expect((await findings()).states).toMatchObject({ jobs: 'warning' });
  } finally {
    await store.close();
  }
});

it('mends the modes of files with --fix, and changes nothing without it', async () => {
  const file = join(dataDir, 'keyring.json');
  chmodSync(file, 0o644);
  expect((await findings()).states).toMatchObject({ data_folder: 'error' });
  expect((await findings()).states).toMatchObject({ data_folder: 'error' });
  const { examined, states } = await findings({}, dataDir, true);
  expect(states).toMatchObject({ data_folder: 'ok' });
  expect(examined.find(({ id }) => id === 'data_folder')?.fixed).toContain('keyring.json');
});

it('looks at a data folder whose database does not run without starting it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-doctor-'));
  writeFileSync(join(folder, 'doors-port'), '7420');
  const states = async () => {
    const examined = await examine({ env: { SWITCHYARD_LOG_LEVEL: 'silent' }, dataDir: folder });
    return Object.fromEntries(examined.map(({ id, state }) => [id, state]));
  };
  expect(await states()).toMatchObject({ database: 'skipped', ledger: 'skipped', settings: 'ok' });
  // One that ran here before and does not now is what somebody may be looking for.
  mkdirSync(join(folder, 'postgres'));
  expect(await states()).toMatchObject({ database: 'warning', ledger: 'skipped' });
  rmSync(folder, { recursive: true });
});
