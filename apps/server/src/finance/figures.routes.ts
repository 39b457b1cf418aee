import { randomUUID } from 'node:crypto';
import { queryBuys, type ReadPorts } from '@switchyard/buys';
import {
  basisText,
  countedUnits,
  daysOfPeriod,
  fieldReader,
  figureFields,
  isAbsurd,
  isDoubtful,
  isWithoutAmounts,
  readFigureRow,
  shiftDay,
  type Figure,
  type FigureField,
} from '@switchyard/ledger';
import { microsToDecimal, roundToMicros } from '@switchyard/money';
import {
  getAccountFinancials,
  type AccountFinancials,
  type AccountRef,
  type FinancialsRequest,
} from '@switchyard/protocol';
import type { Connection, ConnectionDirectory } from '@switchyard/sellers';
import { pulledAnswer, type FigureRepository } from '@switchyard/store';
import { TableFault, type TableRow } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { nameOrId, period } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import {
  fileMembers,
  openFile,
  preview,
  throughRows,
  whileReading,
  type FileDeps,
  type OpenFile,
} from '../platform/routes/read-file.js';
import { readingMembers, readingQuestions } from './read-invoices.js';
import { figureRows, recogniseFigures } from './recognised-figures.js';

interface FiguresDeps extends FileDeps {
  readonly thirdParties: FigureRepository;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  /** Sends the request to the seller. */
  readonly ports: ReadPorts;
  readonly jobStarter: JobStarter;
  readonly clock: Clock;
}

const field = z.enum(figureFields);

const wanted = z.strictObject({
  source: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be a short name of small letters, digits, dots and hyphens')
    .describe('Who counted, for example the name of an ad server.'),
  ...fileMembers,
  mapping: z
    .partialRecord(field, z.string().min(1).max(200))
    .exactOptional()
    .describe('Which column holds which field; the last one of the source where it is left out.'),
  defaults: z
    .partialRecord(field, z.string().max(200))
    .exactOptional()
    .describe('What holds for every row where the file has no such column.'),
  dry_run: z.boolean().exactOptional().describe('Reads and answers, and stores nothing.'),
  answers: readingMembers.answers,
});

const refusals = z.array(z.strictObject({ row: z.int(), reason: z.string() }));

const result = z.strictObject({
  import_id: z.string().nullable().describe('Null where nothing was stored.'),
  source: z.string(),
  version: z.int().exactOptional().describe('Counts the imports of the source.'),
  lines: z.int(),
  refused: refusals,
  left_out: refusals
    .exactOptional()
    .describe('Rows that are not stored, because no amount can be computed of what they count.'),
  computed: z
    .array(
      z.strictObject({
        row: z.int(),
        package_id: z.string(),
        day: z.string(),
        basis: z.string().describe('For example 12,000 impressions x 11.18 CPM.'),
        amount: z.string(),
        currency: z.string(),
      }),
    )
    .exactOptional()
    .describe(
      'Of a file that counts and says no amounts: those of its first rows, from the unit by which each package was bought.',
    ),
  questions: readingQuestions
    .exactOptional()
    .describe('Nothing is stored while the file leaves something open.'),
  preview: preview.exactOptional(),
});

const pull = z.strictObject({
  seller: nameOrId.describe('Slug of the seller.'),
  period,
  account_id: z
    .string()
    .min(1)
    .max(1_000)
    .exactOptional()
    .describe('Id of the account at the seller; the account of the connection unless set.'),
  as_written: z
    .boolean()
    .exactOptional()
    .describe('Stores a spend above 1.5 times what was ordered or delivered at the seller.'),
});

const pulled = z.strictObject({
  figures_id: z.string(),
  seller: z.string(),
  period: z.string(),
  covers: z
    .strictObject({ from: z.string(), to: z.string() })
    .describe('What the spend covers, as the seller says, the last day included.'),
  timezone: z
    .string()
    .exactOptional()
    .describe('Of the days of the account; absent where the seller names none.'),
  currency: z.string(),
  total_spend: z.string().exactOptional(),
  invoices: z.array(z.strictObject({ number: z.string(), amount: z.string(), status: z.string() })),
  event_id: z.string().describe('The answer as it came: GET /v1/events/{id}.'),
  answer_sha256: z.string(),
});

