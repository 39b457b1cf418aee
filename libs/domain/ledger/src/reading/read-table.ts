import { currencyExponent, isCurrency, isPayable, microsToDecimal } from '@switchyard/money';
import { isDay, shiftDay } from '../finance/period.js';
import { findFormats, planColumns, saysNothing, type ColumnFormats, type ColumnPlan } from './column-plan.js';
import { findTable, type FoundTable } from './find-table.js';
import { foldName } from './header-names.js';
import { numberReadings } from './number-formats.js';
import {
  faultsAtMost,
  linesInPreview,
  type FileReading,
  type ReadDocument,
  type ReadLine,
  type Recognised,
  type ReadingCheck,
  type ReadingOptions,
  type ReadingQuestion,
  type RecognisedColumn,
} from './reading.js';
import { isTotalRow, keyFields, rowReader, typeOfLine, type Factor, type ReadRow } from './row-reader.js';
import { rangeAround, serviceDaysOf, zoneAround, type ServiceDays } from './service-days.js';
import { ReadingFault, textOfCell, type Grid } from './split-rows.js';

/** Reads the documents of a table. It pauses between steps; throws `ReadingFault` where there is no table. */
export function* readTable(
  grid: Grid,
  recognised: Pick<Recognised, 'format' | 'encoding' | 'separator' | 'sheet'>,
  options: ReadingOptions,
): Generator<void, FileReading> {
  const table = findTable(grid);
  if (table === undefined) throw new ReadingFault('The file holds no table: no row of it is a header.');
  const plan = yield* planColumns(grid, table, options);
  const formats = yield* findFormats(grid, table, plan, options);
  const factor = yield* findFactor(grid, table, plan, formats, options);
  const reader = rowReader(grid, table, plan, formats, factor.factor);
  const basis = yield* findBasis(reader, table, plan, options);
  const gathered = yield* gather({ grid, table, plan, reader, basis: basis.basis });
  const range = rangeAround(table.around, formats.orderAround);
  const context = { plan, table, options, range, basis: basis.basis, reader };
  const documents: MadeDocument[] = [];
  for (const group of gathered.groups) {
    documents.push(documentOf(group, context));
    yield;
  }
  const judged = judge(documents, gathered, context, grid.cut !== undefined);
  return {
    recognised: recognisedOf(recognised, context, { grid, formats, factor: factor.factor }),
    documents: documents.map(({ document }) => document),
    questions: [
      ...plan.questions,
      ...formats.questions,
      ...factor.questions,
      ...basis.questions,
      ...judged.questions,
    ],
    checks: judged.checks,
    faults: [
      ...formats.faults,
      ...gathered.faults,
      ...judged.faults,
      ...(grid.cut === undefined
        ? []
        : [{ row: Math.max(1, grid.cut.row - table.header), reason: grid.cut.reason }]),
    ].slice(0, faultsAtMost),
    linesOf: (document) => {
      const found = documents.find((one) => one.document === document);
      return found === undefined ? [] : linesOf(found.group, context);
    },
  };
}

interface Group {
  readonly number: string;
  readonly first: ReadRow;
  /** Rows of the grid. */
  readonly rows: number[];
  netMicros: bigint;
  taxMicros: bigint;
  grossDiffers: number | undefined;
  service: ServiceDays | undefined;
  readonly headTotals: Map<'document_net' | 'document_tax' | 'document_gross', Set<bigint>>;
}

/** Which column a line owes without tax. */
type Basis = 'net' | 'amount' | 'gross' | 'amount_with_tax';

interface Context {
  readonly table: FoundTable;
  readonly plan: ColumnPlan;
  readonly options: ReadingOptions;
  readonly range: ServiceDays | undefined;
  readonly basis: Basis;
  readonly reader: (row: number) => ReadRow | undefined;
}

const microsHeader = /micros?\b|^column\./i;
const thousandsHeader = /\(000(?:s)?\)|\bthousands?\b|\btsd\b|\bt(?:eur|usd|€)\b|\bk(?:eur|usd|€)\b/i;

