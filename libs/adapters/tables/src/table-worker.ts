import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { TableFault, type TableLimits } from './table-row.js';
import type { TableJob, TableMessage } from './table-thread.js';
import { packRows } from './packed-bytes.js';
import { workbookGrid } from './workbook-grid.js';
import { workbookRows } from './workbook-rows.js';
import type { PageDocument } from './page/page-document.js';
import { csvBytes, workbookBytes } from './table-document.js';

const job = workerData as TableJob;
const send = (message: TableMessage): void => parentPort?.postMessage(message);

try {
  if (job.kind === 'write') send({ kind: 'bytes', bytes: await written(job) });
  else if (job.kind === 'page') send({ kind: 'bytes', bytes: await drawn(job.document) });
  else if (job.kind === 'grid') await grid(job);
  else await read(job.bytes, job.limits);
} catch (error) {
  if (!(error instanceof TableFault)) throw error;
  const { message, row } = error;
  send({ kind: 'fault', message, ...(row !== undefined && { row }) });
}
send({ kind: 'end' });

async function read(bytes: Uint8Array, limits: TableLimits): Promise<void> {
  if (parentPort === null) return;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for await (const rows of workbookRows(buffer, limits)) {
    const next = once(parentPort, 'message');
    send({ kind: 'rows', rows });
    await next;
  }
}

async function grid({ bytes, limits, wanted }: TableJob & { readonly kind: 'grid' }): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for await (const { rows, ...part } of workbookGrid(buffer, limits, wanted)) {
    const next = once(port, 'message');
    send({ kind: 'packed', ...part, block: packRows(rows), rows: rows.length });
    await next;
  }
}

async function written({ document, format }: TableJob & { readonly kind: 'write' }): Promise<Uint8Array> {
  if (format === 'csv') return csvBytes(document);
  if (format === 'xlsx') return workbookBytes(document);
  const { pdfBytes } = await import('./pdf-bytes.js');
  return pdfBytes(document);
}

async function drawn(document: PageDocument): Promise<Uint8Array> {
  const { pagePdf } = await import('./page/page-pdf.js');
  return pagePdf(document);
}