const route = routesOn<FiguresDeps>();

/** Figures that third parties counted, for example an ad server: the fourth column of a reconciliation. */
export const figureRoutes = withJobs([
  route({
    method: 'post',
    path: '/v1/figures/import',
    id: 'import_figures',
    summary: 'Read figures of a third party from a file, and store them unless dry_run is set',
    needs: 'ledger.write',
    body: wanted,
    answer: result,
    asJob: { title: 'Import of figures' },
    handle: (deps, { caller, body }) => whileReading(deps, caller, () => importFigures(deps, caller, body)),
  }),
  route({
    method: 'post',
    path: '/v1/figures/pull',
    id: 'pull_figures',
    summary: 'Ask a seller what was spent and invoiced on our account in one period, and store its answer',
    needs: 'ledger.write',
    body: pull,
    answer: pulled,
    handle: (deps, { caller, body }) => pullFigures(deps, caller, body),
  }),
]);

/** Timeout for one seller, in milliseconds. */
const sellerMs = 10_000;

async function pullFigures(
  deps: FiguresDeps,
  caller: PrincipalCaller,
  { seller, period, account_id: accountId, as_written: isWanted = false }: z.output<typeof pull>,
): Promise<Result<z.output<typeof pulled>, AdminFailure>> {
  if (reachOf(caller, 'ledger', 'write').kind !== 'everything')
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message: 'An account at a seller is of all clients: this needs ledger.write in the scope organization.',
    });
  const connection = await deps.connections.bySlug(caller, seller);
  if (connection === undefined || connection.state === 'removed')
    return err({ code: 'NOT_FOUND', message: 'No seller has this name.', field: 'seller' });
  const account: AccountRef | undefined = accountId === undefined ? connection.account : { accountId };
  if (account === undefined)
    return err({
      code: 'INVALID_REQUEST',
      message: 'The connection to this seller names no account: name one.',
      field: 'account_id',
    });
  const { from, to } = daysOfPeriod(period);
  const request: FinancialsRequest = { account, period: { start: from, end: shiftDay(to, -1) } };
  const { signal } = new AbortController();
  const { legs, rows } = await queryBuys(
    deps.ports,
    { scope: caller, principalId: caller.principalId, deadlineMs: sellerMs, signal, wantsText: true },
    {
      spec: getAccountFinancials,
      requests: new Map([[connection, request]]),
      count: ({ invoices }) => invoices.length,
    },
  );
  const { answer, text } = legs[0] ?? {};
  if (answer === undefined || text === undefined) {
    const [row] = rows;
    return err({
      code: row?.code === 'NOT_OFFERED' ? 'CONFLICT' : 'UNAVAILABLE',
      message: `The seller did not report the account: ${row?.reason ?? 'it was not queried.'}`,
      field: 'seller',
    });
  }
  const doubt = await implausible(deps, caller, connection, answer, isWanted);
  if (doubt !== undefined) return err(doubt);
  return storePulled(deps, caller, { seller: connection.slug, period, connection, account, answer, text });
}

/** Whether a seller names a spend that cannot be right (docs/ledger.md#amounts-that-cannot-be-right). */
async function implausible(
  { thirdParties }: FiguresDeps,
  caller: PrincipalCaller,
  connection: Connection,
  { totalSpend, currency }: AccountFinancials,
  isWanted: boolean,
): Promise<AdminFailure | undefined> {
  const spend = totalSpend === undefined ? undefined : roundToMicros(totalSpend);
  if (spend?.ok !== true) return undefined;
  const whole = await thirdParties.whole(caller, connection.id, currency);
  const about = `The seller names a spend of ${microsToDecimal(spend.value)} ${currency}; ordered or delivered there are ${microsToDecimal(whole)}.`;
  if (isAbsurd(spend.value, whole)) return { code: 'CONFLICT', message: about, field: 'seller' };
  if (isWanted || !isDoubtful(spend.value, whole)) return undefined;
  const suggestion = 'If it is right, ask again with as_written (--as-written).';
  return { code: 'CONFLICT', message: about, field: 'as_written', suggestion };
}

