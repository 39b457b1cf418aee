import type { CountedUnit } from '../finance/counted-price.js';
import { takeCounts } from './counted-columns.js';
import { dateReadings } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import { dateFields, fieldOfName, foldName, type ReadingField } from './header-names.js';
import {
  byParts,
  byWords,
  chosenAmount,
  currencyColumn,
  currencyInName,
  debitAndCredit,
  feesBeside,
  isShareColumn,
  isWithoutDigits,
  leviesIn,
  payableBeside,
  takeDeductions,
  takeSumAsGross,
  sampleOf,
  type Candidate,
  type Planning,
} from './money-columns.js';
import { presetOf, type Preset } from './presets.js';
import type { ReadingOptions, ReadingQuestion, RecognisedColumn } from './reading.js';
import { daysOfText } from './service-days.js';
import { ReadingFault, type Grid } from './split-rows.js';

/** Which column holds which field. */
export interface ColumnPlan {
  readonly preset?: Preset;
  readonly columns: ReadonlyMap<ReadingField, number>;
  /** Columns of tax beside the first one, such as GST and PST: what they say is added. */
  readonly taxes: readonly number[];
  /** Columns of fees that are in the amount: each of them is a line of its own. */
  readonly fees: readonly number[];
  /** Those of them that are added to the amount of a row first. */
  readonly added: readonly number[];
  /** Columns of counts, of a report that says no amount: the first of them is the amount of this plan. */
  readonly counts: ReadonlyMap<CountedUnit, number>;
  /** A column of credits beside the amounts: what it says is deducted. */
  readonly credits?: number;
  readonly by: ReadonlyMap<number, RecognisedColumn['by']>;
  readonly questions: readonly ReadingQuestion[];
}

/** Finds the field of each column: what a person said, a known layout, and then its name. */
export function* planColumns(
  grid: Grid,
  table: FoundTable,
  { mapping = {}, lastMapping = {}, answers, wants, said }: ReadingOptions,
): Generator<void, ColumnPlan> {
  const columns = new Map<ReadingField, number>();
  const by = new Map<number, RecognisedColumn['by']>();
  const preset = presetOf(table.written);
  const set = (field: ReadingField, at: number, how: RecognisedColumn['by']): void => {
    if (columns.has(field) || by.has(at)) return;
    columns.set(field, at);
    by.set(at, how);
  };
  for (const [field, column] of Object.entries(mapping) as [ReadingField, string][])
    set(field, onlyColumn(table, column), 'person');
  const last = Object.entries(lastMapping) as [ReadingField, string][];
  if (last.every(([, column]) => table.written.includes(column)))
    for (const [field, column] of last) set(field, onlyColumn(table, column), 'mapping');
  if (preset !== undefined) {
    for (const [field, names] of Object.entries(preset.fields) as [ReadingField, readonly string[]][]) {
      const name = names.find((one) => table.written.some((written) => foldName(written) === foldName(one)));
      if (name !== undefined) set(field, onlyColumn(table, name), 'preset');
    }
  }
  const questions: ReadingQuestion[] = [];
  const taxes: number[] = [];
  const fees: number[] = [];
  const added: number[] = [];
  let credits: number | undefined;
  let counts: ColumnPlan['counts'] = new Map();
  const takeCounted = (): boolean => {
    const found = wants === 'figures' ? takeCounts(grid, table, { columns, by, answers }) : undefined;
    questions.push(...(found?.questions ?? []));
    counts = found?.counts ?? counts;
    return found !== undefined;
  };
  if (preset === undefined || preset.isOpen === true) {
    const tax = (at: number): void => {
      if (by.has(at)) return;
      taxes.push(at);
      by.set(at, 'rule');
    };
    questions.push(...(yield* byNames(grid, table, { columns, set, tax, wants, answers, said })));
    const sides = hasMoney(columns) ? undefined : debitAndCredit(grid, table, { by, answers });
    if (sides !== undefined) {
      set('amount', sides.owed, 'rule');
      credits = sides.deducted;
      by.set(credits, 'rule');
      questions.push(...sides.questions);
    } else if (!hasMoney(columns) && !takeCounted()) {
      // Without an amount, each line may have one unit, as a spot on television has, and its price is billed.
      by.delete(columns.get('price') ?? -1);
      columns.delete('price');
      questions.push(...byWords(grid, table, { columns, set, by, answers }));
    }
    // A report is compared with the whole that it says.
    if (wants === 'documents' && sides === undefined) {
      const parts = byParts(grid, table, { columns, set, by, answers });
      questions.push(...parts.questions.filter(({ id }) => questions.every((one) => one.id !== id)));
      fees.push(...parts.fees);
      const beside =
        parts.fees.length > 0 || questions.some(({ id }) => id === 'amount')
          ? undefined
          : feesBeside(grid, table, { by, answers });
      questions.push(...(beside?.questions ?? []));
      added.push(...(beside?.fees ?? []));
      for (const at of added) by.set(at, 'person');
    }
    takeDeductions(grid, table, { columns, by });
    takeSumAsGross(grid, table, { columns, by });
    if (wants === 'documents') {
      const levies = leviesIn(grid, table, { columns, by });
      added.push(...levies);
      for (const at of levies) by.set(at, 'rule');
      const isAsked = sides !== undefined || fees.length > 0 || questions.some(({ id }) => id === 'amount');
      if (!isAsked) questions.push(...payableBeside(grid, table, { columns, set, by, answers }));
    }
  } else if (!hasMoney(columns)) takeCounted();
  if (wants === 'figures') keepDays(table, columns, by);
  // What the seller was paid in is not what it bills in, where the name of the amount says that.
  const amount = columns.get('net') ?? columns.get('amount') ?? columns.get('gross') ?? -1;
  const local = columns.get('currency');
  const isOther = (at: number): boolean =>
    currencyInName(table.written[amount] ?? '') !== undefined && otherCurrency.test(table.written[at] ?? '');
  if (local !== undefined && isOther(local)) {
    columns.delete('currency');
    by.delete(local);
  } else if (local === undefined) {
    const at = currencyColumn(grid, table, by);
    if (at !== undefined && !isOther(at)) set('currency', at, 'rule');
  }
  return {
    ...(preset !== undefined && { preset }),
    ...(credits !== undefined && { credits }),
    columns,
    taxes,
    fees: [...fees, ...added],
    added,
    counts,
    by,
    questions,
  };
}

