import {
  batchParts,
  billFiles,
  bookSystems,
  exportFormats,
  isAccountName,
  journalDocuments,
  journalFile,
  journalRows,
  layoutFiles,
  type BatchPart,
  type BookLayout,
  type BookSystem,
  type ExportFormat,
} from '@switchyard/ledger';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { lists, type BookRepository, type JournalBatch, type WriteBatch } from '@switchyard/store';
import { csvRow, err, isoOf, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import { z } from 'zod';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { period, plainText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { refuseArchivedPeriod, type ArchiveDeps } from '../ledger/index.js';

interface BooksDeps extends ArchiveDeps, ListDeps {
  readonly jobStarter: JobStarter;
  readonly books: BookRepository;
  /** Layouts of other systems, which connectors have brought. */
  readonly bookLayouts: readonly BookLayout[];
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly clock: Clock;
}

const { view: code, routes: codes } = resource(lists.bookCodeList, {
  noun: 'book_code',
  plural: 'accounts',
  path: '/v1/journal/accounts',
  id: 'list_book_codes',
  area: 'ledger',
  summary: 'Account codes of the accounting software, for accounts of the ledger and for sellers',
  example: { account: 'media_spend', code: '6100', name: 'Media' },
  command: {
    group: 'journal accounts',
    title: 'account codes of the accounting software',
    summary: 'list the codes of accounts and vendors',
    columns: { Account: 'account', Code: 'code', Name: 'name' },
    none: 'No codes are set.',
  },
});

const { view: batch, routes: batches } = resource(lists.journalBatchList, {
  noun: 'journal_batch',
  plural: 'batches',
  path: '/v1/journal/batches',
  id: 'list_journal_batches',
  area: 'ledger',
  summary: 'Batches that were exported',
  example: {
    batch_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    number: 7,
    period: '2026-11',
    format: 'netsuite',
    entries: 1200,
    lines: 96,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    exported_at: '2026-12-02T09:00:00.000Z',
  },
  query: { period },
  command: {
    group: 'journal',
    word: 'batches',
    title: 'export of ledger entries for accounting software',
    summary: 'list exported batches, newest first',
    columns: {
      Number: 'number',
      Period: 'period',
      Format: 'format',
      Entries: 'entries',
      Lines: 'lines',
      Exported: 'exported_at',
      Batch: 'batch_id',
    },
    none: 'Nothing was exported yet.',
  },
});

const withFile = z.strictObject({ ...batch.shape, file: z.string() });

const exported = z.strictObject({
  batch: withFile.nullable().describe('Null where everything was exported already.'),
  already: z.array(batch).describe('Batches of this period before this one, the newest first; 100 at most.'),
});

const bookSystem = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,39}$/, 'must be the name of an accounting system')
  .describe(`One of ${bookSystems.join(', ')}, or of a connector that the installation has loaded.`);

const text = z.string().trim().min(1).max(100);

const route = routesOn<BooksDeps>();

/** The export to accounting: the mapping of accounts, and batches of entries that are exported once. */
export const bookRoutes = [
  ...codes,
  ...batches,
  ...withJobs([
    route({
      method: 'post',
      path: '/v1/journal/accounts',
      id: 'set_book_code',
      summary: 'Set the code that an account or a seller has in the books',
      needs: 'ledger.write',
      byPerson: true,
      body: z.strictObject({
        account: text,
        system: bookSystem.exactOptional().describe('Of this system alone; of all unless set.'),
        code: text,
        name: plainText(200).trim().exactOptional(),
      }),
      answer: code,
      handle: (deps, { caller, body }) => setCode(deps, caller, body),
    }),
    route({
      method: 'post',
      path: '/v1/journal/exports',
      id: 'export_journal',
      summary: 'Export the entries of a period that are in no batch yet, as a file for accounting software',
      needs: 'ledger.write',
      body: z.strictObject({ period, format: z.enum(exportFormats) }),
      answer: exported,
      asJob: { title: 'Export of the journal' },
      handle: (deps, { caller, body, begunAt }) => exportJournal(deps, caller, body, begunAt),
    }),
    route({
      method: 'get',
      path: '/v1/journal/batches/{id}',
      id: 'show_journal_batch',
      summary: 'One batch, by its id or number, with the bytes that were exported',
      needs: 'ledger.read',
      isOfOrganization: true,
      answer: withFile,
      handle: async ({ books }, { caller, params: { id } }) => {
        const found = await books.batch(caller, id);
        if (found === undefined)
          return err({ code: 'NOT_FOUND', message: 'No batch has this id or number.', field: 'id' });
        return ok({ ...batchView(found.batch), file: found.file.toString('utf8') });
      },
    }),
    route({
      method: 'get',
      path: '/v1/journal/batches/{id}/files',
      id: 'render_journal_batch',
      summary:
        'The files of a batch for accounting software: its journal, or the bills or credits of sellers in it',
      needs: 'ledger.read',
      query: z.strictObject({
        format: bookSystem,
        part: z
          .enum(batchParts)
          .exactOptional()
          .describe('journal unless set: what has no document. No amount stands in two parts.'),
      }),
      answer: z.strictObject({
        number: z.int(),
        format: bookSystem,
        part: z.enum(batchParts),
        files: z.array(z.strictObject({ name: z.string(), lines: z.int(), content: z.string() })),
      }),
      example: {
        number: 3,
        format: 'xero',
        part: 'journal',
        files: [{ name: 'journal.csv', lines: 120, content: '*Narration,*Date,Description' }],
      },
      handle: (deps, { caller, params: { id }, query: { format, part = 'journal' } }) =>
        renderBatch(deps, caller, { id, format, part }),
    }),
  ]),
];