interface Pulled {
  readonly seller: string;
  readonly period: string;
  readonly connection: Connection;
  readonly account: AccountRef;
  readonly answer: AccountFinancials;
  readonly text: string;
}

async function storePulled(
  { thirdParties, clock }: FiguresDeps,
  caller: PrincipalCaller,
  { seller, period, connection, account, answer, text }: Pulled,
): Promise<Result<z.output<typeof pulled>, AdminFailure>> {
  const { currency, timezone, totalSpend } = answer;
  const listed = answer.invoices.filter(({ period: of }) => of === undefined || of.start.startsWith(period));
  const amounts = listed.map(({ amount }) => roundToMicros(amount));
  const total = totalSpend === undefined ? undefined : roundToMicros(totalSpend);
  if (total?.ok === false || amounts.some(({ ok: isAmount }) => !isAmount))
    return err({
      code: 'UNAVAILABLE',
      message: 'The seller sent an amount that is not a number.',
      field: 'seller',
    });
  const invoices = listed.map(({ invoiceId, status }, at) => {
    const amount = amounts[at];
    return { number: invoiceId, status, amountMicros: amount?.ok === true ? amount.value : 0n };
  });
  const about = { id: randomUUID(), kind: 'pulled_financials', receivedAt: clock.now() } as const;
  const stored = pulledAnswer(about, connection, text);
  const covers = { from: answer.period.start, to: answer.period.end };
  const id = await thirdParties.addAccount(caller, {
    seller,
    period,
    account,
    coversFrom: covers.from,
    coversTo: covers.to,
    currency,
    invoices,
    pulledBy: caller.principalId,
    answer: stored,
    ...defined({ timezone }),
    ...(total?.ok === true && { totalSpendMicros: total.value }),
  });
  return ok({
    figures_id: id,
    seller,
    period,
    covers,
    currency,
    invoices: invoices.map(({ amountMicros, ...rest }) => ({
      ...rest,
      amount: microsToDecimal(amountMicros),
    })),
    event_id: stored.id,
    answer_sha256: stored.bodyHash,
    ...defined({ timezone }),
    ...(total?.ok === true && { total_spend: microsToDecimal(total.value) }),
  });
}

const refusalsAtMost = 100;

/** Amounts that are shown where they were computed. */
const computedShown = 20;

