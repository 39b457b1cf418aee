import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { dropStaleFile } from '../core/drop-stale-file.js';

/** Fields of postmaster.pid: line 1 the pid, line 4 the port, line 8 the status. */
interface PostmasterFile {
  readonly pid: number;
  readonly port: number | undefined;
  readonly ready: boolean;
  readonly text: string;
}

export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  const text = textOf(cluster);
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (text === undefined || !Number.isInteger(pid) || pid <= 0) return undefined;
  const port = Number(lines[3]);
  return { pid, port: port > 0 ? port : undefined, ready: lines[7] === 'ready', text };
}

/** The text of a pid file without a pid, which a crash leaves and with which PostgreSQL refuses to start. */
export function damagedPidFile(cluster: string): string | undefined {
  return readPostmasterFile(cluster) === undefined ? textOf(cluster) : undefined;
}

function textOf(cluster: string): string | undefined {
  try {
    return readFileSync(pidFile(cluster), 'utf8');
  } catch {
    return undefined;
  }
}

/** Whose process a pid is, as far as we may read. */
type PidOwner = 'postmaster' | 'stranger' | 'nobody' | 'unknown';

/**
 * Whether a pid is the postmaster of this cluster. Its working folder is the cluster's folder; if we may not read that
 * (root in a container may not inspect processes of other users), its command line names the folder.
 */
export function ownerOfPid(cluster: string, pid: number): PidOwner {
  if (!exists(pid)) return 'nobody';
  const place = real(cluster);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === place ? 'postmaster' : 'stranger';
  } catch {
    return ownerByCommand(place, pid);
  }
}

function ownerByCommand(place: string, pid: number): PidOwner {
  let words: string[];
  try {
    words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return exists(pid) ? 'unknown' : 'nobody';
  }
  const folder = words[words.indexOf('-D') + 1];
  return words.includes('-D') && folder !== undefined && real(folder) === place ? 'postmaster' : 'stranger';
}

/** A process that has ended but was not yet waited for does not exist. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch (error) {
    // Some machines hide the processes of other users; the signal showed that it exists.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Removes a pid file without a pid, or whose pid now belongs to another process: PostgreSQL would refuse to start with
 * it. If its text was another one when it was checked, it is put back.
 */
export function dropPostmasterFile(cluster: string, judged: string): void {
  dropStaleFile(pidFile(cluster), (aside) => readFileSync(aside, 'utf8') === judged);
}

function pidFile(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}