/** Amounts in micros are recognised by the name of their column; whole multiples of 10,000 above a million are asked about. */
function* findFactor(
  grid: Grid,
  table: FoundTable,
  { columns, preset }: ColumnPlan,
  { marks }: ColumnFormats,
  { answers }: ReadingOptions,
): Generator<void, { readonly factor: Factor; readonly questions: readonly ReadingQuestion[] }> {
  const at = columns.get('net') ?? columns.get('amount') ?? columns.get('gross');
  if (at === undefined) return { factor: 'units', questions: [] };
  const name = table.written[at] ?? '';
  if (preset?.isInMicros === true || microsHeader.test(name)) return { factor: 'micros', questions: [] };
  if (thousandsHeader.test(name)) return { factor: 'thousands', questions: [] };
  let example: string | undefined;
  for (let row = table.from; row < table.to; row += 1) {
    if (row % 1_000 === 0) yield;
    const cell = grid.cells(row)[at];
    if (saysNothing(cell) || cell === undefined) continue;
    if (typeof cell !== 'string' && cell.kind !== 'number') continue;
    const text = typeof cell === 'string' ? numberReadings(cell)[marks.get(at) ?? 'point'] : cell.text;
    if (text === undefined || text === '0') continue;
    if (!/^-?\d+0000$/.test(text) || text.replace('-', '').length < 7)
      return { factor: 'units', questions: [] };
    example ??= text;
  }
  if (example === undefined) return { factor: 'units', questions: [] };
  const said = answers.get('factor');
  if (said === 'units' || said === 'micros') return { factor: said, questions: [] };
  const millionth = microsToDecimal(BigInt(example));
  return {
    factor: 'units',
    questions: [
      {
        id: 'factor',
        why: 'All amounts are whole and large, as amounts in millionths are. Are they?',
        options: [
          { option: 'micros', example: `${example} is ${millionth}` },
          { option: 'units', example: `${example} is ${example}` },
        ],
      },
    ],
  };
}

/** Which of the columns of money says what is owed without tax. */
function* findBasis(
  reader: Context['reader'],
  table: FoundTable,
  { columns }: ColumnPlan,
  { answers }: ReadingOptions,
): Generator<void, { readonly basis: Basis; readonly questions: readonly ReadingQuestion[] }> {
  const has = (field: 'net' | 'amount' | 'gross' | 'tax' | 'commission') => columns.has(field);
  if (has('net')) return { basis: 'net', questions: [] };
  if (!has('amount')) return { basis: 'gross', questions: [] };
  if (!has('tax')) return { basis: 'amount', questions: [] };
  let [isNet, isGross] = [has('gross'), has('gross')];
  let example: ReadRow | undefined;
  for (let at = table.from; at < table.to; at += 1) {
    if (at % 1_000 === 0) yield;
    const row = reader(at);
    const [amount, tax, gross] = [row?.amount('amount'), row?.amount('tax') ?? 0n, row?.amount('gross')];
    if (amount === undefined || tax === 0n) continue;
    example ??= row;
    if (gross === undefined || amount + tax !== gross) isNet = false;
    if (gross === undefined || amount !== gross) isGross = false;
  }
  if (example === undefined || (isNet && !isGross)) return { basis: 'amount', questions: [] };
  if (isGross && !isNet) return { basis: 'amount_with_tax', questions: [] };
  const said = answers.get('amount_is');
  if (said === 'net') return { basis: 'amount', questions: [] };
  if (said === 'gross') return { basis: 'amount_with_tax', questions: [] };
  const [amount, tax] = [example.amount('amount') ?? 0n, example.amount('tax') ?? 0n];
  const options = [
    { option: 'net', example: `${microsToDecimal(amount + tax)} is owed` },
    { option: 'gross', example: `${microsToDecimal(amount)} is owed` },
  ];
  const why = 'Is the amount of a line without its tax (net) or with it (gross)?';
  return { basis: 'amount', questions: [{ id: 'amount_is', why, options }] };
}

/** What a row owes without tax, and its tax. */
function owedBy(row: ReadRow, basis: Basis): { readonly net: bigint; readonly tax: bigint } | undefined {
  const tax = row.amount('tax') ?? 0n;
  const [net, amount, gross] = [row.amount('net'), row.amount('amount'), row.amount('gross')];
  if (basis === 'net' && net !== undefined) return { net, tax };
  if (basis === 'amount_with_tax' && amount !== undefined) return { net: amount - tax, tax };
  if (basis !== 'gross' && amount !== undefined) return { net: amount, tax };
  return gross === undefined ? undefined : { net: gross - tax, tax };
}

