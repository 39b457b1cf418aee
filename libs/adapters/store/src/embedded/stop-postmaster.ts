import { setTimeout as pause } from 'node:timers/promises';
import { ownerOfPid } from './postmaster-file.js';

const politeMs = 5000;

/**
 * Stops a server. SIGTERM lets sessions finish; after 5 s SIGINT rolls open transactions back. Both write a checkpoint,
 * so the next start needs no recovery.
 */
export async function stopPostmaster(cluster: string, pid: number): Promise<void> {
  if (!isRunning(cluster, pid)) return;
  process.kill(pid, 'SIGTERM');
  if (await endedWithin(cluster, pid, politeMs)) return;
  process.kill(pid, 'SIGINT');
  if (await endedWithin(cluster, pid, 30_000)) return;
  throw new Error(`PostgreSQL (pid ${pid}) did not stop within 35 s.`);
}

/** The pid may belong to another process since the start. */
function isRunning(cluster: string, pid: number): boolean {
  return ['postmaster', 'unknown'].includes(ownerOfPid(cluster, pid));
}

async function endedWithin(cluster: string, pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (Date.now() < deadline) {
    if (!isRunning(cluster, pid)) return true;
    await pause(20);
  }
  return false;
}