/** A placement has its flight beside each day, and a range of days the day of its report. */
function keepDays(table: FoundTable, columns: Map<ReadingField, number>, by: Map<number, unknown>): void {
  const day = columns.get('day');
  if (day === undefined) return;
  const periods = ['service_from', 'service_to', 'service_month'] as const;
  const hasPeriod = periods.slice(1).some((field) => columns.has(field));
  const ofReport = hasPeriod && /report/i.test(table.written[day] ?? '');
  for (const field of ofReport ? (['day'] as const) : periods) {
    by.delete(columns.get(field) ?? -1);
    columns.delete(field);
  }
}

/** Names of a column with the currency of other amounts than those that are billed. */
const otherCurrency =
  /(?<!\p{L})(?:local|original|orig|foreign|transaction|source|spend|media|campaign)(?!\p{L})/iu;

const hasMoney = (columns: ReadonlyMap<ReadingField, number>): boolean =>
  columns.has('amount') || columns.has('net') || columns.has('gross');

function onlyColumn(table: FoundTable, name: string): number {
  const found = table.written.flatMap((written, at) => (foldName(written) === foldName(name) ? [at] : []));
  const named = table.names.indexOf(name);
  const [at, another] = found;
  if (another !== undefined) throw new ReadingFault(`The header names the column ${name} twice.`);
  if (at === undefined && named < 0)
    throw new ReadingFault(
      `The mapping names the column ${name}. This file has: ${table.names.join(', ')}. Say which of them holds what.`,
    );
  return at ?? named;
}

