import { isCurrency, microsToDecimal } from '@switchyard/money';
import { owedBy, type Basis } from './amount-basis.js';
import type { ColumnPlan } from './column-plan.js';
import { dateReadings, dayOf, type DateNotation } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import type { Gathered, Group } from './gather-rows.js';
import { fieldOfName, moneyFields } from './header-names.js';
import { currencyInName } from './money-columns.js';
import { currenciesOf, currencyOfSign } from './number-formats.js';
import {
  keptLine,
  linesInPreview,
  type ReadDocument,
  type ReadingOptions,
  type ReadingQuestion,
  type ReadLine,
} from './reading.js';
import { kindOfText, typeOfLine, type ReadRow } from './row-reader.js';
import type { Grid } from './split-rows.js';
import { serviceDaysOf, type ServiceDays } from './service-days.js';
import { isDay } from '../finance/period.js';

export interface DocumentContext {
  readonly grid: Grid;
  readonly table: FoundTable;
  readonly plan: ColumnPlan;
  readonly options: ReadingOptions;
  readonly range: ServiceDays | undefined;
  readonly order: DateNotation | undefined;
  readonly basis: Basis;
  readonly reader: (row: number) => ReadRow | undefined;
  readonly signs: Signs;
  readonly head: HeadTexts;
  /** Lines that each document keeps at most. */
  readonly linesEach: number;
}

export interface MadeDocument {
  readonly document: ReadDocument;
  readonly group: Group;
}

/** Which amounts of a file are taken with the other sign. */
export interface Signs {
  /** Credit notes whose amounts are written without a sign. */
  readonly negated: ReadonlySet<Group>;
  /** Credits and commissions within a document are deducted. */
  readonly deducts: boolean;
  readonly questions: readonly ReadingQuestion[];
}

/** What the texts above a table say of its document. */
export type HeadTexts = Readonly<
  Partial<Record<'number' | 'issued' | 'due' | 'currency' | 'refers_to' | 'po', string>>
>;

const headFields = ['number', 'issued', 'due', 'currency', 'refers_to', 'po'] as const;

/** Reads `Invoice No: INV-77` and `Rechnung Nr. RE-118` above the table. A text with a label counts before a title. */
export function headTexts({ head }: FoundTable): HeadTexts {
  const found: Partial<Record<(typeof headFields)[number], string>> = {};
  const labelledFirst = head.slice(0, 60).toSorted((a, b) => Number(a.label === '') - Number(b.label === ''));
  for (const { label, text } of labelledFirst) {
    const [name, whole] = label === '' ? splitLabel(text) : [label, text];
    const { value, day } = withoutDay(whole);
    const field = headFields.find((one) => one === fieldOfName(name)?.field);
    const isTaken = field === undefined || found[field] !== undefined || value === '';
    if (isTaken || value.length > 100 || (field === 'number' && !/\d/.test(value))) continue;
    found[field] = field === 'number' ? value : whole;
    if (field === 'number' && day !== undefined) found.issued ??= day;
  }
  // The day of a report is not the day of issue.
  const { issued: _, ...others } = found;
  return found.number === undefined ? others : found;
}

/** `118 del 30/11/2026`: a number and the day of its document. */
function withoutDay(text: string): { readonly value: string; readonly day?: string } {
  const [, value = '', day = ''] =
    /^(\S.*?)\s+(?:del|di|vom|von|du|dated?|of|van|z dnia|av|de|from)\s+(\S.*)$/iu.exec(text) ?? [];
  return value !== '' && Object.keys(dateReadings(day)).length > 0 ? { value, day } : { value: text };
}

/** The longest beginning of a text that is a known name, and the rest, which has a digit. */
function splitLabel(text: string): readonly [label: string, text: string] {
  const words = text.split(/\s+/).slice(0, 12);
  for (let count = Math.min(4, words.length - 1); count > 0; count -= 1) {
    const label = words.slice(0, count).join(' ');
    const rest = words.slice(count).join(' ');
    if (/\d/.test(label)) continue;
    if (/\d/.test(rest) && fieldOfName(label) !== undefined) return [label, rest];
  }
  return ['', text];
}

/**
 * Finds which amounts are written without their sign: those of a document that calls itself a credit note, and credits
 * within an invoice, for which the total decides or a person.
 */
