/** CPU used by processes, read from /proc: of one process, and of all processes of a PostgreSQL. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Linux counts in hundredths of a second; 11 and 12 are the process's own, 13 and 14 those of its ended children.
    return {
      parent: Number(fields[1]),
      own: (Number(fields[11]) + Number(fields[12])) * 10,
      ended: (Number(fields[13]) + Number(fields[14])) * 10,
    };
  } catch {
    return undefined;
  }
}

export const cpuMsOf = (pid) => statOf(pid)?.own ?? 0;

/** Backends, writers and processes that have ended since the start. */
export function databaseCpuMs(postmaster) {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf);
  const children = stats.filter((stat) => stat?.parent === postmaster);
  const self = statOf(postmaster);
  return children.reduce((sum, { own }) => sum + own, 0) + (self?.own ?? 0) + (self?.ended ?? 0);
}

/** The embedded PostgreSQL of a data folder. */
export function postgresOf(data) {
  const lines = readFileSync(join(data, 'postgres/pg/postmaster.pid'), 'utf8').split('\n');
  const secret = readFileSync(join(data, 'postgres/superuser.secret'), 'utf8').trim();
  return {
    pid: Number(lines[0]),
    ownerUrl: `postgresql://switchyard:${secret}@127.0.0.1:${lines[3]}/switchyard`,
  };
}
