import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processStart } from '../instance/process-start.js';

/**
 * A shell that runs slightly longer than its owner: its standard input closes when the owner ends, in any way. Then it
 * stops the server (SIGINT: open transactions are rolled back), waits until the server has stopped, and ends. It
 * compares the command line of the server first, because a process id can be given to another process.
 */
const script = `
  read _
  grep -qF -- "$1" "/proc/$0/cmdline" && kill -INT "$0"
  for _ in $(seq 300); do grep -qsF -- "$1" "/proc/$0/cmdline" || break; sleep 0.1; done
  if grep -qs "\\"watchdog\\":$$," "$2"; then rm -f "$2"; fi`;

/**
 * Stops the server of a cluster if this process ends without doing so, after a crash or a kill. A file names the owner,
 * for the next start. Returns a function that ends the watchdog, for use once the server has stopped.
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

type Watch =
  /** No watchdog runs: the next user of the server starts one. */
  | 'none'
  /** The owner runs; its watchdog stops the server when the owner ends. */
  | 'owned'
  /** The owner has ended and its watchdog is stopping the server: do not use it any more. */
  | 'stopping';

/** State of the watchdog of a cluster. */
export function watchOf(cluster: string): Watch {
  let recorded: { readonly watchdog: number; readonly owner: number; readonly start: string };
  try {
    recorded = JSON.parse(readFileSync(fileOf(cluster), 'utf8')) as typeof recorded;
  } catch {
    return 'none';
  }
  if (!isWatchdog(recorded.watchdog, cluster)) return 'none';
  return processStart(recorded.owner) === recorded.start ? 'owned' : 'stopping';
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
