import type { CountedUnit } from '../finance/counted-price.js';
import type { FoundTable } from './find-table.js';
import { moneyFields } from './header-names.js';
import { kindsOf, wordsOf } from './header-words.js';
import { sampleOf, type Planning } from './money-columns.js';
import { isNumberText } from './number-formats.js';
import type { ReadingQuestion, RecognisedColumn } from './reading.js';
import { saysNothing, type Grid } from './split-rows.js';

/** Shares, prices, times and indexes: numbers that count nothing. */
const noCount =
  /(?<!\p{L})(?:rate|ratio|percent(?:age)?|share|index|avg|average|ctr|vtr|vcr|e?cpm|e?cpcv?|e?cpv|cpa|score|time|seconds|duration|frequency|reach|uniques?|users?|quartile|cost|spend|revenue|budget)(?!\p{L})/iu;

/** Counts of what is not paid, unless the name says that they are left out: `Fraud-free ads`. */
const unpaid =
  /invalid|fraud|(?<!\p{L})[sg]?ivt|bots?(?!\p{L})|suspicious|blocked|filtered|unsafe|incidents?|violations?|failed|unmeasur|measurable|non[- ]?viewable|not[- ]viewable|unviewable|out[- ]of[- ]view|duplicates?|requests?|bids?(?!\p{L})|page ?views/iu;

const leftOut = /(?<!\p{L})(?:free|without|excl(?:uding)?|net of|ex)(?!\p{L})/iu;

const units: readonly (readonly [CountedUnit, RegExp])[] = [
  [
    'completed_views',
    /complet(?:ed?|ions?|es)(?!\p{L})|vollst[äa]ndig\p{L}* (?:views|aufrufe)|vues compl[èe]tes/iu,
  ],
  ['viewable_impressions', /(?<!\p{L})(?:viewable|in[- ]?view|sichtbare?|visibles?|zichtbare?)(?!\p{L})/iu],
  ['clicks', /(?<!\p{L})(?:clicks?|klicks?|clics?|cliques|clic)(?!\p{L})/iu],
  ['conversions', /(?<!\p{L})(?:conversions?|acquisitions?|konversionen|conversiones)(?!\p{L})/iu],
  ['views', /(?<!\p{L})(?:views|vues|aufrufe|visualizaciones)(?!\p{L})/iu],
  [
    'impressions',
    /(?<!\p{L})(?:impressions?|imps|impr|impressionen|impresiones|impressies|vertoningen|impressões|wyświetlenia|visningar|visninger|ads|インプレッション(?:数)?)(?!\p{L})/iu,
  ],
];

/** What a column counts, by its name; undefined of one that counts nothing that is paid. */
function unitOfName(written: string): CountedUnit | undefined {
  const name = written.replaceAll('_', ' ').replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  if (name.includes('%') || noCount.test(name)) return undefined;
  if (wordsOf(name).some((word) => kindsOf(word).has('planned'))) return undefined;
  if (unpaid.test(name) && !leftOut.test(name)) return undefined;
  return units.find(([, words]) => words.test(name))?.[0];
}

const billed = /(?<!\p{L})(?:billable|billed|invoiced|abrechenbare?|facturables?)(?!\p{L})/iu;

/** Whether most cells that say something are numbers. */
function hasNumbers(texts: readonly string[]): boolean {
  const said = texts.filter((text) => !saysNothing(text));
  return said.filter(isNumberText).length * 2 > said.length;
}

interface Found {
  readonly counts: ReadonlyMap<CountedUnit, number>;
  readonly questions: readonly ReadingQuestion[];
}

/**
 * The columns of a report that counts and says no amount; undefined if it counts nothing, or if one of its columns may be an
 * amount. Of several columns of one unit that differ, that which says what is billed counts, and else a person says it.
 */
function countedColumns(
  grid: Grid,
  table: FoundTable,
  { columns, answers }: Pick<Planning, 'columns' | 'answers'>,
): Found | undefined {
  const names = new Set<string>(['units', 'price', ...moneyFields]);
  const used = new Set([...columns].flatMap(([field, at]) => (names.has(field) ? [] : [at])));
  const numeric = table.names
    .map((name, at) => ({ name, at }))
    .filter(({ at }) => !used.has(at) && hasNumbers(sampleOf(grid, table, at)));
  const isMoney = (name: string): boolean =>
    unitOfName(name) === undefined &&
    !name.includes('%') &&
    !unpaid.test(name) &&
    wordsOf(name).some((word) => kindsOf(word).has('money')) &&
    !wordsOf(name).some((word) => kindsOf(word).has('unit') || kindsOf(word).has('count'));
  if (numeric.some(({ name }) => isMoney(name))) return undefined;
  const found = new Map<CountedUnit, { readonly name: string; readonly at: number }[]>();
  for (const column of numeric) {
    const unit = unitOfName(column.name);
    if (unit !== undefined) found.set(unit, [...(found.get(unit) ?? []), column]);
  }
  if (found.size === 0) return undefined;
  const counts = new Map<CountedUnit, number>();
  const questions: ReadingQuestion[] = [];
  for (const [unit, all] of found) {
    const [only, another] = all.filter(({ name }) => billed.test(name));
    const candidates = only !== undefined && another === undefined ? [only] : all;
    const id = `counted_${unit}`;
    const said = candidates.find(({ name }) => name === answers.get(id));
    const [first] = candidates;
    if (first === undefined) continue;
    counts.set(unit, (said ?? first).at);
    const samples = candidates.map(({ at }) => sampleOf(grid, table, at));
    const differs = samples[0]?.findIndex((text, row) => samples.some((of) => of[row] !== text)) ?? -1;
    if (said !== undefined || differs < 0) continue;
    questions.push({
      id,
      why: `Several columns count ${unit.replaceAll('_', ' ')}. Which of them is paid?`,
      options: candidates.map(({ name }, at) => ({ option: name, example: samples[at]?.[differs] ?? '' })),
    });
  }
  return { counts, questions };
}

/** Takes the columns of counts into a plan. The first stands for the amount, so that totals are checked. */
export function takeCounts(
  grid: Grid,
  table: FoundTable,
  {
    columns,
    by,
    answers,
  }: Pick<Planning, 'columns' | 'answers'> & { readonly by: Map<number, RecognisedColumn['by']> },
): Found | undefined {
  const found = countedColumns(grid, table, { columns, answers });
  if (found === undefined) return undefined;
  const places = new Set(found.counts.values());
  for (const field of ['units', 'price'] as const) {
    by.delete(columns.get(field) ?? -1);
    columns.delete(field);
  }
  for (const at of places) by.set(at, answers.size > 0 && isSaid(table, at, answers) ? 'person' : 'rule');
  const [first] = places;
  if (first !== undefined) columns.set('amount', first);
  return found;
}

const isSaid = (table: FoundTable, at: number, answers: ReadonlyMap<string, string>): boolean =>
  [...answers].some(([id, option]) => id.startsWith('counted_') && option === table.names[at]);