interface Gathered {
  readonly groups: readonly Group[];
  readonly totals: readonly {
    readonly row: ReadRow;
    readonly owed: bigint;
    readonly above: bigint;
    readonly group?: Group;
  }[];
  readonly faults: readonly { readonly row: number; readonly reason: string }[];
  readonly rounded: number;
  readonly formulas: number;
  readonly shortRows: readonly number[];
  /** The last line is as large as all lines before it, and does not say that it is a total. */
  readonly lastIsSum?: { readonly row: number; readonly micros: bigint };
}

function* gather({
  grid,
  table,
  plan,
  reader,
  basis,
}: {
  readonly grid: Grid;
  readonly table: FoundTable;
  readonly plan: ColumnPlan;
  readonly reader: Context['reader'];
  readonly basis: Basis;
}): Generator<void, Gathered> {
  const groups = new Map<string, Group>();
  const totals: { row: ReadRow; owed: bigint; above: bigint; group?: Group }[] = [];
  const faults: { row: number; reason: string }[] = [];
  const shortRows: number[] = [];
  let [rounded, formulas, lines] = [0, 0, 0];
  let last: { at: number; net: bigint; group: Group } | undefined;
  const hasKeys = keyFields.some((field) => plan.columns.has(field));
  const seen: bigint[] = [];
  let sum = 0n;
  for (let at = table.from; at < table.to; at += 1) {
    if (at % 1_000 === 0) yield;
    const row = reader(at);
    if (row === undefined) continue;
    const owed = owedBy(row, basis);
    const texts = grid
      .cells(at)
      .map(textOfCell)
      .filter((text) => text !== '');
    if (isTotalRow(row, texts, hasKeys) && (owed !== undefined || texts.length <= 2)) {
      const group = row.text('number') === '' ? undefined : groups.get(foldName(row.text('number')));
      if (owed !== undefined)
        totals.push({ row, owed: owed.net, above: sum, ...(group !== undefined && { group }) });
      continue;
    }
    if (row.width === 'long' && faults.length < faultsAtMost)
      faults.push({ row: row.row, reason: 'The row has more cells than the header.' });
    if (row.width === 'short' && shortRows.length < 100) shortRows.push(row.row);
    for (const reason of row.faults) if (faults.length < faultsAtMost) faults.push({ row: row.row, reason });
    if (owed === undefined) {
      if (row.faults.length === 0 && faults.length < faultsAtMost)
        faults.push({ row: row.row, reason: 'The row has no amount.' });
      continue;
    }
    rounded += row.rounded;
    formulas += row.formulas;
    lines += 1;
    sum += owed.net;
    if (seen.length < 3) seen.push(owed.net);
    const group = groupOf(groups, row);
    group.rows.push(at);
    const isTax = typeOfLine(row, owed.net).type === 'tax';
    if (isTax) group.taxMicros += owed.net;
    else group.netMicros += owed.net;
    group.taxMicros += owed.tax;
    const [gross, commission] = [row.amount('gross'), row.amount('commission') ?? 0n];
    const isSum = gross === undefined || gross === owed.net + owed.tax || gross === owed.net + commission;
    if (!isSum) group.grossDiffers ??= row.row;
    if (row.service !== undefined) group.service = union(group.service, row.service);
    for (const [field, values] of group.headTotals) {
      const value = row.amount(field);
      if (value !== undefined) values.add(value);
    }
    const reason = conflictIn(group, row);
    if (reason !== undefined && faults.length < faultsAtMost) faults.push({ row: row.row, reason });
    last = { at, net: owed.net, group };
  }
  const isLastSum =
    last !== undefined && lines > 2 && last.net !== 0n && last.net === sum - last.net && totals.length === 0;
  return {
    groups: [...groups.values()],
    totals,
    faults,
    rounded,
    formulas,
    shortRows,
    ...(isLastSum && last !== undefined && { lastIsSum: { row: last.at - table.header, micros: last.net } }),
  };
}

/** Documents of one file. */
const documentsAtMost = 1_000;

