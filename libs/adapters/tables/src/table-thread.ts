import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { TableFault, type TableLimits, type TableRow } from './table-row.js';
import { PackedRows } from './packed-bytes.js';
import type { PageDocument } from './page/page-document.js';
import type { TableDocument } from './table-document.js';
import { fillMerged, type MergedCells, type OtherSheet } from './workbook-grid.js';

/** The task of a thread. */
export type TableJob =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly limits: TableLimits }
  | {
      readonly kind: 'grid';
      readonly bytes: Uint8Array;
      readonly limits: TableLimits;
      readonly wanted?: string;
    }
  | { readonly kind: 'write'; readonly document: TableDocument; readonly format: 'csv' | 'xlsx' | 'pdf' }
  | { readonly kind: 'page'; readonly document: PageDocument };

/** Messages of the thread. After `rows` it waits for any message. */
export type TableMessage =
  | { readonly kind: 'rows'; readonly rows: readonly TableRow[] }
  | {
      readonly kind: 'packed';
      /** Of `packRows`. */
      readonly block: Uint8Array;
      /** In the block. */
      readonly rows: number;
      readonly sheet: string;
      readonly merges?: readonly MergedCells[];
      readonly hidden?: readonly number[];
      readonly others?: readonly OtherSheet[];
    }
  | { readonly kind: 'fault'; readonly message: string; readonly row?: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/** Limits of one file: time in milliseconds, and heap of its thread in MB. */
const withinMs = 120_000;
const heapMb = 512;
/** What a thread has just made is cleared away in smaller steps than in a process. */
const youngMb = 12;

/**
 * Runs `workbookRows` in a thread with a heap of its own, which blocks nothing else and is ended after two minutes.
 * Throws `TableFault`.
 */
export async function* workbookRowsInThread(
  bytes: Buffer,
  limits: TableLimits,
): AsyncGenerator<readonly TableRow[]> {
  for await (const message of run({ kind: 'read', bytes, limits }))
    if (message.kind === 'rows') yield message.rows;
}

/** A sheet of a workbook. Its rows are packed: `unpackRow` gives their cells. */
export interface WorkbookGrid {
  readonly sheet: string;
  readonly rows: PackedRows;
  /** Rows that the sheet does not show, from 0. */
  readonly hidden: readonly number[];
  /** The other sheets that are shown, with their first rows. */
  readonly others: readonly OtherSheet[];
}

/**
 * Reads the sheet `wanted`, or the one with the best table, of a workbook in a thread of its own. Bytes that are given away
 * can be read by nobody else afterwards, and are in memory once. Throws `TableFault`.
 */
export async function workbookGridInThread(
  bytes: Buffer,
  limits: TableLimits,
  { wanted, givesAway = false }: { readonly wanted?: string | undefined; readonly givesAway?: boolean } = {},
): Promise<WorkbookGrid> {
  const rows = new PackedRows();
  let read: Pick<WorkbookGrid, 'sheet' | 'hidden' | 'others'> = { sheet: '', hidden: [], others: [] };
  const job: TableJob = { kind: 'grid', bytes, limits, ...(wanted !== undefined && { wanted }) };
  for await (const message of run(job, givesAway ? [bytes.buffer as ArrayBuffer] : [])) {
    if (message.kind !== 'packed') continue;
    const { sheet, hidden = [], others = [], merges = [] } = message;
    read = { sheet, hidden, others };
    rows.add(message.block, message.rows);
    fillMerged(rows, merges);
  }
  return { ...read, rows };
}

/** Each thread that writes takes about 25 MB, and a processor: the others wait. */
const writing = atMost(2);

/** Writes a document as a file, in a thread of its own. At most two are written at once in a process. */
export function writeTable(document: TableDocument, format: 'csv' | 'xlsx' | 'pdf'): Promise<Buffer> {
  return bytesOf({ kind: 'write', document, format });
}

/** Writes a document for people as a PDF, like `writeTable`. */
export function writePage(document: PageDocument): Promise<Buffer> {
  return bytesOf({ kind: 'page', document });
}

function bytesOf(job: TableJob): Promise<Buffer> {
  return writing(async () => {
    for await (const message of run(job)) if (message.kind === 'bytes') return Buffer.from(message.bytes);
    throw new Error('The thread ended without a file.');
  });
}

/** Runs that many works at once, and the others after them, in their order. */
export function atMost(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

async function* run(job: TableJob, given: readonly ArrayBuffer[] = []): AsyncGenerator<TableMessage> {
  const worker = new Worker(new URL('table-worker.js', import.meta.url), {
    workerData: job,
    transferList: [...given],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
  });
  const deadline = AbortSignal.timeout(withinMs);
  // The end of the thread must also end the wait for its next message.
  const ended = new AbortController();
  worker.once('exit', () => ended.abort());
  // `once` reports the error. Without this listener, an error between two waits would end the process.
  worker.on('error', () => undefined);
  const signal = AbortSignal.any([deadline, ended.signal]);
  try {
    for (;;) {
      const [received] = (await once(worker, 'message', { signal })) as [TableMessage];
      if (received.kind === 'end') return;
      if (received.kind === 'fault') throw new TableFault(received.message, received.row);
      yield received;
      worker.postMessage('next');
    }
  } catch (error) {
    if (error instanceof TableFault || job.kind === 'write') throw error;
    throw new TableFault('The workbook needs more time or memory than a file may have. Save it as CSV.');
  } finally {
    await worker.terminate();
  }
}
