import { createHash } from 'node:crypto';
import {
  fieldReader,
  invoiceFields,
  readInvoice,
  type InvoiceDefaults,
  type InvoiceField,
  type InvoiceHead,
  type InvoiceLine,
  type InvoiceMapping,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { TableFault } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import { invoicePlace, type InvoiceRepository, type StoredFile, type StoredInvoice } from '@switchyard/store';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { defined, err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, nameOrId, period } from '../platform/routes/fields.js';
import { sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
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

interface InvoicesDeps extends FileDeps {
  readonly invoices: InvoiceRepository;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly clock: Clock;
}

const invoice = z.strictObject({
  invoice_id: z.string(),
  seller: z.string(),
  number: z.string(),
  period,
  issued_on: z.string(),
  currency: z.string(),
  total: z.string(),
  file: z.string(),
  original_sha256: z.string(),
  imported_at: instant,
  due_on: z.string(),
  paid: z.string().describe('What is paid of the total.'),
  settled_on: z.string().exactOptional().describe('Day of the payment that settled it.'),
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
});

const field = z.enum(invoiceFields);

const imported = z.strictObject({
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
  dry_run: z.boolean().exactOptional().describe('Reads and answers, and books nothing.'),
});

const result = z.strictObject({
  invoice_id: z.string().nullable().describe('Null where nothing was booked.'),
  seller: z.string().exactOptional(),
  number: z.string().exactOptional().describe('Of the invoice, where the file could be read.'),
  lines: z.int(),
  total: z.string(),
  currency: z.string(),
  refused: z.array(z.strictObject({ row: z.int(), reason: z.string() })),
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
    summary: 'Read an invoice from a file, and book it unless dry_run is set',
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
    },
    handle: (deps, { caller, body }) => whileReading(deps, caller, () => importInvoice(deps, caller, body)),
  }),
  route({
    method: 'get',
    path: '/v1/invoices',
    id: 'list_invoices',
    summary: 'Invoices, by the time of their import',
    needs: 'ledger.read',
    query: z.strictObject({
      ...sortQuery,
      ...pageQuery,
      seller: nameOrId.exactOptional(),
      period: period.exactOptional(),
    }),
    answer: z.strictObject({ invoices: z.array(invoice), next_cursor: nextCursor }),
    handle: async ({ invoices }, { caller, query }) => {
      if (!seesAll(caller)) return ok({ invoices: [] });
      const { seller, period: month } = query;
      const filter = defined({ seller, period: month, sort: query.sort });
      const page = await listPage(
        { id: 'list_invoices', caller, query },
        (part) => invoices.list(caller, { ...filter, ...part }),
        invoicePlace,
      );
      return page.ok ? ok({ invoices: page.value.rows.map(invoiceView), ...page.value.next }) : page;
    },
  }),
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

async function importInvoice(
  deps: InvoicesDeps,
  caller: PrincipalCaller,
  body: z.output<typeof imported>,
): Promise<Result<z.output<typeof result>, AdminFailure>> {
  const { seller, mapping, defaults = {}, dry_run: isDryRun } = body;
  const { invoices, connections, clock } = deps;
  if (reachOf(caller, 'ledger', 'write').kind !== 'everything') return err(tooNarrow);
  const connection = (await connections.list(caller)).find(
    ({ slug, id }) => slug === seller || id === seller,
  );
  if (connection === undefined)
    return err({ code: 'NOT_FOUND', message: 'There is no seller with this name.', field: 'seller' });
  const file = await openFile(deps, caller, body);
  if (!file.ok) return file;
  const columns: InvoiceMapping = mapping ?? (await invoices.mapping(caller, connection.id));
  const reader = readInvoice(columns, defaults);
  const { missingColumn } = fieldReader<InvoiceField>(columns, defaults);
  let lines = 0;
  const read = await throughRows(
    file.value,
    { mapping: columns, fields: invoiceFields, missingColumn },
    (rows) => {
      lines += rows.length;
      for (const row of rows) reader.take(row);
    },
  );
  if (!read.ok)
    return mapping === undefined && read.error.message.startsWith('The mapping names')
      ? err({
          ...read.error,
          suggestion:
            'It is that of the last import from this seller. Give one for this file: --mapping FILE.',
        })
      : read;
  const { cut, preview: shown } = read.value;
  const complete = reader.end();
  // A file that is cut in its first row has rows, of which none was read.
  const ofRows = complete.ok || (lines === 0 && cut !== undefined) ? [] : complete.error;
  const refused = [...ofRows, ...(cut === undefined ? [] : [cut])];
  const more = isDryRun === true ? { preview: shown } : {};
  if (!complete.ok || cut !== undefined)
    return ok({ invoice_id: null, lines, total: '0', currency: '', refused, ...more });
  const head = complete.value;
  const answer = {
    seller: connection.slug,
    number: head.number,
    lines,
    total: microsToDecimal(head.totalMicros),
    currency: head.currency,
  };
  if (isDryRun === true) return ok({ invoice_id: null, ...answer, refused: [], ...more });
  const { name, hash, stored } = file.value;
  const booked = await invoices.book(
    caller,
    {
      connectionId: connection.id,
      seller: connection.slug,
      head,
      lines: linesAgain(file.value, head, columns, defaults),
      mapping: columns,
      file: { name, hash, ...stored },
      importedBy: caller.principalId,
    },
    clock.now(),
  );
  if (booked !== undefined) return ok({ invoice_id: booked, ...answer, refused: [] });
  return err({
    code: 'CONFLICT',
    message: `The seller ${connection.slug} already has an invoice ${head.number}: an invoice is booked once.`,
    field: 'file',
    suggestion: 'Check the invoice number. A corrected invoice has a number of its own.',
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
    period: storedInvoice.period,
    issued_on: storedInvoice.issuedOn,
    currency: storedInvoice.currency,
    total: microsToDecimal(storedInvoice.totalMicros),
    file: storedInvoice.fileName,
    original_sha256: storedInvoice.originalHash,
    imported_at: isoOf(storedInvoice.importedAt),
    due_on: storedInvoice.dueOn,
    paid: microsToDecimal(storedInvoice.paidMicros),
    ...(storedInvoice.settledOn !== undefined && { settled_on: storedInvoice.settledOn }),
  };
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
    }),
    ...(stored.units !== undefined && { units: stored.units.toString() }),
  };
}
