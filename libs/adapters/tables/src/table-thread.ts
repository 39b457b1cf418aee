import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { TableFault, type TableLimits, type TableRow } from './table-row.js';
import type { TableDocument } from './table-document.js';

/** What a thread is told. */
export type TableJob =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly limits: TableLimits }
  | { readonly kind: 'write'; readonly document: TableDocument; readonly format: 'csv' | 'xlsx' | 'pdf' };

/** What it says. After `rows` it waits for any message. */
export type TableSaid =
  | { readonly kind: 'rows'; readonly rows: readonly TableRow[] }
  | { readonly kind: 'fault'; readonly message: string; readonly row?: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/** How long one file may take, in milliseconds, and what the heap of its thread may be, in MB. */
const withinMs = 120_000;
const heapMb = 512;

/**
 * `workbookRows` in a thread of its own, which holds up nobody, has a heap of its own and is ended after two minutes.
 * Throws `TableFault`.
 */
export async function* workbookRowsInThread(
  bytes: Buffer,
  limits: TableLimits,
): AsyncGenerator<readonly TableRow[]> {
  for await (const said of run({ kind: 'read', bytes, limits })) if (said.kind === 'rows') yield said.rows;
}

/** A document as a file, made in a thread of its own. */
export async function writeTable(document: TableDocument, format: 'csv' | 'xlsx' | 'pdf'): Promise<Buffer> {
  for await (const said of run({ kind: 'write', document, format }))
    if (said.kind === 'bytes') return Buffer.from(said.bytes);
  throw new Error('The thread ended without a file.');
}

async function* run(job: TableJob): AsyncGenerator<TableSaid> {
  const worker = new Worker(new URL('table-worker.js', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const deadline = AbortSignal.timeout(withinMs);
  // The end of the thread has to wake up who waits for its next word.
  const ended = new AbortController();
  worker.once('exit', () => ended.abort());
  // Told to who waits; without a listener it would end the process while nobody does.
  worker.on('error', () => undefined);
  const signal = AbortSignal.any([deadline, ended.signal]);
  try {
    for (;;) {
      const [said] = (await once(worker, 'message', { signal })) as [TableSaid];
      if (said.kind === 'end') return;
      if (said.kind === 'fault') throw new TableFault(said.message, said.row);
      yield said;
      worker.postMessage('next');
    }
  } catch (error) {
    if (error instanceof TableFault || job.kind === 'write') throw error;
    throw new TableFault('The workbook needs more time or memory than a file may have. Save it as CSV.');
  } finally {
    await worker.terminate();
  }
}
