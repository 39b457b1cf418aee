import { linkSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What PostgreSQL writes into postmaster.pid: line 1 the pid, line 4 the port, line 8 the status. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number | undefined;
  readonly ready: boolean;
  readonly text: string;
}

export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  let text: string;
  try {
    text = readFileSync(pidFile(cluster), 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const port = Number(lines[3]);
  return { pid, port: port > 0 ? port : undefined, ready: lines[7] === 'ready', text };
}

/** Whether the process of that pid is the postmaster of this cluster: it works in the cluster's own folder. */
export function isPostmasterOf(cluster: string, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Removes a pid file whose pid was given to a stranger: PostgreSQL would refuse to start beside it. If somebody
 * replaced the file since it was judged, it is put back.
 */
export function dropStaleFile(cluster: string, judged: PostmasterFile): void {
  const aside = join(cluster, `postmaster.pid.stale-${process.pid}`);
  try {
    renameSync(pidFile(cluster), aside);
    if (readFileSync(aside, 'utf8') !== judged.text) linkSync(aside, pidFile(cluster));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function pidFile(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}
