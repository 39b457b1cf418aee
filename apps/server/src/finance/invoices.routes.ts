import { createHash } from 'node:crypto';
import type { LineType } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { reachOf } from '@switchyard/tenancy';
import { lists, type StoredFile, type StoredInvoice } from '@switchyard/store';
import { defined, err, isoOf, isUuid, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, nameOrId, period } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { whileReading, wholeFile } from '../platform/routes/read-file.js';
import {
  imported,
  importInvoice,
  importJob,
  importResult,
  settledFile,
  tooNarrow,
  wantedFile,
  type ImportDeps,
} from './import-invoices.js';
import { readingAnswer, readingView } from './read-invoices.js';

const { view: invoice, routes: listed } = resource(lists.invoiceList, {
  noun: 'invoice',
  plural: 'invoices',
  area: 'ledger',
  summary: 'Invoices, by the time of their import',
  example: {
    invoice_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    seller: 'acme',
    number: 'NW-2611',
    kind: 'invoice',
    state: 'approved',
    period: '2026-11',
    issued_on: '2026-11-30',
    currency: 'EUR',
    total: '1190',
    net: '1000',
    tax: '190',
    file: 'november.csv',
    original_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    imported_at: '2026-12-01T09:00:00.000Z',
    due_on: '2026-12-30',
    paid: '0',
  },
  query: { seller: nameOrId, period },
  command: {
    title: 'invoices of sellers',
    summary: 'list invoices, last imported first',
    columns: {
      Invoice: 'invoice_id',
      Seller: 'seller',
      Number: 'number',
      Period: 'period',
      Total: 'total',
      Currency: 'currency',
      Due: 'due_on',
      Settled: 'settled_on',
      Imported: 'imported_at',
    },
    none: 'There are no invoices.',
    isAnswer: true,
  },
});

const line = z.strictObject({
  line: z.int(),
  amount: z.string(),
  seller_media_buy_id: z.string().exactOptional(),
  media_buy_id: z
    .string()
    .exactOptional()
    .describe('Our buy that the line bills, where the seller named it.'),
  package_id: z.string().exactOptional(),
  po_number: z.string().exactOptional(),
  description: z.string().exactOptional(),
  units: z.string().exactOptional(),
  type: z.enum(['media', 'fee', 'tax', 'commission', 'credit', 'open']).exactOptional(),
});

/** The most bytes of a file beside an invoice, for example a PDF. */
const attachmentBytes = 25_000_000;

const attachment = z.strictObject({
  file_id: z.string(),
  name: z.string(),
  sha256: z.string(),
  bytes: z.int(),
  attached_at: instant,
});

const detail = z.strictObject({
  ...invoice.shape,
  lines: z.array(line).describe('The first thousand.'),
  line_total: z.int(),
  attachments: z.array(attachment),
});

interface InvoicesDeps extends ImportDeps, ListDeps {
  readonly jobStarter: JobStarter;
}

const route = routesOn<InvoicesDeps>();

/** Invoices of sellers, uploaded as files. */
export const invoiceRoutes = [
  route({
    method: 'post',
    path: '/v1/invoices/import',
    id: 'import_invoice',
    summary: 'Read invoices and credit notes from a file, and book all of them or none',
    needs: 'ledger.write',
    mayStartJob: true,
    query: z.strictObject({
      respond: z.literal('async').exactOptional().describe('async: answer 202 with a job, which does it.'),
    }),
    body: imported,
    answer: importResult,
    example: {
      invoice_id: null,
      seller: 'acme',
      number: 'INV-9',
      lines: 2,
      total: '120.5',
      currency: 'USD',
      refused: [],
      invoices: [],
    },
    handle: (deps, { caller, query, body }) => {
      if (query.respond !== 'async')
        return whileReading(deps, caller, () => importInvoice(deps, caller, body));
      const { file_id: fileId, file, ...more } = body;
      // The text of a small file is no input of a job: it would be stored twice.
      if (fileId === undefined || file !== undefined) return Promise.resolve(err(needsUpload));
      return deps.jobStarter.start(importJob, caller, { input: { ...more, file_id: fileId } });
    },
  }),
  route({
    method: 'post',
    path: '/v1/invoices/preview',
    id: 'preview_invoices',
    summary: 'Read the documents of a file and say how it was read and what it leaves open; books nothing',
    needs: 'ledger.write',
    body: wantedFile,
    answer: readingAnswer,
    example: {
      recognised: { format: 'text', columns: [] },
      documents: [],
      questions: [],
      checks: [],
      refused: [],
    },
    handle: (deps, { caller, body }) =>
      whileReading(deps, caller, async () => {
        const read = await settledFile(deps, caller, body);
        return read.ok ? ok(readingView(read.value.settled)) : read;
      }),
  }),
  ...listed,
  route({
    method: 'get',
    path: '/v1/invoices/{id}',
    id: 'show_invoice',
    summary: 'One invoice with its lines',
    needs: 'ledger.read',
    answer: detail,
    handle: (deps, { caller, params: { id } }) => showInvoice(deps, caller, id),
  }),
  route({
    method: 'post',
    path: '/v1/invoices/{id}/attachments',
    id: 'attach_to_invoice',
    summary: 'Attach a PDF of the seller to an invoice: its bytes and their hash are stored',
    needs: 'ledger.write',
    body: z.strictObject({ file_id: z.uuid() }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { file_id: fileId } }) => {
      if (reachOf(caller, 'ledger', 'write').kind !== 'everything') return err(tooNarrow);
      const shown = await showInvoice(deps, caller, id);
      if (!shown.ok) return shown;
      const file = await wholeFile(deps.files, caller, fileId);
      if (!file.ok) return file;
      const fault = await attachmentFault(deps, caller, file.value);
      if (fault !== undefined) return err({ code: 'INVALID_REQUEST', message: fault, field: 'file_id' });
      await deps.invoices.attach(caller, id, { fileId, by: caller.principalId, at: deps.clock.now() });
      return showInvoice(deps, caller, id);
    },
  }),
];

