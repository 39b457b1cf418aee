import { spawn } from 'node:child_process';
import { err, ok, type Result } from '@switchyard/values';
import { searchPath } from '../embedded/server-identity.js';
import { withClient } from '../migrate/database-client.js';
import type { DatabaseFailure } from '../migrate/database-failure.js';

const failed = (message: string): Result<never, DatabaseFailure> => err({ code: 'dump', message });

/**
 * Dumps a database with `pg_dump`, without the queue, whose jobs may be lost. The role of the URL must see every row: a
 * superuser, or one that bypasses row-level security and may read all data.
 */
export async function dumpDatabase(url: string, file: string): Promise<Result<void, DatabaseFailure>> {
  const tool = await run('pg_dump', ['--version']);
  if (!tool.ok) return tool;
  const ours = Number(/\) (\d+)/.exec(tool.value)?.[1] ?? 0);
  const server = await withClient(url, async (client) => {
    const { rows } = await client.query<{ major: number; sees: boolean }>(
      `select current_setting('server_version_num')::int / 10000 as major, rolsuper or rolbypassrls as sees
       from pg_roles where rolname = current_user`,
    );
    return rows[0];
  });
  if (!server.ok) return server;
  if (ours < (server.value?.major ?? 0))
    return failed(
      `pg_dump is of PostgreSQL ${ours}, and the server is ${server.value?.major ?? 0}. Install one as new as the server.`,
    );
  if (server.value?.sees !== true)
    return failed(
      'The role does not see all rows. Set DATABASE_BACKUP_URL to a superuser, or to a role with bypassrls and pg_read_all_data.',
    );
  const dumped = await run('pg_dump', ['-Fc', '-N', 'bullmq', '-f', file], url);
  return dumped.ok ? ok(undefined) : dumped;
}

/** Restores a dump into an empty database. The role must be a superuser: functions go back to the lookup role. */
export async function restoreDump(url: string, file: string): Promise<Result<void, DatabaseFailure>> {
  const empty = await withClient(url, async (client) => {
    const { rows } = await client.query<{ tables: number }>(
      `select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    return rows[0]?.tables === 0;
  });
  if (!empty.ok) return empty;
  if (!empty.value) return failed('The database has tables. Restore into an empty one.');
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  const restored = await run('pg_restore', ['--exit-on-error', '-d', database, file], url);
  return restored.ok ? ok(undefined) : restored;
}

/** Runs a program of PostgreSQL. The address goes by its environment, where no other user sees the password. */
function run(
  program: string,
  args: readonly string[],
  url?: string,
): Promise<Result<string, DatabaseFailure>> {
  const { hostname, port, pathname, username, password } = new URL(url ?? 'postgresql://none/none');
  const address =
    url === undefined
      ? {}
      : {
          PGHOST: hostname,
          PGPORT: port === '' ? '5432' : port,
          PGDATABASE: decodeURIComponent(pathname.slice(1)),
          PGUSER: decodeURIComponent(username),
          PGPASSWORD: decodeURIComponent(password),
        };
  const child = spawn(program, args, {
    env: { PATH: searchPath(), LC_ALL: 'C', ...address },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout = (stdout + part).slice(-2_000)));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr = (stderr + part).slice(-2_000)));
  return new Promise((resolve) => {
    child.once('error', () => resolve(failed(`${program} is not installed (Debian: postgresql-client).`)));
    child.once('close', (code) =>
      resolve(code === 0 ? ok(stdout) : failed(`${program} ended with ${String(code)}: ${stderr.trim()}`)),
    );
  });
}