function groupOf(groups: Map<string, Group>, row: ReadRow): Group {
  const number = row.text('number');
  // A line without a number belongs to the document above it.
  const key = foldName(number);
  const found = groups.get(key) ?? (key === '' ? [...groups.values()].at(-1) : undefined);
  if (found !== undefined) return found;
  if (groups.size >= documentsAtMost)
    throw new ReadingFault(`The file has more than ${documentsAtMost} documents. Split it.`);
  const group: Group = {
    number,
    first: row,
    rows: [],
    netMicros: 0n,
    taxMicros: 0n,
    grossDiffers: undefined,
    service: undefined,
    headTotals: new Map([
      ['document_net', new Set()],
      ['document_tax', new Set()],
      ['document_gross', new Set()],
    ]),
  };
  groups.set(key, group);
  return group;
}

const union = (one: ServiceDays | undefined, other: ServiceDays): ServiceDays =>
  one === undefined
    ? other
    : { from: one.from < other.from ? one.from : other.from, to: one.to > other.to ? one.to : other.to };

/** All rows of a document have the same head. */
function conflictIn({ first }: Group, row: ReadRow): string | undefined {
  if (row === first) return undefined;
  for (const field of ['issued', 'due'] as const) {
    const [one, other] = [first.day(field), row.day(field)];
    if (one !== undefined && other !== undefined && one !== other)
      return `The day (${field}) is ${other}, and the first row of the document has ${one}.`;
  }
  const [one, other] = [first.text('currency').toUpperCase(), row.text('currency').toUpperCase()];
  if (one !== '' && other !== '' && one !== other)
    return `The currency is ${other}, and the first row of the document has ${one}.`;
  return undefined;
}

interface MadeDocument {
  readonly document: ReadDocument;
  readonly group: Group;
}

function documentOf(group: Group, context: Context): MadeDocument {
  const { options, range, plan } = context;
  const { first } = group;
  const said = options.said ?? {};
  const answers = options.answers;
  const number = group.number !== '' ? group.number : (said.number ?? answers.get('number') ?? '');
  const written = first.day('issued');
  const answered = answers.get('issued');
  const issued =
    answered !== undefined && isDay(answered)
      ? answered
      : (written ?? (isDay(said.issued ?? '') ? said.issued : undefined));
  const due = first.day('due') ?? (isDay(said.due ?? '') ? said.due : undefined);
  const currency = currencyOf(first, context);
  const [taxOfHead] = group.headTotals.get('document_tax') ?? [];
  const taxMicros = group.taxMicros !== 0n || taxOfHead === undefined ? group.taxMicros : taxOfHead;
  const service = serviceOfGroup(group, { options, range, plan, issued });
  const shown: ReadLine[] = [];
  let total = 0;
  for (const line of linesOf(group, context)) {
    total += 1;
    if (shown.length < linesInPreview) shown.push(line);
    else break;
  }
  const refersTo = first.text('refers_to');
  const kindText = first.text('document_type');
  const isCredit =
    group.netMicros + taxMicros < 0n ||
    (/credit|gutschrift|avoir|abono/i.test(kindText) && group.netMicros <= 0n);
  return {
    group,
    document: {
      kind: isCredit ? 'credit_note' : 'invoice',
      ...(number !== '' && { number }),
      ...(issued !== undefined && { issued }),
      ...(due !== undefined && { due }),
      ...(service !== undefined && {
        serviceFrom: service.days.from,
        serviceTo: service.days.to,
        serviceBy: service.by,
      }),
      ...(currency !== undefined && { currency }),
      ...(refersTo !== '' && { refersTo }),
      netMicros: group.netMicros,
      taxMicros,
      grossMicros: group.netMicros + taxMicros,
      lineTotal: total < linesInPreview ? total : group.rows.length,
      lines: shown,
    },
  };
}