async function importFigures(
  deps: FiguresDeps,
  caller: PrincipalCaller,
  body: z.output<typeof wanted>,
): Promise<Result<z.output<typeof result>, AdminFailure>> {
  const { source, defaults = {}, dry_run: isDryRun, answers = {} } = body;
  const { thirdParties, clock } = deps;
  if (reachOf(caller, 'ledger', 'write').kind !== 'everything')
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message:
        'Figures of a third party are of all clients: this needs ledger.write in the scope organization.',
    });
  const file = await openFile(deps, caller, body);
  if (!file.ok) return file;
  const found = await figureSource(deps, caller, file.value, body);
  if (!found.ok) return found;
  if ('questions' in found.value)
    return ok({ import_id: null, source, lines: 0, refused: [], questions: found.value.questions });
  const { mapping, readable } = found.value;
  const reader = fieldReader<FigureField>(mapping, defaults);
  const refused: z.output<typeof refusals> = [];
  const unpriced: z.output<typeof refusals> = [];
  const computed: NonNullable<z.output<typeof result>['computed']> = [];
  let [lines, unpricedLines] = [0, 0];
  let hasAmounts: boolean | undefined;
  const sums = new Map<string, { figure: Figure; micros: bigint }>();
  const judge = async (rows: readonly TableRow[]): Promise<readonly Figure[]> => {
    const ids = [...new Set(rows.map((row) => reader.textOf(row, 'media_buy_id')))];
    const buys = await thirdParties.buys(caller, ids);
    hasAmounts ??= !isWithoutAmounts(Object.keys({ ...rows[0]?.cells, ...defaults }), mapping);
    return rows.flatMap((row) => {
      lines += 1;
      const figure = readFigureRow(row, reader, buys, hasAmounts);
      if (figure.ok) {
        if (computed.length < computedShown) computed.push(...shownBasis(figure.value));
        const key = `${figure.value.sellerBuyId} ${figure.value.packageRef}`;
        const micros = (sums.get(key)?.micros ?? 0n) + figure.value.spendMicros;
        sums.set(key, { figure: figure.value, micros });
        return [figure.value];
      }
      const { reason, isUnpriced } = figure.error;
      const list = isUnpriced === true ? unpriced : refused;
      if (isUnpriced === true) unpricedLines += 1;
      if (list.length < refusalsAtMost) list.push({ row: row.row, reason });
      return [];
    });
  };
  const mapped = { mapping, fields: figureFields, missingColumn: reader.missingColumn };
  const read = await throughRows(readable, mapped, async (rows) => void (await judge(rows)));
  if (!read.ok) return read;
  if (read.value.cut !== undefined) refused.push(read.value.cut);
  else if (lines === 0) refused.push({ row: 0, reason: 'The file has no rows.' });
  const total = lines;
  const isLeftOut = answers['uncomputed'] === 'leave_out';
  const [unknown] = unpriced;
  if (unknown !== undefined && refused.length === 0 && answers['uncomputed'] === undefined) {
    const question = leaveOut(unknown, unpricedLines, total);
    return ok({ import_id: null, source, lines: total, refused: [], questions: [question] });
  }
  if (!isLeftOut) refused.push(...unpriced.slice(0, refusalsAtMost - refused.length));
  else if (unpricedLines === total)
    refused.push({ row: 0, reason: 'No row of the file has an amount that can be computed.' });
  const doubt =
    answers['plausible'] === undefined && refused.length === 0 ? doubtful(sums.values()) : undefined;
  if (doubt !== undefined)
    return ok({ import_id: null, source, lines: total, refused: [], questions: [doubt] });
  if (answers['plausible'] === 'refuse')
    refused.push({ row: 0, reason: 'An amount is far above what its package may cost.' });
  const counted = {
    ...(computed.length > 0 && { computed: [...computed] }),
    ...(isLeftOut && unpriced.length > 0 && { left_out: [...unpriced] }),
  };
  const shown = isDryRun === true ? { preview: read.value.preview, ...counted } : {};
  const nothing = { import_id: null, source, lines: total };
  if (refused.length > 0 || isDryRun === true) return ok({ ...nothing, refused, ...shown });
  const fileId = await storedId(deps, caller, file.value);
  if (!fileId.ok) return fileId;
  const stored = total - unpricedLines;
  const figures = { source, fileId: fileId.value, mapping, lines: stored, importedBy: caller.principalId };
  const again = everyRow(readable, judge, stored);
  const added = await thirdParties.add(caller, { ...figures, figures: again }, clock.now());
  if ('id' in added)
    return ok({
      ...{ import_id: added.id, source, version: added.version, lines: stored, refused: [] },
      ...counted,
    });
  const same = added.map(({ row, first }) => ({
    row,
    reason:
      first === null
        ? `The source ${source} has these days of the package already, cut in another way: import the same days as before, or under another source.`
        : `The row has the same package and day as row ${first}.`,
  }));
  return ok({ ...nothing, refused: same });
}

/** From what the amount of a figure was computed. */
const shownBasis = ({ row, packageRef, day, basis, spendMicros, currency }: Figure) =>
  basis === undefined
    ? []
    : [
        {
          ...{ row, package_id: packageRef, day, basis: basisText(basis), currency },
          amount: microsToDecimal(spendMicros),
        },
      ];

/** The question about rows of which no amount can be computed: they count something else than is paid. */
const leaveOut = (first: z.output<typeof refusals>[number], rows: number, total: number) => ({
  id: 'uncomputed',
  why: `Row ${first.row}: ${first.reason} ${rows === 1 ? 'Is this row' : `Are this and ${rows - 1} further rows`} left out?`,
  options: [
    { option: 'leave_out', example: `${total - rows} of ${total} rows are stored` },
    { option: 'refuse', example: 'nothing is stored' },
  ],
});