function* byNames(
  grid: Grid,
  table: FoundTable,
  planning: Planning &
    Pick<ReadingOptions, 'wants'> & {
      readonly said: ReadingOptions['said'] | undefined;
      readonly tax: (at: number) => void;
    },
): Generator<void, readonly ReadingQuestion[]> {
  const { columns, set, tax, wants } = planning;
  const found = candidatesOf(grid, table);
  const questions: ReadingQuestion[] = [];
  // A report has one date for each line, and no day of issue.
  const isReport =
    wants === 'figures' ||
    !(
      found.has('number') ||
      (found.has('document_type') && table.written.some((name) => plainNumber.test(name)))
    );
  for (const [field, candidates] of found) {
    const [first, second] = candidates;
    if (first === undefined || columns.has(field)) continue;
    if (second !== undefined && foldName(second.name) === foldName(first.name))
      throw new ReadingFault(`The header names the column ${first.name} twice.`);
    if (field === 'issued' && isReport && isPlainDate(first.name)) {
      set('day', first.at, 'rule');
      continue;
    }
    const isAmount = field === 'amount' ? !found.has('net') : field === 'net' || field === 'gross';
    const isTie = field === 'amount' || field === 'net' || second?.rank === first.rank;
    if (isAmount && second !== undefined && isTie) {
      const chosen = yield* chosenAmount(grid, table, { ...planning, candidates });
      if ('question' in chosen) questions.push(chosen.question);
      if ('total' in chosen) set('document_net', chosen.total, 'rule');
      if ('gross' in chosen) set('gross', chosen.gross, 'rule');
      set(field, chosen.at, 'question' in chosen ? 'rule' : chosen.by);
      continue;
    }
    if (field === 'day' && holdsRanges(grid, table, first.at)) {
      if (!found.has('service_month')) set('service_month', first.at, 'rule');
      continue;
    }
    set(field, first.at, 'rule');
    // Platforms have an id and a name of a campaign: both are kept.
    if (field === 'campaign' && second !== undefined && !found.has('description'))
      set('description', second.at, 'rule');
    if (field === 'tax') for (const { at } of candidates.slice(1)) tax(at);
    const isSpare = field === 'issued' && second !== undefined && isPlainDate(second.name);
    if (isSpare && !found.has('day')) set('day', second.at, 'rule');
  }
  // `Number` alone is that of a document where another column says what kind of document it is.
  const number = found.has('document_type') ? table.written.findIndex((name) => plainNumber.test(name)) : -1;
  if (number >= 0) set('number', number, 'rule');
  // A report whose lines say one day only.
  const from = columns.get('service_from');
  if (wants === 'figures' && from !== undefined && !found.has('service_to') && !found.has('day')) {
    columns.delete('service_from');
    columns.set('day', from);
  }
  return questions;
}

/** The columns of each field, the best name first. Columns of money stand last, because the others decide about them. */
function candidatesOf(grid: Grid, table: FoundTable): ReadonlyMap<ReadingField, readonly Candidate[]> {
  const found = new Map<ReadingField, Candidate[]>();
  for (const [at, name] of table.written.entries()) {
    const known = name === '' ? undefined : fieldOfName(name);
    if (known === undefined) continue;
    // `Day` may be the day of the week.
    if (dateFields.some((one) => one === known.field) && isWithoutDigits(grid, table, at)) continue;
    const field = known.field === 'tax' && isShareColumn(grid, table, at) ? 'tax_rate' : known.field;
    found.set(field, [...(found.get(field) ?? []), { at, rank: known.rank, name }]);
  }
  const last: readonly ReadingField[] = ['gross', 'amount', 'net'];
  const later = (field: ReadingField): number => last.indexOf(field);
  return new Map(
    [...found]
      .toSorted(([one], [other]) => later(one) - later(other))
      .map(([field, list]) => [field, list.toSorted((one, other) => one.rank - other.rank)] as const),
  );
}

const plainNumber = /^(?:number|num|no|nr|nummer|num[ée]ro|n[úu]mero)\.?$/iu;

/** Whether the cells of a column called a day are ranges of days. */
function holdsRanges(grid: Grid, table: FoundTable, at: number): boolean {
  const texts = sampleOf(grid, table, at).filter((text) => text !== '');
  const isRange = (text: string): boolean => {
    const days = Object.keys(dateReadings(text)).length > 0 ? undefined : daysOfText(text, undefined);
    return days !== undefined && days.from !== days.to;
  };
  return texts.length > 0 && texts.every(isRange);
}

const isPlainDate = (name: string): boolean =>
  /^(?:date|datum|fecha|data|dato|tarih|日付|日期)$/i.test(name.replace(/\s*[([].*$/, '').trim());