const needsUpload: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'A job reads a file that was uploaded.',
  field: 'file_id',
  suggestion: 'Upload it with POST /v1/files, or import it without respond=async.',
};

async function showInvoice(
  { invoices }: InvoicesDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  const found = seesAll(caller) && isUuid(id) ? await invoices.find(caller, id) : undefined;
  if (found === undefined) return err({ code: 'NOT_FOUND', message: 'No invoice has this id.', field: 'id' });
  return ok({
    ...invoiceView(found),
    lines: found.lines.map(lineView),
    line_total: found.lineTotal,
    attachments: found.attachments.map(({ fileId, attachedAt, ...file }) => ({
      file_id: fileId,
      ...file,
      attached_at: isoOf(attachedAt),
    })),
  });
}

/** The bytes are stored unchanged. Their first bytes must match the declared type, and their hash the declared hash. */
async function attachmentFault(
  { files }: InvoicesDeps,
  caller: PrincipalCaller,
  { id, bytes, sha256 }: StoredFile,
): Promise<string | undefined> {
  if (bytes > attachmentBytes) return `An attachment may have ${attachmentBytes} bytes at most.`;
  const hash = createHash('sha256');
  let start = '';
  for await (const part of files.read(caller, id)) {
    if (start === '') start = part.subarray(0, 5).toString('latin1');
    hash.update(part);
  }
  if (start !== '%PDF-') return 'The file is not a PDF.';
  return hash.digest('hex') === sha256
    ? undefined
    : 'The bytes of the file are not the announced ones: their SHA-256 differs.';
}

/** An invoice bills all clients of a seller together, so it needs reach on the whole organization. */
const seesAll = (caller: PrincipalCaller): boolean => reachOf(caller, 'ledger', 'read').kind === 'everything';

function invoiceView(storedInvoice: StoredInvoice): z.output<typeof invoice> {
  return {
    invoice_id: storedInvoice.id,
    seller: storedInvoice.seller,
    number: storedInvoice.number,
    kind: storedInvoice.kind,
    state: stateOf(storedInvoice),
    period: storedInvoice.period,
    issued_on: storedInvoice.issuedOn,
    currency: storedInvoice.currency,
    total: microsToDecimal(storedInvoice.totalMicros),
    file: storedInvoice.fileName,
    original_sha256: storedInvoice.originalHash,
    imported_at: isoOf(storedInvoice.importedAt),
    due_on: storedInvoice.dueOn,
    paid: microsToDecimal(storedInvoice.paidMicros),
    ...(storedInvoice.netMicros !== undefined && { net: microsToDecimal(storedInvoice.netMicros) }),
    ...(storedInvoice.taxMicros !== undefined && { tax: microsToDecimal(storedInvoice.taxMicros) }),
    ...defined({
      settled_on: storedInvoice.settledOn,
      service_from: storedInvoice.serviceFrom,
      service_to: storedInvoice.serviceTo,
      refers_to: storedInvoice.refersTo,
      hold_reason: storedInvoice.holdReason,
      void_reason: storedInvoice.voidReason,
    }),
  };
}

function stateOf(stored: StoredInvoice): z.output<typeof invoice>['state'] {
  if (stored.voidedAt !== undefined) return 'voided';
  if (stored.heldAt !== undefined) return 'held';
  if (stored.settledOn !== undefined) return 'paid';
  if (stored.paidMicros !== 0n) return 'part_paid';
  return stored.approvedAt === undefined ? 'imported' : 'approved';
}

function lineView(stored: {
  readonly line: number;
  readonly amountMicros: bigint;
  readonly sellerMediaBuyId?: string;
  readonly mediaBuyId?: string;
  readonly packageRef?: string;
  readonly poNumber?: string;
  readonly description?: string;
  readonly units?: bigint;
  readonly type?: LineType;
}): z.output<typeof line> {
  return {
    line: stored.line,
    amount: microsToDecimal(stored.amountMicros),
    ...defined({
      seller_media_buy_id: stored.sellerMediaBuyId,
      media_buy_id: stored.mediaBuyId,
      package_id: stored.packageRef,
      po_number: stored.poNumber,
      description: stored.description,
      type: stored.type,
    }),
    ...(stored.units !== undefined && { units: stored.units.toString() }),
  };
}