/** The question about the first package of which a file has more than 1.5 times what it may cost. */
function doubtful(sums: Iterable<{ readonly figure: Figure; readonly micros: bigint }>) {
  for (const { figure, micros } of sums) {
    const { budgetMicros, packageRef } = figure;
    if (!isDoubtful(micros, budgetMicros)) continue;
    const amount = microsToDecimal(micros);
    return {
      id: 'plausible',
      why: `The file has ${amount} for the package ${packageRef}, which may cost ${microsToDecimal(budgetMicros)}. Is the amount right?`,
      options: [
        { option: 'as_written', example: amount },
        { option: 'refuse', example: 'nothing is stored' },
      ],
    };
  }
  return undefined;
}

type FigureSource =
  | { readonly mapping: Readonly<Record<string, string>>; readonly readable: Pick<OpenFile, 'rows'> }
  | { readonly questions: z.output<typeof readingQuestions> };

/**
 * How the rows of a file are found: by the mapping that is given or was used last, where the file has its columns, and else
 * by recognising the file.
 */
async function figureSource(
  deps: FiguresDeps,
  caller: PrincipalCaller,
  file: OpenFile,
  { mapping, source, answers = {} }: z.output<typeof wanted>,
): Promise<Result<FigureSource, AdminFailure>> {
  if (mapping !== undefined) return ok({ mapping, readable: file });
  const last = await deps.thirdParties.mapping(caller, source);
  if (await hasColumns(file, last)) return ok({ mapping: last, readable: file });
  const reading = await recogniseFigures(deps, file, answers);
  const [fault] = reading.faults;
  if (fault !== undefined)
    return err({ code: 'INVALID_REQUEST', message: `Row ${fault.row}: ${fault.reason}`, field: 'file' });
  if (reading.questions.length > 0)
    return ok({ questions: reading.questions.map((one) => ({ ...one, options: [...one.options] })) });
  return ok({ mapping: {}, readable: { rows: () => figureRows(deps, caller, reading) } });
}

/** Whether a file has the columns of a mapping, or those of our own layout. */
async function hasColumns(
  file: OpenFile,
  mapping: Readonly<Partial<Record<string, string>>>,
): Promise<boolean> {
  const needed = ['media_buy_id', 'day'].map((field) => mapping[field] ?? field);
  // A file without amounts is recognised, unless a mapping says what it counts.
  const counted = countedUnits.flatMap((unit) => mapping[unit] ?? []);
  const spend = mapping['spend'] ?? (counted.length > 0 ? undefined : 'spend');
  needed.push(...(spend === undefined ? counted : [spend]));
  const rows = file.rows();
  try {
    const batch = await rows.next();
    const first = batch.done === true ? undefined : batch.value[0];
    return first !== undefined && needed.every((column) => Object.hasOwn(first.cells, column));
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    return false;
  } finally {
    await rows.return(undefined);
  }
}

/** Every row was judged before: another number of figures means that the file differs. */
async function* everyRow(
  file: Pick<OpenFile, 'rows'>,
  judge: (rows: readonly TableRow[]) => Promise<readonly Figure[]>,
  expected: number,
): AsyncGenerator<readonly Figure[]> {
  let found = 0;
  for await (const rows of file.rows()) {
    const figures = await judge(rows);
    found += figures.length;
    yield figures;
  }
  if (found !== expected) throw new TableFault('The file changed while it was read.');
}

/** The original is stored, also one that came in the request. */
async function storedId(
  { files, fileLimits, clock }: FiguresDeps,
  caller: PrincipalCaller,
  { name, hash, stored }: OpenFile,
): Promise<Result<string, AdminFailure>> {
  if ('id' in stored) return ok(stored.id);
  const { bytes } = stored;
  const announced = { name, bytes: bytes.length, sha256: hash, by: caller.principalId };
  const id = await files.announce(caller, announced, fileLimits.bytes * 4, clock.now());
  if (id === undefined || !(await files.putPart(caller, id, 0, bytes)))
    return err({ code: 'CONFLICT', message: 'Too many uploaded files are unused.' });
  return ok(id);
}