export function findSigns(
  { groups, totals, typesAreKinds }: Gathered,
  {
    plan,
    table,
    answers,
  }: { readonly plan: ColumnPlan; readonly table: FoundTable; readonly answers: ReadingOptions['answers'] },
): Signs {
  const questions: ReadingQuestion[] = [];
  const numberName = table.written[plan.columns.get('number') ?? -1] ?? '';
  const labelled = table.head.map(({ label, text }) => label || text);
  const title = [...labelled, numberName].find(
    (text) =>
      text.length < 60 &&
      kindOfText(text) === 'credit_note' &&
      !/(?<!\p{L})(?:invoice|facture|rechnung)(?!\p{L})/iu.test(text),
  );
  const namesInvoice = [
    ...table.head.map(({ label }) => label),
    table.written[plan.columns.get('refers_to') ?? -1],
  ].some((name = '') => /rechnung|invoice/i.test(name) && fieldOfName(name)?.field === 'refers_to');
  const negated = new Set<Group>();
  for (const group of groups) {
    const kinds = [...group.kinds];
    const owed = group.netMicros + group.taxMicros;
    // Books of vendors have what is owed as a credit, below zero.
    if (owed < 0n && kinds.length === 1 && kinds[0] === 'invoice') {
      if (answers.get('kind') === 'invoice') negated.add(group);
      else if (!answers.has('kind') && questions.length === 0) questions.push(signQuestion(owed));
    }
    if (owed <= 0n) continue;
    const saysCredit =
      kinds.length === 1 &&
      !group.hasLineTypes &&
      (kinds[0] === 'credit_note' || (kinds[0] === 'credit' && typesAreKinds));
    // A German `Gutschrift` that names no invoice may be the bill of a buyer who bills himself, and a corrected invoice
    // may have its new amounts.
    const isSure =
      title !== undefined &&
      !/korrekturrechnung|koryg/i.test(title) &&
      (namesInvoice || !/gutschrift/i.test(title));
    if (saysCredit || (kinds.length === 0 && isSure)) negated.add(group);
    else if (kinds.length === 0 && title !== undefined) {
      if (answers.get('kind') === 'credit_note') negated.add(group);
      else if (!answers.has('kind') && questions.length === 0)
        questions.push(kindQuestion(title, group.netMicros + group.taxMicros));
    }
  }
  const credits = groups.filter((group) => !negated.has(group) && group.positiveCredits.length > 0);
  const deducted = 2n * credits.reduce((sum, { creditMicros }) => sum + creditMicros, 0n);
  if (deducted === 0n) return { negated, deducts: false, questions };
  const net = groups.reduce((sum, { netMicros }) => sum + netMicros, 0n);
  const tax = groups.reduce((sum, { taxMicros }) => sum + taxMicros, 0n);
  const owed = new Set(totals.map((total) => total.owed));
  if (owed.has(net) || owed.has(net + tax)) return { negated, deducts: false, questions };
  const said = answers.get('credit_sign');
  const deducts = said === 'deducted' || owed.has(net - deducted) || owed.has(net + tax - deducted);
  if (!deducts && said !== 'added')
    questions.push({
      id: 'credit_sign',
      why: 'Credits or commissions in the file have positive amounts. Are they deducted?',
      options: [
        { option: 'deducted', example: `${microsToDecimal(net - deducted)} without tax` },
        { option: 'added', example: `${microsToDecimal(net)} without tax` },
      ],
    });
  return { negated, deducts, questions };
}

const signQuestion = (micros: bigint): ReadingQuestion => ({
  id: 'kind',
  why: 'The file says that it is an invoice, and its amounts are below zero. Which one is it?',
  options: [
    { option: 'invoice', example: microsToDecimal(-micros) },
    { option: 'credit_note', example: microsToDecimal(micros) },
  ],
});

const kindQuestion = (title: string, micros: bigint): ReadingQuestion => ({
  id: 'kind',
  why: `The file says ${title.slice(0, 60)}, and its amounts are positive. Is it a credit note?`,
  options: [
    { option: 'credit_note', example: microsToDecimal(-micros) },
    { option: 'invoice', example: microsToDecimal(micros) },
  ],
});

/** Net and tax of a document with its signs. */
function sumsOf(group: Group, { signs }: DocumentContext): { readonly net: bigint; readonly tax: bigint } {
  const sign = signs.negated.has(group) ? -1n : 1n;
  const deducted = signs.deducts && sign === 1n ? 2n * group.creditMicros : 0n;
  const [taxOfHead] = group.headTotals.get('document_tax') ?? [];
  const tax = group.taxMicros !== 0n || taxOfHead === undefined ? group.taxMicros : taxOfHead;
  return { net: sign * (group.netMicros - deducted), tax: sign * tax };
}

