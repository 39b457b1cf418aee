import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
  type Dirent,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@switchyard/values';
import { serverIdentity } from '../embedded/server-identity.js';
import { withClient } from '../migrate/database-client.js';
import type { DatabaseFailure } from '../migrate/database-failure.js';

/** Folders whose contents a running server makes again. PostgreSQL needs the folders themselves. */
const emptied = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const leftOut =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|pg_internal\.init.*|pgsql_tmp.*|\.s\.PGSQL.*)$/;

/**
 * Copies the files of a running embedded cluster, by PostgreSQL's low-level backup: the copy recovers to the moment at
 * which this ends. `url` is the superuser's. The target must not exist. A slot keeps the write-ahead log meanwhile.
 */
export function copyCluster(
  url: string,
  cluster: string,
  target: string,
): Promise<Result<void, DatabaseFailure>> {
  return withClient(url, async (client) => {
    const slot = `switchyard_backup_${process.pid}`;
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
    const began = await client.query<{ file: string }>(
      `select pg_walfile_name(pg_backup_start('switchyard', true)) as file`,
    );
    await copyFolder(cluster, target, false);
    const ended = await client.query<{ file: string; label: string }>(
      `select pg_walfile_name(lsn) as file, labelfile as label from pg_backup_stop(false)`,
    );
    const [first] = began.rows;
    const [last] = ended.rows;
    if (first === undefined || last === undefined) throw new Error('PostgreSQL did not say what it wrote.');
    writeFileSync(join(target, 'backup_label'), last.label, { mode: 0o600, flush: true });
    for (const name of readdirSync(join(cluster, 'pg_wal')))
      if (/^[0-9A-F]{24}$/.test(name) && name >= first.file && name <= last.file)
        await copyFile(join(cluster, 'pg_wal', name), join(target, 'pg_wal', name));
  });
}

async function copyFolder(from: string, to: string, isWithin: boolean): Promise<void> {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (leftOut.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!entry.isDirectory()) await copyUnlessGone(entry, source, target);
    else if (!isWithin && emptied.has(entry.name)) {
      mkdirSync(target, { mode: 0o700 });
      // Folders within them are part of the layout.
      for (const inner of readdirSync(source, { withFileTypes: true }))
        if (entry.name === 'pg_wal' && inner.isDirectory())
          mkdirSync(join(target, inner.name), { mode: 0o700 });
    } else await copyFolder(source, target, true);
  }
}

/** A table that was dropped meanwhile takes its file with it; the log says so, too. */
async function copyUnlessGone(entry: Dirent, source: string, target: string): Promise<void> {
  if (!entry.isFile()) return;
  await copyFile(source, target).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

/**
 * Places a copied cluster and its superuser's secret in a new data folder, for the user that PostgreSQL runs as. The
 * next start recovers it.
 */
export function placeCluster(
  source: string,
  dataDir: string,
): Result<void, { readonly code: string; readonly message: string }> {
  const parent = join(dataDir, 'postgres');
  const cluster = join(parent, 'pg');
  const identity = serverIdentity(cluster);
  if (!identity.ok) return err(identity.error);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  copyFileSync(join(source, 'superuser.secret'), join(parent, 'superuser.secret'));
  chmodSync(join(parent, 'superuser.secret'), 0o600);
  place(join(source, 'pg'), cluster, identity.value.uid);
  return ok(undefined);
}

function place(from: string, to: string, uid: number | undefined): void {
  mkdirSync(to, { mode: 0o700 });
  if (uid !== undefined) chownSync(to, uid, -1 >>> 0);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      place(source, target, uid);
      continue;
    }
    copyFileSync(source, target);
    chmodSync(target, 0o600);
    if (uid !== undefined) chownSync(target, uid, -1 >>> 0);
  }
}
