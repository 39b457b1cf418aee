import { Worker } from 'node:worker_threads';
import type { Anchor, Checkpoint } from '@switchyard/journal';
import type { LedgerVerification } from '@switchyard/ledger';

/** What a thread is told. Everything in it can be copied to another thread. */
export interface VerifyJob {
  /** Of the application's role. Holds a password: never print it. */
  readonly appUrl: string;
  readonly organizationId: string;
  readonly anchors?: readonly Anchor[];
  /** Absent: everything is read. */
  readonly since?: Checkpoint;
}

/**
 * `verifyLedger` in a thread with a heap and a connection of its own, so that a long read holds up nobody. Rejects with
 * what ended the thread; `signal` ends it.
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
      // Says nothing where the answer came first.
      reject(new Error('The verification was ended before it was done.'));
    });
  });
}