/** Lines that are read between two pauses. */
const linesAtOnce = 200;

/** Pauses while the first lines are read. */
export function* makeDocument(group: Group, context: DocumentContext): Generator<void, MadeDocument> {
  const { options, head, order } = context;
  const { first } = group;
  const said = options.said ?? {};
  const answers = options.answers;
  const number =
    group.number !== '' ? group.number : (said.number ?? answers.get('number') ?? head.number ?? '');
  const answered = answers.get('issued');
  const issued =
    answered !== undefined && isDay(answered)
      ? answered
      : (first.day('issued') ?? (isDay(said.issued ?? '') ? said.issued : dayOf(head.issued ?? '', order)));
  const due = first.day('due') ?? (isDay(said.due ?? '') ? said.due : dayOf(head.due ?? '', order));
  const currency = currencyOf(group, context);
  const { net, tax } = sumsOf(group, context);
  const service = serviceOfGroup(group, context, issued);
  const shown: ReadLine[] = [];
  let total = 0;
  for (const line of linesOf(group, context)) {
    total += 1;
    if (total % linesAtOnce === 0) yield;
    if (shown.length < context.linesEach) shown.push(keptLine(line));
    if (total > linesInPreview) break;
  }
  const refersTo = first.text('refers_to') || (head.refers_to ?? '');
  const kind = [...group.kinds].some((one) => one === 'credit_note') && net + tax <= 0n;
  return {
    group,
    document: {
      kind: kind || net + tax < 0n ? 'credit_note' : 'invoice',
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
      netMicros: net,
      taxMicros: tax,
      grossMicros: net + tax,
      lineTotal: total <= linesInPreview ? total : group.rows.length,
      lines: shown,
    },
  };
}

/** The name of the column that is billed. */
export const nameOfAmount = ({ plan, table }: Pick<DocumentContext, 'plan' | 'table'>): string => {
  const at = plan.columns.get('net') ?? plan.columns.get('amount') ?? plan.columns.get('gross');
  return at === undefined ? '' : (table.written[at] ?? '');
};

function currencyOf(group: Group, context: DocumentContext): string | undefined {
  const { options, head, table } = context;
  const answered = (options.answers.get('currency') ?? '').toUpperCase();
  const written = group.first.text('currency');
  const said = (options.said?.currency ?? '').toUpperCase();
  if (written !== '') {
    const known = currencyOfSign(written);
    if (known?.certain === true) return answered === '' ? known.code : answered;
    // A sign of several currencies is a question; a text that is none is refused.
    return answered || said || (known === undefined ? written.toUpperCase() : undefined);
  }
  if (said !== '' || answered !== '') return said || answered;
  const named = currencyInName(nameOfAmount(context)) ?? currencyOfMoney(context);
  if (named !== undefined) return named;
  if (head.currency !== undefined && currencyOfSign(head.currency)?.certain === true)
    return currencyOfSign(head.currency)?.code;
  for (const { label, text } of table.around)
    if (/currency|währung|devise|moneda/i.test(label) && isCurrency(text.trim())) return text.trim();
  const [sign, another] = signsOf(group, context)
    .flatMap((text) => currencyOfSign(text) ?? [])
    .filter(({ certain }) => certain);
  if (sign !== undefined && (another === undefined || another.code === sign.code)) return sign.code;
  return onlyCurrency(group, context);
}

/** The one currency that the names of the columns of money say. */
function currencyOfMoney({ plan, table }: DocumentContext): string | undefined {
  const said = [...moneyFields, 'price' as const].flatMap((field) => {
    const at = plan.columns.get(field);
    return at === undefined ? [] : (currencyInName(table.written[at] ?? '') ?? []);
  });
  const [only, another] = new Set(said);
  return another === undefined ? only : undefined;
}

/** Whether nothing but what the seller sells in says the currency of a document. */
export const isCurrencyOfSeller = ({ document, group }: MadeDocument, context: DocumentContext): boolean =>
  document.currency !== undefined &&
  currencyOf(group, { ...context, options: { ...context.options, currencies: [] } }) === undefined;

const signInName = /\p{L}{0,2}\$|[¥￥]|(?<!\p{L})kr(?!\p{L})/giu;