/** Codes that are neither of an account nor of a seller: `no_tax` of lines whose tax is a line of its own. */
const otherCodes: ReadonlySet<string> = new Set([
  'subsidiary',
  'company_code',
  'cost_centre',
  'no_tax',
  'tracking',
]);

/** The software's layout that we have, that of a connector, or undefined. */
function layoutOf({ bookLayouts }: BooksDeps, system: string): BookSystem | BookLayout | undefined {
  return bookSystems.find((one) => one === system) ?? bookLayouts.find((layout) => layout.system === system);
}

const unknownSystem = ({ bookLayouts }: BooksDeps, field: string): AdminFailure => ({
  code: 'INVALID_REQUEST',
  message: `This accounting system is not known. Known are ${[...bookSystems, ...bookLayouts.map(({ system }) => system)].join(', ')}.`,
  field,
});

async function setCode(
  deps: BooksDeps,
  caller: PrincipalCaller,
  {
    account,
    system,
    code: wanted,
    name = '',
  }: {
    readonly account: string;
    readonly system?: string;
    readonly code: string;
    readonly name?: string;
  },
): Promise<Result<z.output<typeof code>, AdminFailure>> {
  const { books, connections, clock } = deps;
  const narrow = organizationWide(caller, 'ledger', 'write');
  if (narrow !== undefined) return err(narrow);
  if (system !== undefined && layoutOf(deps, system) === undefined) return err(unknownSystem(deps, 'system'));
  const seller = account.startsWith('vendor:') ? account.slice('vendor:'.length) : undefined;
  const isKnown =
    seller === undefined
      ? isAccountName(account) || otherCodes.has(account)
      : (await connections.list(caller)).some(({ slug }) => slug === seller);
  if (!isKnown)
    return err({
      code: 'NOT_FOUND',
      message:
        'This is no account of the ledger, no seller as vendor:SLUG, and none of subsidiary, company_code, cost_centre, no_tax and tracking.',
      field: 'account',
      suggestion: 'docs/ledger.md lists the accounts.',
    });
  const key = system === undefined ? account : `${system}/${account}`;
  await books.setCode(caller, { key, code: wanted, name }, caller.principalId, clock.now());
  return ok({ account: key, code: wanted, name });
}

async function exportJournal(
  deps: BooksDeps,
  caller: PrincipalCaller,
  { period: month, format }: { readonly period: string; readonly format: ExportFormat },
  begunAt?: Instant,
): Promise<Result<z.output<typeof exported>, AdminFailure>> {
  const narrow = organizationWide(caller, 'ledger', 'write');
  if (narrow !== undefined) return err(narrow);
  const archived = await refuseArchivedPeriod(deps, caller, month);
  if (archived !== undefined) return err(archived);
  const { books, clock } = deps;
  const exportedSoFar = async () => (await books.batches(caller, month)).map(batchView);
  const before = await exportedSoFar();
  const [newest, ...earlier] = before;
  // The process of the job that asked may have ended between the commit and its answer.
  if (newest?.format === format && begunAt !== undefined && Date.parse(newest.exported_at) >= begunAt) {
    const own = await books.batch(caller, newest.batch_id);
    if (own !== undefined)
      return ok({ batch: { ...newest, file: own.file.toString('utf8') }, already: earlier });
  }
  const wanted = { period: month, format, by: caller.principalId };
  const done = await books.export(caller, wanted, writeBatch(format), clock.now());
  // Another request may have exported it at this moment: the answer then names the earlier batches.
  if (done.kind === 'nothing_new') return ok({ batch: null, already: await exportedSoFar() });
  if (done.kind === 'refused') return err(done.failure);
  if (done.kind === 'too_many')
    return err({
      code: 'INVALID_REQUEST',
      message: `This period has more than ${done.atMost} sums of day, seller, client and account to export.`,
      suggestion: 'Export while the month runs: each export takes what is new.',
    });
  const file = done.file.toString('utf8');
  return ok({ batch: { ...batchView(done.batch), file }, already: before });
}