function currencyOf(first: ReadRow, { options, plan, table }: Context): string | undefined {
  const written = first.text('currency').toUpperCase();
  if (written !== '') return written;
  const said = (options.said?.currency ?? options.answers.get('currency') ?? '').toUpperCase();
  if (said !== '') return said;
  const at = plan.columns.get('net') ?? plan.columns.get('amount') ?? plan.columns.get('gross');
  const name = at === undefined ? '' : (table.written[at] ?? '');
  const code = /\b([A-Z]{3})\b/g;
  for (const [, found = ''] of name.matchAll(code)) if (isCurrency(found)) return found;
  for (const { label, text } of table.around)
    if (/currency|währung|devise|moneda/i.test(label) && isCurrency(text.trim())) return text.trim();
  if (name.includes('€')) return 'EUR';
  if (name.includes('£')) return 'GBP';
  const [only, another] = options.currencies ?? [];
  return another === undefined ? only : undefined;
}

function serviceOfGroup(
  group: Group,
  {
    options,
    range,
    plan,
    issued,
  }: Pick<Context, 'options' | 'range' | 'plan'> & { readonly issued: string | undefined },
): { readonly days: ServiceDays; readonly by: NonNullable<ReadDocument['serviceBy']> } | undefined {
  const isReport = plan.columns.has('day') && !plan.columns.has('service_from');
  if (group.service !== undefined && !(isReport && range !== undefined))
    return { days: group.service, by: 'columns' };
  if (range !== undefined) return { days: range, by: 'head' };
  const said = serviceDaysOf(options.said?.service_month ?? options.answers.get('service_days') ?? '');
  if (said !== undefined) return { days: said, by: 'said' };
  // Our own layout says that a file without a month bills the month of its issue.
  const month =
    plan.preset?.id === 'switchyard' && issued !== undefined ? serviceDaysOf(issued.slice(0, 7)) : undefined;
  return month === undefined ? undefined : { days: month, by: 'layout' };
}

/** The lines of a document. One line stands for the tax that rows have beside their amounts. */
function* linesOf(group: Group, { reader, basis, plan }: Context): Generator<ReadLine> {
  let line = 0;
  let beside = 0n;
  for (const at of group.rows) {
    const row = reader(at);
    const owed = row === undefined ? undefined : owedBy(row, basis);
    if (row === undefined || owed === undefined) continue;
    line += 1;
    const { type, by } = typeOfLine(row, owed.net);
    if (type !== 'tax') beside += owed.tax;
    const units = row.text('units');
    const description = row.text('description');
    const commission = row.amount('commission');
    const isTaxed = plan.columns.has('tax');
    yield {
      line,
      row: row.row,
      type,
      by,
      amountMicros: owed.net,
      ...(isTaxed && { taxMicros: owed.tax, grossMicros: owed.net + owed.tax }),
      ...(commission !== undefined && { commissionMicros: commission }),
      ...(units !== '' && { units }),
      names: row.names,
      ...(description !== '' && { description }),
      ...(row.service !== undefined && { serviceFrom: row.service.from, serviceTo: row.service.to }),
    };
  }
  const [ofHead] = group.headTotals.get('document_tax') ?? [];
  const tax = beside === 0n && group.taxMicros === 0n ? (ofHead ?? 0n) : beside;
  if (tax === 0n) return;
  const description = plan.columns.has('tax') ? 'Tax of the lines' : 'Tax of the document';
  yield { line: line + 1, row: 0, type: 'tax', by: 'column', amountMicros: tax, names: [], description };
}

