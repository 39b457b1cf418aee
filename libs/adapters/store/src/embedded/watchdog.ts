import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processStart } from '../instance/process-start.js';

/**
 * A shell that outlives its owner for a moment: its standard input closes when the owner ends, however it ends. Then it
 * stops the server (SIGINT: open transactions are rolled back), waits until the server has stopped, and ends. The
 * command line of the server is compared first, because a process id can be given to another process.
 */
const script = `
  read _
  grep -qF -- "$1" "/proc/$0/cmdline" && kill -INT "$0"
  for _ in $(seq 300); do grep -qsF -- "$1" "/proc/$0/cmdline" || break; sleep 0.1; done
  if grep -qs "\\"watchdog\\":$$," "$2"; then rm -f "$2"; fi`;

/**
 * Stops the server of a cluster when this process ends without doing so itself, after a crash or a kill. Its file says
 * who the owner is, for whoever starts next. Answers what ends the watchdog, once the server has been stopped.
 */
export function watchServer(cluster: string, serverPid: number): () => void {
  const file = fileOf(cluster);
  const child = spawn('/bin/sh', ['-c', script, String(serverPid), cluster, file], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  const owner = processStart(process.pid) ?? '';
  writeFileSync(file, JSON.stringify({ watchdog: child.pid, owner: process.pid, start: owner }), {
    mode: 0o600,
  });
  return () => child.stdin.end();
}

export type Watch =
  /** No watchdog runs: whoever uses the server starts one. */
  | 'none'
  /** The owner runs; its watchdog stops the server after it. */
  | 'owned'
  /** The owner has ended and its watchdog is stopping the server: it must not be used any more. */
  | 'stopping';

/** Who would stop the server of a cluster. */
export function watchOf(cluster: string): Watch {
  let noted: { readonly watchdog: number; readonly owner: number; readonly start: string };
  try {
    noted = JSON.parse(readFileSync(fileOf(cluster), 'utf8')) as typeof noted;
  } catch {
    return 'none';
  }
  if (!isWatchdog(noted.watchdog, cluster)) return 'none';
  return processStart(noted.owner) === noted.start ? 'owned' : 'stopping';
}

function isWatchdog(pid: number, cluster: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words[0] === '/bin/sh' && words.includes(cluster);
  } catch {
    return false;
  }
}

const fileOf = (cluster: string): string => join(dirname(cluster), 'watchdog.json');
