import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** True while the process runs; false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** Returns all processes whose command line or working directory contains the folder. */
export function processesOf(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid) && mentions(pid, folder));
}

function mentions(pid: number, folder: string): boolean {
  try {
    if (readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes(folder)) return true;
    return readlinkSync(`/proc/${String(pid)}/cwd`).includes(folder);
  } catch {
    return false;
  }
}

/** Returns the children of a process. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid && isAlive(child));
}

/** Returns the sandbox market of a running `up`. */
export function marketOf(pid: number): number | undefined {
  return childrenOf(pid).find((child) =>
    readFileSync(`/proc/${String(child)}/cmdline`, 'utf8').includes('sandbox'),
  );
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/**
 * Sends a signal to a process, or with a negative number to its group; it may have ended. Refuses -1, 0 and 1: all
 * processes of the machine, the tests' own group, and the first process.
 */
export function signal(pid: number, name: NodeJS.Signals): void {
  if (!Number.isInteger(pid) || Math.abs(pid) <= 1) throw new Error(`No signal is sent to ${String(pid)}.`);
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
