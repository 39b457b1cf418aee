import { Worker } from 'node:worker_threads';
import type { Anchor, Checkpoint } from '@switchyard/journal';
import type { LedgerVerification } from '@switchyard/ledger';

/** The task of a thread. All of it can be copied to another thread. */
export interface VerifyJob {
  /** Connects as the application role. Holds a password: never print it. */
  readonly appUrl: string;
  /** False behind a pooler that does not follow prepared statements. */
  readonly preparedStatements: boolean;
  readonly organizationId: string;
  readonly anchors?: readonly Anchor[];
  /** Absent: everything is read. */
  readonly since?: Checkpoint;
}

/**
 * Runs `verifyLedger` in a thread with its own heap and connection, so that a long read blocks nothing else. Rejects
 * with the error that ended the thread; `signal` ends it.
 */
export function verifyInWorker(job: VerifyJob, signal: AbortSignal): Promise<LedgerVerification> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('verify-worker.js', import.meta.url), { workerData: job });
    const end = (): void => void worker.terminate();
    signal.addEventListener('abort', end, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', end);
      // No effect if the answer came first.
      reject(new Error('The verification was ended before it was done.'));
    });
  });
}