async function renderBatch(
  deps: BooksDeps,
  caller: PrincipalCaller,
  { id, format, part }: { readonly id: string; readonly format: string; readonly part: BatchPart },
) {
  const { books } = deps;
  const narrow = organizationWide(caller, 'ledger', 'read');
  if (narrow !== undefined) return err(narrow);
  const layout = layoutOf(deps, format);
  if (layout === undefined) return err(unknownSystem(deps, 'format'));
  if (typeof layout !== 'string' && part !== 'journal')
    return err({
      code: 'INVALID_REQUEST' as const,
      message: `The layout ${format} writes journals. Enter the documents of sellers by hand, or export them as CSV.`,
      field: 'part',
    });
  const batch = await books.contents(caller, id);
  if (batch === undefined)
    return err({ code: 'NOT_FOUND' as const, message: 'No batch has this id or number.', field: 'id' });
  const { number, sums, documents, codes, baseCurrency } = batch;
  const total = ({ lines }: (typeof documents)[number]): bigint =>
    lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
  const own = documents.filter((one) => total(one) < 0n === (part === 'credits'));
  const journal = part === 'journal' ? journalDocuments(sums, number) : [];
  const written =
    typeof layout !== 'string'
      ? layoutFiles(layout, journal, codes)
      : part === 'journal'
        ? journalFile(layout, journal, { codes, baseCurrency })
        : billFiles(layout, own, part, codes);
  if (!written.ok) return err(fileFailure(format, written.error));
  const files: { name: string; lines: number; content: string }[] = [];
  for (const { name, rows } of written.value)
    files.push({ name, lines: rows.length - 1, content: (await csvOf(rows)).join('') });
  return ok({ number, format, part, files });
}

function fileFailure(
  format: string,
  { missing, reason }: { readonly missing: readonly string[]; readonly reason?: string },
): AdminFailure {
  if (reason !== undefined) return { code: 'CONFLICT', message: reason, field: 'format' };
  const more = missing.length > 50 ? ` and ${missing.length - 50} more` : '';
  const [first = ''] = missing;
  return {
    code: 'CONFLICT',
    message: `These have no code in ${format} yet: ${missing.slice(0, 50).join(', ')}${more}.`,
    field: 'format',
    suggestion: first.startsWith('client ')
      ? 'Give each client a code: switchyard clients set ID --code SYSTEM=CODE.'
      : `Set each once: switchyard journal accounts set ${first} CODE.`,
  };
}

/** Lines of CSV. Lets other requests run: a month has tens of thousands. */
async function csvOf(rows: readonly (readonly string[])[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [at, row] of rows.entries()) {
    lines.push(`${csvRow(row)}\r\n`);
    if (at % 1_000 === 999) await new Promise(setImmediate);
  }
  return lines;
}

/** Writes the file of a batch. Text that a spreadsheet would run as a formula is escaped. */
const writeBatch =
  (format: ExportFormat): WriteBatch<AdminFailure> =>
  async (number, sums, codes) => {
    const documents = journalDocuments(sums, number);
    const used = new Set(documents.flatMap(({ lines }) => lines.map(({ account }) => account)));
    const missing = [...used].filter((account) => !codes.has(account)).sort();
    if (missing.length > 0)
      return err({
        code: 'CONFLICT',
        message: `These accounts have no code yet: ${missing.join(', ')}.`,
        suggestion: `Set each once: switchyard journal accounts set ${missing[0] ?? ''} CODE.`,
      });
    const rows = journalRows(format, documents, codes);
    return ok({ file: Buffer.from((await csvOf(rows)).join('')), lineTotal: rows.length - 1 });
  };

function batchView(journalBatch: JournalBatch): z.output<typeof batch> {
  return {
    batch_id: journalBatch.id,
    number: journalBatch.number,
    period: journalBatch.period,
    format: journalBatch.format,
    entries: journalBatch.entryTotal,
    lines: journalBatch.lineTotal,
    sha256: journalBatch.fileHash,
    exported_at: isoOf(journalBatch.exportedAt),
  };
}
