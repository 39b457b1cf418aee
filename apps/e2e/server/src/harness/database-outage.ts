import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import pg from 'pg';
import { ownerUrlOf, postmasterOf } from './data-folder.js';
import { childrenOf, isAlive, signal } from './processes.js';
import { waitUntil } from './wait-until.js';

/** One kind of database outage. */
export interface Outage {
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Stops all PostgreSQL processes with SIGSTOP: connections stay open, and nothing answers. */
export function frozen(data: string): Outage {
  let pids: readonly number[] = [];
  return {
    begin: () => {
      const postmaster = runningIn(data);
      signal(postmaster, 'SIGSTOP');
      pids = [postmaster, ...childrenOf(postmaster)];
      for (const pid of pids) signal(pid, 'SIGSTOP');
      return Promise.resolve();
    },
    end: () => {
      for (const pid of pids) signal(pid, 'SIGCONT');
      return Promise.resolve();
    },
  };
}

/** Stops PostgreSQL, and starts it again with the same settings. */
export function stopped(data: string): Outage {
  let restart = (): void => undefined;
  return {
    begin: async () => {
      const pid = runningIn(data);
      const folder = `/proc/${String(pid)}`;
      const [, ...args] = readFileSync(`${folder}/cmdline`, 'utf8').split('\0').filter(Boolean);
      const { uid, gid } = statSync(folder);
      const variables = readFileSync(`${folder}/environ`, 'utf8').split('\0').filter(Boolean);
      const env = Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s).slice(0, 2)));
      const program = readlinkSync(`${folder}/exe`);
      const cwd = readlinkSync(`${folder}/cwd`);
      restart = () => {
        const [file, words] = asItsUser(uid, gid, program, args);
        spawn(file, words, { env, cwd, detached: true, stdio: 'ignore' }).unref();
      };
      signal(pid, 'SIGINT');
      await waitUntil('the database has stopped', () => (isAlive(pid) ? undefined : true));
    },
    end: async () => {
      restart();
      await waitUntil('the database is back', () => answers(data));
    },
  };
}

/** The server's role gets no connection, and its existing connections are terminated. */
export function withoutConnections(data: string): Outage {
  const limit = async (connections: number): Promise<void> => {
    const owner = new pg.Client({ connectionString: ownerUrlOf(data) });
    await owner.connect();
    const named = `select distinct usename from pg_stat_activity where application_name like 'switchyard%'`;
    const { rows } = await owner.query<{ usename: string }>(
      `select rolname as usename from pg_roles where rolname in (${named}) or rolconnlimit = 0`,
    );
    for (const { usename } of rows)
      await owner.query(`alter role ${pg.escapeIdentifier(usename)} connection limit ${String(connections)}`);
    if (connections === 0)
      await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = any ($1)`, [
        rows.map(({ usename }) => usename),
      ]);
    await owner.end();
  };
  return { begin: () => limit(0), end: () => limit(-1) };
}

/** Starts it as the product does: root switches to PostgreSQL's user, who may pass folders of root. */
function asItsUser(
  uid: number,
  gid: number,
  program: string,
  args: readonly string[],
): readonly [string, readonly string[]] {
  if (process.getuid?.() !== 0) return [program, args];
  const caps = ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,+dac_override`);
  const user = [`--reuid=${String(uid)}`, `--regid=${String(gid)}`, '--clear-groups'];
  return ['setpriv', [...user, ...caps, '--securebits=+no_setuid_fixup', program, ...args]];
}

function runningIn(data: string): number {
  const postmaster = postmasterOf(data);
  if (postmaster === undefined || !isAlive(postmaster.pid)) throw new Error(`No database runs in ${data}.`);
  return postmaster.pid;
}

async function answers(data: string): Promise<true | undefined> {
  const client = await Promise.resolve()
    .then(() => new pg.Client({ connectionString: ownerUrlOf(data) }))
    .catch(() => undefined);
  client?.on('error', () => undefined);
  const isUp = await client?.connect().then(
    () => true as const,
    () => undefined,
  );
  await client?.end().catch(() => undefined);
  return isUp;
}
