import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { TableFault } from './table-row.js';
import type { TableJob, TableMessage } from './table-thread.js';
import { workbookRows } from './workbook-rows.js';
import { csvBytes, workbookBytes } from './table-document.js';

const job = workerData as TableJob;
const send = (message: TableMessage): void => parentPort?.postMessage(message);

try {
  if (job.kind === 'read') await read(job.bytes);
  else send({ kind: 'bytes', bytes: await written(job) });
} catch (error) {
  if (!(error instanceof TableFault)) throw error;
  const { message, row } = error;
  send({ kind: 'fault', message, ...(row !== undefined && { row }) });
}
send({ kind: 'end' });

async function read(bytes: Uint8Array): Promise<void> {
  if (job.kind !== 'read' || parentPort === null) return;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for await (const rows of workbookRows(buffer, job.limits)) {
    const next = once(parentPort, 'message');
    send({ kind: 'rows', rows });
    await next;
  }
}

async function written({ document, format }: TableJob & { readonly kind: 'write' }): Promise<Uint8Array> {
  if (format === 'csv') return csvBytes(document);
  if (format === 'xlsx') return workbookBytes(document);
  const { pdfBytes } = await import('./pdf-bytes.js');
  return pdfBytes(document);
}
