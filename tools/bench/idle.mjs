/**
 * The cost of an idle server: statements a second, from PostgreSQL's own log, and the time of SIGTERM, with one
 * organization and with many. Neither may grow with them.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const harness = (name) => import(new URL(`../../apps/e2e/server/dist/harness/${name}.js`, import.meta.url));

export async function idle({ quick }) {
  const { dataFolder, ownerUrlOf } = await harness('data-folder');
  const { startInstance } = await harness('instance');
  const folder = dataFolder();
  const rows = [];
  let instance;
  try {
    for (const organizations of [1, 301, 1001]) {
      instance = await startInstance(folder.path, ['--no-sandbox']);
      await withOwner(ownerUrlOf(folder.path), (owner) => addOrganizations(owner, organizations));
      await instance.stop();
      const starting = performance.now();
      instance = await startInstance(folder.path, ['--no-sandbox']);
      const startMs = performance.now() - starting;
      await pause(5_000);
      // Includes the jobs of every minute.
      const seconds = quick ? 15 : 65;
      const log = join(folder.path, 'postgres/postgres.log');
      await withOwner(ownerUrlOf(folder.path), (owner) => logStatements(owner, 'all'));
      const from = statSync(log).size;
      await pause(seconds * 1_000);
      const text = readFrom(log, from);
      await withOwner(ownerUrlOf(folder.path), (owner) => logStatements(owner, 'none'));
      const stopping = performance.now();
      const exitCode = await instance.stop();
      rows.push({
        scenario: 'Idle organizations',
        contender: `${String(organizations)} organizations`,
        'statements/s': round((text.match(/LOG: {2}(?:statement|execute )/g) ?? []).length / seconds),
        'start to ready, s': round(startMs / 1_000),
        'SIGTERM to end, s': round((performance.now() - stopping) / 1_000),
        'exit code': exitCode,
      });
    }
  } finally {
    await instance?.kill();
    await folder.remove();
  }
  return [rows];
}

async function addOrganizations(owner, wanted) {
  await owner.query(
    `insert into organization (id, slug, name, domain, is_public, created_at)
     select gen_random_uuid(), 'tenant-' || n, 'Tenant ' || n, 'tenant-' || n || '.example', false, now()
     from generate_series(2, $1::int) n on conflict (slug) do nothing`,
    [wanted],
  );
}

async function logStatements(owner, which) {
  await owner.query(`alter system set log_statement = '${which}'`);
  await owner.query('select pg_reload_conf()');
}

async function withOwner(url, work) {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    await work(owner);
  } finally {
    await owner.end();
  }
}

function readFrom(file, from) {
  const bytes = Buffer.alloc(statSync(file).size - from);
  const handle = openSync(file, 'r');
  readSync(handle, bytes, 0, bytes.length, from);
  closeSync(handle);
  return bytes.toString();
}

const round = (value) => Math.round(value * 10) / 10;