/** The codes and signs of currencies beside the amounts of a document, and in the name of their column. */
export const signsOf = ({ signs }: Group, context: DocumentContext): readonly string[] => [
  ...signs,
  ...(nameOfAmount(context).match(signInName) ?? []).filter((sign) => currenciesOf(sign).length > 0),
];

/** The one currency in which the seller sells to us, where all signs beside the amounts can mean it. */
function onlyCurrency(group: Group, context: DocumentContext): string | undefined {
  const [only, next] = context.options.currencies ?? [];
  if (only === undefined || next !== undefined) return undefined;
  return signsOf(group, context).every((sign) => currenciesOf(sign).includes(only)) ? only : undefined;
}

function serviceOfGroup(
  group: Group,
  { options, range, plan }: DocumentContext,
  issued: string | undefined,
): { readonly days: ServiceDays; readonly by: NonNullable<ReadDocument['serviceBy']> } | undefined {
  const isReport = plan.columns.has('day') && !plan.columns.has('service_from');
  const isKnown = group.service !== undefined && !group.isServiceUnclear;
  if (isKnown && group.service !== undefined && !(isReport && range !== undefined))
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
export function* linesOf(group: Group, context: DocumentContext): Generator<ReadLine> {
  const { reader, basis, plan, signs, head } = context;
  const sign = signs.negated.has(group) ? -1n : 1n;
  const deducts = signs.deducts && sign === 1n;
  const po = head.po === undefined ? [] : [{ kind: 'po' as const, text: head.po }];
  let line = 0;
  let beside = 0n;
  const fees = plan.fees.map((place) => ({ place, micros: 0n }));
  for (const at of group.rows) {
    const row = reader(at);
    const owed = row === undefined ? undefined : owedBy(row, basis);
    if (row === undefined || owed === undefined) continue;
    line += 1;
    const net = deducts && group.positiveCredits.has(at) ? -owed.net : sign * owed.net;
    const tax = sign * owed.tax;
    let ofFees = 0n;
    for (const [nth, micros] of row.fees.entries()) {
      ofFees += sign * micros;
      const fee = fees[nth];
      if (fee !== undefined) fee.micros += sign * micros;
    }
    const found = typeOfLine(row, net);
    const names = row.names.some(({ kind }) => kind === 'po') ? row.names : [...row.names, ...po];
    const { type, by } =
      found.type === 'open' && names.length > 0 ? ({ type: 'media', by: 'name' } as const) : found;
    if (type !== 'tax') beside += tax;
    const units = row.text('units');
    const description = row.text('description') || row.label;
    const commission = row.amount('commission') ?? commissionOf(row, basis, plan);
    const isTaxed = tax !== 0n || plan.columns.has('tax');
    yield {
      line,
      row: row.row,
      type,
      by,
      amountMicros: net - ofFees,
      ...(isTaxed && { taxMicros: tax, grossMicros: net + tax }),
      ...(commission !== undefined && { commissionMicros: commission }),
      ...(units !== '' && { units }),
      ...(row.counts.size > 0 && { counts: row.counts }),
      names,
      ...(description !== '' && { description }),
      ...(row.service !== undefined && { serviceFrom: row.service.from, serviceTo: row.service.to }),
    };
  }
  for (const { place, micros } of fees) {
    if (micros === 0n) continue;
    line += 1;
    const description = context.table.written[place] ?? '';
    yield { line, row: 0, type: 'fee', by: 'column', amountMicros: micros, names: [], description };
  }
  const [ofHead] = group.headTotals.get('document_tax') ?? [];
  const tax = beside === 0n && group.taxMicros === 0n ? sign * (ofHead ?? 0n) : beside;
  if (tax === 0n) return;
  const description = ofHead === undefined || beside !== 0n ? 'Tax of the lines' : 'Tax of the document';
  yield { line: line + 1, row: 0, type: 'tax', by: 'column', amountMicros: tax, names: [], description };
}

/** What is between gross and net where that is the commission of the agency. */
function commissionOf(row: ReadRow, { tax }: Basis, plan: ColumnPlan): bigint | undefined {
  const [net, gross] = [row.amount('net'), row.amount('gross')];
  const isBetween = tax === 'columns' && !plan.columns.has('tax') && net !== undefined && gross !== undefined;
  return isBetween && gross !== net ? gross - net : undefined;
}
