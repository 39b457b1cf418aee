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
  type ReadDocument,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { TableFault } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import type { DocumentImport, InvoiceRepository } from '@switchyard/store';
import type { Connection, ConnectionDirectory } from '@switchyard/sellers';
import { err, inTurns, nextTurn, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { jobsOn } from '../platform/jobs/job-kind.js';
import { nameOrId } from '../platform/routes/fields.js';
import {
  fileMembers,
  openFile,
  preview,
  throughRows,
  whileReading,
  type FileDeps,
  type OpenFile,
} from '../platform/routes/read-file.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import {
  readingMembers,
  readingQuestions,
  readingView,
  readSellerFile,
  type SettledFile,
} from './read-invoices.js';

export interface ImportDeps extends FileDeps {
  readonly invoices: InvoiceRepository;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly clock: Clock;
}

const field = z.enum(invoiceFields);

/** A file of a seller, and how it is read. */
export const wantedFile = z.strictObject({
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

export const imported = z.strictObject({
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

/** What was booked of a file, or why nothing was. */
export const importResult = z.strictObject({
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

/** The refusal of who does not act for the whole organization. */
export const tooNarrow: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'An invoice covers all clients of a seller: this needs ledger.write in the scope organization.',
};

/** What a job adds to an import. */
interface ImportByJob {
  /** Called with the lines that are booked, and how many there are; it throws where the import must not go on. */
  readonly progress: (done: number, total: number) => Promise<void>;
  /** It began to book before, and its process ended: what this caller has booked of these bytes is its own. */
  readonly isAgain: boolean;
}

/** The connection and the file that a request names. */
async function namedFile(
  deps: ImportDeps,
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

/** Reads the documents of a file. Throws `TableFault` or `ReadingFault`. */
export async function settledFile(
  deps: ImportDeps,
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
export async function importInvoice(
  deps: ImportDeps,
  caller: PrincipalCaller,
  body: z.output<typeof imported>,
  byJob?: ImportByJob,
): Promise<Result<z.output<typeof importResult>, AdminFailure>> {
  const before = byJob?.isAgain === true ? await bookedBefore(deps, caller, body) : undefined;
  if (before !== undefined) return ok(before);
  if (body.mapping !== undefined)
    return importMapped(deps, caller, { ...body, mapping: body.mapping }, byJob);
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
  return bookDocuments(deps, caller, read.value, { answer, lines, byJob });
}

interface Booking {
  readonly answer: Omit<z.output<typeof importResult>, 'invoice_id'>;
  readonly lines: number;
  readonly byJob: ImportByJob | undefined;
}

/** What a job has booked of its file before its process ended; undefined if that is nothing. */
async function bookedBefore(
  deps: ImportDeps,
  caller: PrincipalCaller,
  body: z.output<typeof wantedFile>,
): Promise<z.output<typeof importResult> | undefined> {
  const named = await namedFile(deps, caller, body);
  if (!named.ok) return undefined;
  const { connection, file } = named.value;
  const own = { connectionId: connection.id, hash: file.hash, by: caller.principalId };
  const found = await deps.invoices.bookedFrom(caller, own);
  const [first, another] = found;
  if (first === undefined) return undefined;
  return {
    ...{ invoice_id: another === undefined ? first.id : null, seller: connection.slug, number: first.number },
    lines: found.reduce((sum, { lineTotal }) => sum + lineTotal, 0),
    total: microsToDecimal(found.reduce((sum, { totalMicros }) => sum + totalMicros, 0n)),
    ...{ currency: first.currency, refused: [] },
    invoices: found.map((invoice) => bookedView(invoice.id, invoice)),
  };
}

function bookedView(
  id: string,
  head: Pick<
    InvoiceHead,
    'number' | 'kind' | 'period' | 'serviceFrom' | 'serviceTo' | 'netMicros' | 'taxMicros' | 'totalMicros'
  >,
): z.output<typeof bookedDocument> {
  const { from, to } = daysOfPeriod(head.period);
  return {
    invoice_id: id,
    number: head.number,
    kind: head.kind ?? 'invoice',
    service_from: head.serviceFrom ?? from,
    service_to: head.serviceTo ?? shiftDay(to, -1),
    net: microsToDecimal(head.netMicros ?? head.totalMicros),
    tax: microsToDecimal(head.taxMicros ?? 0n),
    gross: microsToDecimal(head.totalMicros),
  };
}

async function bookDocuments(
  deps: ImportDeps,
  caller: PrincipalCaller,
  { connection, file, settled }: NamedFile,
  { answer, lines: total, byJob }: Booking,
): Promise<Result<z.output<typeof importResult>, AdminFailure>> {
  const { reading } = settled;
  const documents: DocumentImport[] = [];
  let done = 0;
  const told = async (lines: number): Promise<void> => {
    const isWord = Math.floor((done + lines) / linesPerWord) > Math.floor(done / linesPerWord);
    done += lines;
    if (isWord) await byJob?.progress(done, total);
  };
  for (const document of reading.documents) {
    const head = await inTurns(documentHead(reading, document));
    if (head === undefined) throw new Error('A document without questions lacks a part of its head.');
    documents.push({ head, lines: linesToBook(settled, document, told) });
  }
  const { name, hash, stored } = file;
  const wanted = {
    ...{ connectionId: connection.id, seller: connection.slug, documents },
    ...{ file: { name, hash, ...stored }, importedBy: caller.principalId },
  };
  await byJob?.progress(0, 0);
  const booked = await deps.invoices.book(caller, wanted, deps.clock.now());
  if ('known' in booked) return err(alreadyHere(connection.slug, booked.known));
  const [only, another] = booked.ids;
  return ok({
    invoice_id: another === undefined ? (only ?? null) : null,
    ...answer,
    invoices: documents.map(({ head }, at) => bookedView(booked.ids[at] ?? '', head)),
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
const linesAtOnce = 100;

/** Lines between two words about progress. */
const linesPerWord = 5_000;

async function* linesToBook(
  { reading, known }: SettledFile,
  document: ReadDocument,
  told: (lines: number) => Promise<void>,
): AsyncGenerator<readonly InvoiceLine[]> {
  let batch: InvoiceLine[] = [];
  for (const line of reading.linesOf(document)) {
    batch.push(bookedLine(line, known.buys));
    if (batch.length < linesAtOnce) continue;
    yield batch;
    await told(batch.length);
    batch = [];
    await nextTurn();
  }
  yield batch;
  await told(batch.length);
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
  deps: ImportDeps,
  caller: PrincipalCaller,
  body: z.output<typeof imported> & { readonly mapping: InvoiceMapping },
  byJob: ImportByJob | undefined,
): Promise<Result<z.output<typeof importResult>, AdminFailure>> {
  const { mapping: columns, defaults = {}, dry_run: isDryRun } = body;
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
  const wanted = {
    ...{ connectionId: connection.id, seller: connection.slug, mapping: columns },
    documents: [{ head, lines: linesAgain(file, head, columns, defaults) }],
    ...{ file: { name, hash, ...stored }, importedBy: caller.principalId },
  };
  await byJob?.progress(0, 0);
  const booked = await deps.invoices.book(caller, wanted, deps.clock.now());
  if ('known' in booked) return err(alreadyHere(connection.slug, booked.known));
  const [id = ''] = booked.ids;
  return ok({
    invoice_id: id,
    ...answer,
    invoices: [bookedView(id, head)],
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

/** An import that was stopped before it booked anything. */
class ImportStopped extends Error {}

/**
 * The import as a job, which says how many lines are booked. The commit of all documents is its end: a job that is
 * canceled before it books nothing, and one whose process ended after it says what it has booked.
 */
export const importJob = jobsOn<ImportDeps>()({
  name: 'import_invoices',
  title: 'Import of invoices',
  needs: 'ledger.write',
  waitsFor: 'database',
  input: imported,
  cursor: z.strictObject({ books: z.literal(true).exactOptional().describe('It may have committed.') }),
  first: {},
  unit: async (deps, job) => {
    const isAgain = job.cursor.books === true;
    await job.save({ cursor: job.cursor, done: 0, phase: 'reading' });
    const progress = async (done: number, total: number): Promise<void> => {
      const word = await job.save({
        cursor: { books: true },
        done,
        ...(total > 0 && { total }),
        phase: 'booking',
      });
      if (word !== 'go_on') throw new ImportStopped();
    };
    const read = () => importInvoice(deps, job.caller, job.input, { progress, isAgain });
    const done = await whileReading(deps, job.caller, read).catch((error: unknown) => {
      if (error instanceof ImportStopped) return undefined;
      throw error;
    });
    if (done === undefined) return ok({ progress: { cursor: { books: true as const }, done: 0 } });
    if (!done.ok) return done;
    const { invoices, ...result } = done.value;
    const isShort = invoices.length <= invoicesShown;
    return ok({ result: { ...result, documents: invoices.length, ...(isShort && { invoices }) } });
  },
});

/** The most documents that the result of a job names: `GET /v1/invoices` has all. */
const invoicesShown = 100;
