import { createHash } from 'node:crypto';
import {
  bookedLine,
  daysOfPeriod,
  documentHead,
  fieldReader,
  invoiceFields,
  readInvoice,
  shiftDay,
  type InvoiceDefaults,
  type InvoiceField,
  type InvoiceHead,
  type InvoiceLine,
  type InvoiceMapping,
  type LineType,
  type ReadDocument,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { TableFault } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import {
  lists,
  type DocumentImport,
  type InvoiceRepository,
  type StoredFile,
  type StoredInvoice,
} from '@switchyard/store';
import type { Connection, ConnectionDirectory } from '@switchyard/sellers';
import {
  defined,
  err,
  inTurns,
  isoOf,
  isUuid,
  nextTurn,
  ok,
  type Clock,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, nameOrId, period } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import {
  fileMembers,
  openFile,
  preview,
  throughRows,
  whileReading,
  wholeFile,
  type FileDeps,
  type OpenFile,
} from '../platform/routes/read-file.js';
import {
  readingAnswer,
  readingMembers,
  readingQuestions,
  readingView,
  readSellerFile,
  type SettledFile,
} from './read-invoices.js';

interface InvoicesDeps extends FileDeps, ListDeps {
  readonly invoices: InvoiceRepository;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly clock: Clock;
}

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

const field = z.enum(invoiceFields);

const wantedFile = z.strictObject({
  seller: nameOrId,
  ...fileMembers,
  mapping: z
    .partialRecord(field, z.string().min(1).max(200))
    .exactOptional()
    .describe('Which column holds which field; the last one of the seller where it is left out.'),
  defaults: z
    .partialRecord(field, z.string().max(200))
    .exactOptional()
    .describe('What holds for every row where the file has no such column.'),
  ...readingMembers,
});

const imported = z.strictObject({
  ...wantedFile.shape,
  dry_run: z.boolean().exactOptional().describe('Reads and answers, and books nothing.'),
});

const bookedDocument = z.strictObject({
  invoice_id: z.string(),
  number: z.string(),
  kind: z.enum(['invoice', 'credit_note']),
  service_from: z.string(),
  service_to: z.string(),
  net: z.string(),
  tax: z.string(),
  gross: z.string(),
});

const result = z.strictObject({
  invoice_id: z.string().nullable().describe('Null where nothing was booked.'),
  seller: z.string().exactOptional(),
  number: z.string().exactOptional().describe('Of the invoice, where the file could be read.'),
  lines: z.int(),
  total: z.string(),
  currency: z.string(),
  refused: z.array(z.strictObject({ row: z.int(), reason: z.string() })),
  invoices: z.array(bookedDocument).describe('All documents of the file, or none.'),
  questions: readingQuestions
    .exactOptional()
    .describe('Nothing is booked while the file leaves something open.'),
  preview: preview
    .exactOptional()
    .describe('In a dry run: which column is read as what, and the first rows.'),
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

const route = routesOn<InvoicesDeps>();

/** Invoices of sellers, uploaded as files. */
export const invoiceRoutes = [
  route({
    method: 'post',
    path: '/v1/invoices/import',
    id: 'import_invoice',
    summary: 'Read invoices and credit notes from a file, and book all of them or none',
    needs: 'ledger.write',
    body: imported,
    answer: result,
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
    handle: (deps, { caller, body }) => whileReading(deps, caller, () => importInvoice(deps, caller, body)),
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

const tooNarrow: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'An invoice covers all clients of a seller: this needs ledger.write in the scope organization.',
};

/** An invoice bills all clients of a seller together, so it needs reach on the whole organization. */
const seesAll = (caller: PrincipalCaller): boolean => reachOf(caller, 'ledger', 'read').kind === 'everything';

/** The connection and the file that a request names. */
async function namedFile(
  deps: InvoicesDeps,
  caller: PrincipalCaller,
  body: z.output<typeof wantedFile>,
): Promise<Result<{ readonly connection: Connection; readonly file: OpenFile }, AdminFailure>> {
  if (reachOf(caller, 'ledger', 'write').kind !== 'everything') return err(tooNarrow);
  const connection = (await deps.connections.list(caller)).find(
    ({ slug, id }) => slug === body.seller || id === body.seller,
  );
  if (connection === undefined)
    return err({ code: 'NOT_FOUND', message: 'There is no seller with this name.', field: 'seller' });
  const file = await openFile(deps, caller, body);
  return file.ok ? ok({ connection, file: file.value }) : file;
}

interface NamedFile {
  readonly connection: Connection;
  readonly file: OpenFile;
  readonly settled: SettledFile;
}

async function settledFile(
  deps: InvoicesDeps,
  caller: PrincipalCaller,
  body: z.output<typeof wantedFile>,
): Promise<Result<NamedFile, AdminFailure>> {
  const named = await namedFile(deps, caller, body);
  if (!named.ok) return named;
  const { connection, file } = named.value;
  const settled = await readSellerFile(deps, caller, { ...body, connectionId: connection.id, file });
  return settled.ok ? ok({ connection, file, settled: settled.value }) : settled;
}

/** A mapping that is given reads one invoice row by row, whatever its size. Other files are recognised. */
async function importInvoice(
  deps: InvoicesDeps,
  caller: PrincipalCaller,
  body: z.output<typeof imported>,
): Promise<Result<z.output<typeof result>, AdminFailure>> {
  if (body.mapping !== undefined) return importMapped(deps, caller, { ...body, mapping: body.mapping });
  const read = await settledFile(deps, caller, body);
  if (!read.ok) return read;
  const { connection, settled } = read.value;
  const { reading } = settled;
  const total = reading.documents.reduce((sum, { grossMicros }) => sum + grossMicros, 0n);
  const lines = reading.documents.reduce((sum, { lineTotal }) => sum + lineTotal, 0);
  const [first] = reading.documents;
  const answer = {
    seller: connection.slug,
    lines,
    total: microsToDecimal(total),
    currency: first?.currency ?? '',
    refused: [...reading.faults],
    invoices: [],
    ...(first?.number !== undefined && { number: first.number }),
    ...(body.dry_run === true && { preview: shortPreview(settled) }),
  };
  if (reading.faults.length > 0) return ok({ invoice_id: null, ...answer, total: '0', currency: '' });
  if (reading.questions.length > 0)
    return ok({ invoice_id: null, ...answer, questions: readingView(settled).questions });
  if (body.dry_run === true) return ok({ invoice_id: null, ...answer });
  return bookDocuments(deps, caller, read.value, answer);
}

async function bookDocuments(
  { invoices, clock }: InvoicesDeps,
  caller: PrincipalCaller,
  { connection, file, settled }: NamedFile,
  answer: Omit<z.output<typeof result>, 'invoice_id'>,
): Promise<Result<z.output<typeof result>, AdminFailure>> {
  const { reading } = settled;
  const documents: DocumentImport[] = [];
  for (const document of reading.documents) {
    const head = await inTurns(documentHead(reading, document));
    if (head === undefined) throw new Error('A document without questions lacks a part of its head.');
    documents.push({ head, lines: linesToBook(settled, document) });
  }
  const { name, hash, stored } = file;
  const booked = await invoices.book(
    caller,
    {
      connectionId: connection.id,
      seller: connection.slug,
      documents,
      file: { name, hash, ...stored },
      importedBy: caller.principalId,
    },
    clock.now(),
  );
  if ('known' in booked) return err(alreadyHere(connection.slug, booked.known));
  const [only, another] = booked.ids;
  return ok({
    invoice_id: another === undefined ? (only ?? null) : null,
    ...answer,
    invoices: documents.map(({ head }, at) => ({
      invoice_id: booked.ids[at] ?? '',
      number: head.number,
      kind: head.kind ?? 'invoice',
      service_from: head.serviceFrom ?? '',
      service_to: head.serviceTo ?? '',
      net: microsToDecimal(head.netMicros ?? head.totalMicros),
      tax: microsToDecimal(head.taxMicros ?? 0n),
      gross: microsToDecimal(head.totalMicros),
    })),
  });
}

const alreadyHere = (
  seller: string,
  known: { readonly number: string; readonly id: string; readonly writtenAs: string },
): AdminFailure => ({
  code: 'CONFLICT',
  message: `The seller ${seller} already has an invoice ${known.number}: an invoice is booked once. It is here as ${known.writtenAs}, ${known.id}.`,
  field: 'file',
  suggestion: 'Check the invoice number. A corrected invoice has a number of its own.',
});

/** Lines that are booked between two turns of the event loop. */
const linesAtOnce = 500;

async function* linesToBook(
  { reading, known }: SettledFile,
  document: ReadDocument,
): AsyncGenerator<readonly InvoiceLine[]> {
  let batch: InvoiceLine[] = [];
  for (const line of reading.linesOf(document)) {
    batch.push(bookedLine(line, known.buys));
    if (batch.length < linesAtOnce) continue;
    yield batch;
    batch = [];
    await nextTurn();
  }
  yield batch;
}

/** Which column is read as what, with its first values. */
function shortPreview({ reading }: SettledFile): z.output<typeof preview> {
  const { columns } = reading.recognised;
  const rows = [0, 1, 2].map((at) =>
    Object.fromEntries(
      columns.flatMap(({ column, values }) => (values[at] === undefined ? [] : [[column, values[at]]])),
    ),
  );
  return { columns: columns.map(({ column, field: of }) => ({ column, field: of })), rows };
}

async function importMapped(
  deps: InvoicesDeps,
  caller: PrincipalCaller,
  body: z.output<typeof imported> & { readonly mapping: InvoiceMapping },
): Promise<Result<z.output<typeof result>, AdminFailure>> {
  const { mapping: columns, defaults = {}, dry_run: isDryRun } = body;
  const { invoices, clock } = deps;
  const named = await namedFile(deps, caller, body);
  if (!named.ok) return named;
  const { connection, file } = named.value;
  const reader = readInvoice(columns, defaults);
  const { missingColumn } = fieldReader<InvoiceField>(columns, defaults);
  let lines = 0;
  const read = await throughRows(file, { mapping: columns, fields: invoiceFields, missingColumn }, (rows) => {
    lines += rows.length;
    for (const row of rows) reader.take(row);
  });
  if (!read.ok) return read;
  const { cut, preview: shown } = read.value;
  const complete = reader.end();
  // A file that is cut in its first row has rows, of which none was read.
  const ofRows = complete.ok || (lines === 0 && cut !== undefined) ? [] : complete.error;
  const refused = [...ofRows, ...(cut === undefined ? [] : [cut])];
  const more = isDryRun === true ? { preview: shown } : {};
  if (!complete.ok || cut !== undefined)
    return ok({ invoice_id: null, lines, total: '0', currency: '', refused, invoices: [], ...more });
  const head = complete.value;
  const answer = {
    seller: connection.slug,
    number: head.number,
    lines,
    total: microsToDecimal(head.totalMicros),
    currency: head.currency,
    refused: [],
  };
  if (isDryRun === true) return ok({ invoice_id: null, ...answer, invoices: [], ...more });
  const { name, hash, stored } = file;
  const booked = await invoices.book(
    caller,
    {
      connectionId: connection.id,
      seller: connection.slug,
      documents: [{ head, lines: linesAgain(file, head, columns, defaults) }],
      mapping: columns,
      file: { name, hash, ...stored },
      importedBy: caller.principalId,
    },
    clock.now(),
  );
  if ('known' in booked) return err(alreadyHere(connection.slug, booked.known));
  const [id = ''] = booked.ids;
  const { from, to } = daysOfPeriod(head.period);
  const days = { service_from: head.serviceFrom ?? from, service_to: head.serviceTo ?? shiftDay(to, -1) };
  const sums = { net: answer.total, tax: '0', gross: answer.total };
  return ok({
    invoice_id: id,
    ...answer,
    invoices: [{ invoice_id: id, number: head.number, kind: 'invoice', ...days, ...sums }],
  });
}

/** Reads the lines again for the transaction that books them. The file was checked before; it is never whole in memory. */
async function* linesAgain(
  file: OpenFile,
  head: InvoiceHead,
  mapping: InvoiceMapping,
  defaults: InvoiceDefaults,
): AsyncGenerator<readonly InvoiceLine[]> {
  const reader = readInvoice(mapping, defaults);
  for await (const rows of file.rows()) yield rows.flatMap((row) => reader.take(row) ?? []);
  const now = reader.end();
  if (!now.ok || now.value.totalMicros !== head.totalMicros || now.value.lineTotal !== head.lineTotal)
    throw new TableFault('The file changed while it was read.');
}

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
