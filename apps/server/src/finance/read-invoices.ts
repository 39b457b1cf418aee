import {
  buyOfNames,
  namesOf,
  referencesOf,
  readDocuments,
  settleReading,
  type FileReading,
  type KnownThings,
  type ReadDocument,
  type ReadingField,
  type ReadLine,
} from '@switchyard/ledger';
import { microsToDecimal, parseDecimal } from '@switchyard/money';
import type { InvoiceRepository } from '@switchyard/store';
import { defined, err, inTurns, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { recordUpTo } from '../platform/routes/fields.js';
import type { OpenFile } from '../platform/routes/read-file.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

/** What a request says beside a file. */
export const readingMembers = {
  answers: recordUpTo(50, z.string().min(1).max(100), z.string().max(200))
    .exactOptional()
    .describe('Answers to questions of an earlier preview: the option by the id of its question.'),
  control_total: z
    .string()
    .max(40)
    .exactOptional()
    .describe('What all documents of the file add up to, net or gross. Nothing is booked if it differs.'),
};

const amount = z.string();
const types = z.enum(['media', 'fee', 'tax', 'commission', 'credit', 'open']);

const line = z.strictObject({
  line: z.int(),
  row: z.int().describe('Of the file, from 1, without the header; 0 for what stands in no row.'),
  type: types.describe('open: the file does not say what the line bills.'),
  by: z.enum(['column', 'words', 'name', 'none']).describe('How the type was found.'),
  amount: amount.describe('Without tax. A credit is negative.'),
  tax: amount.exactOptional(),
  gross: amount.exactOptional(),
  commission: amount.exactOptional(),
  units: z.string().exactOptional(),
  names: z.array(
    z.strictObject({
      kind: z.enum(['package', 'seller_buy', 'buyer_reference', 'order', 'po', 'campaign']),
      text: z.string(),
      media_buy_id: z.string().exactOptional().describe('Our buy that has this name.'),
    }),
  ),
  description: z.string().exactOptional(),
  service_from: z.string().exactOptional(),
  service_to: z.string().exactOptional(),
});

const documentKind = z.enum(['invoice', 'credit_note']);

const document = z.strictObject({
  number: z.string().nullable(),
  kind: documentKind,
  issued: z.string().nullable(),
  due: z.string().exactOptional(),
  service_from: z.string().nullable(),
  service_to: z.string().nullable(),
  service_by: z.string().exactOptional().describe('How the service days were found.'),
  currency: z.string().nullable(),
  refers_to: z.string().exactOptional().describe('The number of the invoice that a credit note corrects.'),
  net: amount,
  tax: amount,
  gross: amount,
  line_total: z.int(),
  lines: z.array(line).describe('The first hundred; fewer where the file has more than 200 documents.'),
});

const question = z.strictObject({
  id: z.string().describe('The same for the same file.'),
  why: z.string(),
  options: z.array(z.strictObject({ option: z.string(), example: z.string() })),
});

export const readingQuestions = z.array(question).describe('What the file leaves open.');

/** How a file was read: what a preview answers, and an import where it books nothing. */
export const readingAnswer = z.strictObject({
  recognised: z.strictObject({
    format: z.enum(['text', 'workbook', 'json', 'ubl', 'cii', 'fatturapa']),
    preset: z.string().exactOptional().describe('The known layout of the file.'),
    encoding: z
      .strictObject({ name: z.string(), by: z.string(), cells: z.array(z.string()) })
      .exactOptional()
      .describe('cells: up to five that look different in another encoding, where it was guessed.'),
    separator: z.string().exactOptional(),
    sheet: z.string().exactOptional(),
    header_row: z.int().exactOptional(),
    zone: z.string().exactOptional().describe('Time zone as the head of the file says it.'),
    numbers: z.enum(['point', 'comma']).exactOptional().describe('What stands before the decimals.'),
    factor: z.string().exactOptional(),
    columns: z.array(
      z.strictObject({
        column: z.string(),
        field: z.string().nullable(),
        by: z.string(),
        format: z.string().exactOptional(),
        values: z.array(z.string()),
      }),
    ),
  }),
  documents: z.array(document),
  questions: readingQuestions,
  checks: z.array(
    z.strictObject({ check: z.string(), ok: z.boolean(), text: z.string(), row: z.int().exactOptional() }),
  ),
  refused: z.array(z.strictObject({ row: z.int(), reason: z.string() })),
});

interface ReadDeps {
  readonly invoices: Pick<InvoiceRepository, 'mapping' | 'namedThings'>;
  readonly clock: Clock;
}

interface Wanted {
  readonly connectionId: string;
  readonly file: OpenFile;
  readonly answers?: Readonly<Record<string, string>>;
  readonly control_total?: string;
  readonly mapping?: Readonly<Partial<Record<string, string>>>;
  readonly defaults?: Readonly<Partial<Record<string, string>>>;
}

/** A file as it was read, with our buys that its names mean. */
export interface SettledFile {
  readonly reading: FileReading;
  readonly known: KnownThings;
}

/** Reads the documents of a file of a seller, and finds what they name. Throws `TableFault` or `ReadingFault`. */
export async function readSellerFile(
  { invoices, clock }: ReadDeps,
  caller: PrincipalCaller,
  wanted: Wanted,
): Promise<Result<SettledFile, AdminFailure>> {
  const { connectionId, file, defaults = {}, control_total: said } = wanted;
  const total = said === undefined ? undefined : parseDecimal(said);
  if (total?.ok === false)
    return err({
      code: 'INVALID_REQUEST',
      message: 'The total is no decimal number.',
      field: 'control_total',
    });
  const today = isoOf(clock.now()).slice(0, 10);
  const answers = new Map(Object.entries(wanted.answers ?? {}));
  const { invoice_number: number, issued_on: issued, due_on: due, currency, period } = defaults;
  const currencies = (await invoices.namedThings(caller, connectionId, { ids: [], numbers: [] })).currencies;
  const reading = await inTurns(
    readDocuments(await file.content(answers.get('sheet')), {
      fileName: file.name,
      today,
      answers,
      wants: 'documents',
      currencies,
      mapping: mappingOf(wanted.mapping ?? {}),
      lastMapping: mappingOf(await invoices.mapping(caller, connectionId)),
      said: defined({ number, issued, due, currency, service_month: period }),
      ...(total?.ok === true && { controlTotal: total.value }),
    }),
  );
  const things = await invoices.namedThings(caller, connectionId, {
    ids: (await inTurns(namesOf(reading))).map(({ text }) => text),
    numbers: referencesOf(reading),
  });
  const { currencies: _, ...found } = things;
  const known: KnownThings = { ...found, today, answers };
  return ok({ reading: await inTurns(settleReading(reading, known)), known });
}

const readingFieldOf: Readonly<Record<string, ReadingField>> = {
  invoice_number: 'number',
  period: 'service_month',
  issued_on: 'issued',
  due_on: 'due',
  currency: 'currency',
  media_buy_id: 'seller_buy',
  package_id: 'package',
  po_number: 'po',
  description: 'description',
  units: 'units',
  amount: 'amount',
};

/** The columns of a mapping, by the fields of the reader. */
function mappingOf(
  mapping: Readonly<Partial<Record<string, string>>>,
): Readonly<Partial<Record<ReadingField, string>>> {
  return Object.fromEntries(
    Object.entries(mapping).flatMap(([field, column]) => {
      const known = readingFieldOf[field];
      return known === undefined || column === undefined ? [] : [[known, column] as const];
    }),
  );
}

/** Lines of one document in an answer. */
const linesShown = 100;

export function readingView({ reading, known }: SettledFile): z.output<typeof readingAnswer> {
  const { recognised } = reading;
  const { headerRow, encoding, ...others } = recognised;
  return {
    recognised: {
      ...others,
      ...(headerRow !== undefined && { header_row: headerRow }),
      ...(encoding !== undefined && { encoding: { ...encoding, cells: [...encoding.cells] } }),
      columns: recognised.columns.map((column) => ({ ...column, values: [...column.values] })),
    },
    documents: reading.documents.map((read) => documentView(read, known)),
    questions: reading.questions.map((asked) => ({ ...asked, options: [...asked.options] })),
    checks: [...reading.checks],
    refused: [...reading.faults],
  };
}

function documentView(read: ReadDocument, known: KnownThings): z.output<typeof document> {
  return {
    number: read.number ?? null,
    kind: read.kind,
    issued: read.issued ?? null,
    service_from: read.serviceFrom ?? null,
    service_to: read.serviceTo ?? null,
    currency: read.currency ?? null,
    net: microsToDecimal(read.netMicros),
    tax: microsToDecimal(read.taxMicros),
    gross: microsToDecimal(read.grossMicros),
    line_total: read.lineTotal,
    lines: read.lines.slice(0, linesShown).map((one) => lineView(one, known)),
    ...defined({ due: read.due, service_by: read.serviceBy, refers_to: read.refersTo }),
  };
}

function lineView(read: ReadLine, { buys }: KnownThings): z.output<typeof line> {
  const money = (micros: bigint | undefined) => (micros === undefined ? undefined : microsToDecimal(micros));
  return {
    line: read.line,
    row: read.row,
    type: read.type,
    by: read.by,
    amount: microsToDecimal(read.amountMicros),
    names: read.names.map(({ kind, text }) => ({
      kind,
      text,
      ...defined({ media_buy_id: buyOfNames([{ kind, text }], buys)?.mediaBuyId }),
    })),
    ...defined({
      tax: money(read.taxMicros),
      gross: money(read.grossMicros),
      commission: money(read.commissionMicros),
      units: read.units,
      description: read.description,
      service_from: read.serviceFrom,
      service_to: read.serviceTo,
    }),
  };
}