/** Checks, and questions about documents. */
function judge(
  made: readonly MadeDocument[],
  { totals, rounded, formulas, shortRows, lastIsSum, faults: before }: Gathered,
  { options, plan, table }: Context,
  isCut: boolean,
): Pick<FileReading, 'checks' | 'questions' | 'faults'> {
  const checks: ReadingCheck[] = [];
  const questions: ReadingQuestion[] = [];
  const faults: { row: number; reason: string }[] = [];
  const { answers, wants } = options;
  const ask = (id: string, why: string, options_: ReadingQuestion['options']): void => {
    if (!answers.has(id) && !questions.some((one) => one.id === id))
      questions.push({ id, why, options: options_ });
  };
  if (rounded > 0)
    checks.push({
      check: 'rounded',
      ok: true,
      text: `${rounded} cells have more than six decimals: they are rounded to six.`,
    });
  if (formulas > 0)
    checks.push({
      check: 'formulas',
      ok: true,
      text: `${formulas} cells are formulas: the values that were stored last are read.`,
    });
  if (shortRows.length > 0)
    checks.push({
      check: 'short_rows',
      ok: true,
      text: `These rows have fewer cells than the header: ${shortRows.slice(0, 20).join(', ')}.`,
    });
  const all = made.reduce((sum, { document }) => sum + document.netMicros, 0n);
  let covered = 0n;
  for (const { row, owed, above, group } of totals) {
    const sums = [
      above,
      above - covered,
      ...(group === undefined ? [] : [group.netMicros, group.netMicros + group.taxMicros]),
    ];
    const slack = 5_000n * BigInt(Math.max(1, table.to - table.from));
    const isRight = sums.some((sum) => within(sum, owed, slack < 50_000n ? slack : 50_000n));
    covered = above;
    const text = `The file says ${microsToDecimal(owed)} in total, and its lines add up to ${microsToDecimal(above)}.`;
    checks.push({ check: 'total', ok: isRight, text, row: row.row });
    if (!isRight)
      ask('total', `${text} Are the lines right?`, [
        { option: 'lines', example: microsToDecimal(above) },
        { option: 'refuse', example: 'nothing is booked' },
      ]);
  }
  if (answers.get('total') === 'refuse')
    faults.push({ row: 0, reason: 'The total of the file differs from its lines.' });
  if (lastIsSum !== undefined)
    ask('last_row', `Row ${lastIsSum.row} is the sum of all rows before it. Is it a total?`, [
      { option: 'line', example: `the lines add up to ${microsToDecimal(all)}` },
      { option: 'refuse', example: 'nothing is booked: take the row out of the file' },
    ]);
  if (answers.get('last_row') === 'refuse')
    faults.push({ row: lastIsSum?.row ?? 0, reason: 'The row is a total.' });
  if (wants === 'figures') return { checks, questions, faults };
  for (const { document, group } of made)
    judgeDocument(document, group, { checks, faults, ask, options, plan });
  if (made.length === 0 && before.length === 0 && !isCut)
    faults.push({ row: 0, reason: 'The file has no rows.' });
  if (options.controlTotal !== undefined) {
    const gross = made.reduce((sum, { document }) => sum + document.grossMicros, 0n);
    const isRight = options.controlTotal === all || options.controlTotal === gross;
    const text = `You said ${microsToDecimal(options.controlTotal)}, and the file has ${microsToDecimal(all)} net and ${microsToDecimal(gross)} gross.`;
    checks.push({ check: 'control_total', ok: isRight, text });
    if (!isRight) faults.push({ row: 0, reason: text });
  }
  return { checks, questions, faults };
}

const within = (one: bigint, other: bigint, slack: bigint): boolean =>
  one - other <= slack && other - one <= slack;

interface Judging {
  readonly checks: ReadingCheck[];
  readonly faults: { row: number; reason: string }[];
  readonly ask: (id: string, why: string, options: ReadingQuestion['options']) => void;
  readonly options: ReadingOptions;
  readonly plan: ColumnPlan;
}

function judgeDocument(document: ReadDocument, group: Group, judging: Judging): void {
  const { checks, faults, options } = judging;
  const { number, currency } = document;
  if (number !== undefined && number.length > 100)
    faults.push({
      row: group.first.row,
      reason: 'The number of the document is longer than 100 characters.',
    });
  if (currency !== undefined && !isCurrency(currency))
    faults.push({
      row: group.first.row,
      reason: `The currency ${currency.slice(0, 20)} is not an ISO 4217 code.`,
    });
  if (group.grossDiffers !== undefined)
    faults.push({ row: group.grossDiffers, reason: 'Net and tax do not add up to gross.' });
  for (const [field, sum] of [
    ['document_net', document.netMicros],
    ['document_tax', document.taxMicros],
    ['document_gross', document.grossMicros],
  ] as const) {
    const values = [...(group.headTotals.get(field) ?? [])];
    if (values.length === 0) continue;
    const [value = 0n, another] = values;
    const isRight = another === undefined && within(value, sum, 5_000n * BigInt(group.rows.length));
    const text = `The document ${number ?? ''} says ${values.map(microsToDecimal).join(', ')} (${field}), and its lines add up to ${microsToDecimal(sum)}.`;
    checks.push({ check: 'document_total', ok: isRight, text, row: group.first.row });
    if (!isRight) faults.push({ row: group.first.row, reason: text });
  }
  askAbout(document, judging, options);
}

/** Questions about the head of a document. Texts that are no option are judged here too. */
function askAbout(document: ReadDocument, { ask, faults }: Judging, options: ReadingOptions): void {
  const { answers, today, fileName } = options;
  const { number, issued, currency, netMicros } = document;
  if (number === undefined)
    ask('number', 'The file says no number of the document. Which one is it?', [
      {
        option: fileName.replace(/\.[^.]{1,5}$/, '').slice(0, 100) || 'file',
        example: 'the name of the file',
      },
    ]);
  if (issued === undefined)
    ask('issued', 'The file says no day of issue. Which day is it, as YYYY-MM-DD?', [
      { option: today, example: 'today' },
    ]);
  else if (issued > shiftDay(today, 1) || issued < shiftDay(today, -731)) {
    const near = `${today.slice(0, 4)}${issued.slice(4)}`;
    const proposed =
      isDay(near) && near <= shiftDay(today, 1) ? [{ option: near, example: `issued on ${near}` }] : [];
    ask(
      'issued',
      `The document was issued on ${issued}, which is in the future or long ago. Which day is it?`,
      [{ option: issued, example: 'as the file says' }, ...proposed],
    );
  }
  const answered = answers.get('issued');
  if (answered !== undefined && !isDay(answered))
    faults.push({
      row: 0,
      reason: `The answer to issued is no day as YYYY-MM-DD: ${answered.slice(0, 40)}.`,
    });
  if (document.due !== undefined && issued !== undefined && document.due < issued)
    faults.push({ row: 1, reason: 'It is due before it is issued: the dates may be swapped.' });
  if (currency === undefined)
    ask('currency', 'The file says no currency. Which one is it?', [
      ...(options.currencies ?? ['EUR', 'USD', 'GBP']).map((code) => ({
        option: code,
        example: `${microsToDecimal(netMicros)} ${code}`,
      })),
    ]);
  else if (currencyExponent(currency) === 0 && !isPayable(document.grossMicros, currency))
    ask('decimals', `${currency} has no decimals, and the document has some. Is the amount right?`, [
      { option: 'as_written', example: `${microsToDecimal(document.grossMicros)} ${currency}` },
      { option: 'refuse', example: 'nothing is booked' },
    ]);
  if (answers.get('decimals') === 'refuse')
    faults.push({ row: 0, reason: 'The amounts have decimals that their currency does not have.' });
}

function recognisedOf(
  { format, encoding, separator, sheet }: Pick<Recognised, 'format' | 'encoding' | 'separator' | 'sheet'>,
  { table, plan }: Context,
  {
    grid,
    formats,
    factor,
  }: { readonly grid: Grid; readonly formats: ColumnFormats; readonly factor: Factor },
): Recognised {
  const zone = zoneAround(table.around);
  const fieldAt = new Map([...plan.columns].map(([field, at]) => [at, field] as const));
  const columns = table.names.map((column, at): RecognisedColumn => {
    const written = formats.marks.get(at) ?? formats.orders.get(at);
    return {
      column,
      field: fieldAt.get(at) ?? null,
      by: plan.by.get(at) ?? 'none',
      ...(written !== undefined && { format: written }),
      values: valuesOf(grid, table, at),
    };
  });
  const amount = plan.columns.get('net') ?? plan.columns.get('amount') ?? plan.columns.get('gross');
  const numbers = amount === undefined ? undefined : formats.marks.get(amount);
  return {
    format,
    ...(encoding !== undefined && { encoding }),
    ...(separator !== undefined && { separator }),
    ...(sheet !== undefined && { sheet }),
    ...(plan.preset !== undefined && { preset: plan.preset.id }),
    headerRow: table.header + 1,
    ...(zone !== undefined && { zone }),
    ...(factor !== 'units' && { factor }),
    ...(numbers !== undefined && { numbers }),
    columns,
  };
}

function valuesOf(grid: Grid, table: FoundTable, at: number): readonly string[] {
  const values: string[] = [];
  for (let row = table.from; row < table.to && values.length < 3 && row < table.from + 20; row += 1) {
    const text = textOfCell(grid.cells(row)[at]);
    if (text !== '') values.push(text.slice(0, 200));
  }
  return values;
}
