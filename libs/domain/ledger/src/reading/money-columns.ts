import { isCurrency, roundToMicros } from '@switchyard/money';
import type { FoundTable } from './find-table.js';
import { fieldOfName, lineTypeOfWords, type ReadingField } from './header-names.js';
import { kindsOf, wordsOf, type HeaderWord } from './header-words.js';
import { decimalMarks, isNumberText, numberReadings, type DecimalMark } from './number-formats.js';
import type { ReadingOptions, ReadingQuestion, RecognisedColumn } from './reading.js';
import { ReadingFault, textOfCell, type Grid } from './split-rows.js';

/** A column whose name may mean a field. */
export interface Candidate {
  readonly at: number;
  readonly rank: number;
  readonly name: string;
}

export interface Planning {
  readonly columns: Map<ReadingField, number>;
  readonly set: (field: ReadingField, at: number, how: RecognisedColumn['by']) => void;
  readonly answers: ReadonlyMap<string, string>;
}

interface Choosing extends Planning {
  readonly said: ReadingOptions['said'] | undefined;
  readonly candidates: readonly Candidate[];
}

type Chosen =
  | { readonly at: number; readonly by: 'person' | 'rule'; readonly total?: number; readonly gross?: number }
  | { readonly at: number; readonly question: ReadingQuestion };

/**
 * Several columns may be the amount. The currency decides between `Amount (USD)` and `Amount (EUR)`; a column that repeats
 * the sum of a document on each of its lines is its total; columns with the same values need no answer.
 */
export function* chosenAmount(
  grid: Grid,
  table: FoundTable,
  { candidates: all, columns, answers, said }: Choosing,
): Generator<void, Chosen> {
  const answered = all.find(({ at }) => table.names[at] === answers.get('amount'));
  if (answered !== undefined) return { at: answered.at, by: 'person' };
  const candidates = ofCurrency(grid, table, { candidates: all, columns, said });
  const [best, next] = candidates;
  if (best === undefined) return { at: all[0]?.at ?? 0, by: 'rule' };
  if (next === undefined) return { at: best.at, by: 'rule' };
  for (const { at } of candidates)
    for (const { at: total } of candidates) {
      if (at === total) continue;
      yield;
      const tax = columns.get('tax');
      if (candidates.length === 2 && tax !== undefined && isSum(grid, table, [at, tax, total]))
        return { at, by: 'rule', gross: total };
      if (candidates.length === 2 && repeatsSum(grid, table, { number: columns.get('number'), at, total }))
        return { at, by: 'rule', total };
    }
  const [tax, gross] = [columns.get('tax'), columns.get('gross')];
  const [fits, also] = candidates.filter(
    ({ at }) => tax !== undefined && gross !== undefined && isSum(grid, table, [at, tax, gross]),
  );
  if (fits !== undefined && also === undefined) return { at: fits.at, by: 'rule' };
  let differs: number | undefined;
  for (let row = table.from; row < table.to && differs === undefined; row += 1) {
    if (row % 1_000 === 0) yield;
    const cells = grid.cells(row).map(textOfCell);
    if (new Set(candidates.map(({ at }) => cells[at] ?? '')).size > 1) differs = row;
  }
  if (differs === undefined) return { at: best.at, by: 'rule' };
  const cells = grid.cells(differs).map(textOfCell);
  return {
    at: best.at,
    question: {
      id: 'amount',
      why: 'Several columns hold amounts. Which of them is billed?',
      options: candidates.map(({ at }) => ({ option: table.names[at] ?? '', example: cells[at] ?? '' })),
    },
  };
}

/** Without the columns whose names say another currency than the file. */
function ofCurrency(
  grid: Grid,
  table: FoundTable,
  { candidates, columns, said }: Pick<Choosing, 'candidates' | 'columns' | 'said'>,
): readonly Candidate[] {
  const at = columns.get('currency');
  const written =
    at === undefined ? [] : sampleOf(grid, table, at).filter((text) => isCurrency(text.toUpperCase()));
  const [only, another] = new Set(written.map((text) => text.toUpperCase()));
  const currency = another === undefined ? (only ?? said?.currency?.toUpperCase()) : undefined;
  if (currency === undefined) return candidates;
  const kept = candidates.filter(({ name }) => {
    const code = currencyInName(name);
    return code === undefined || code === currency;
  });
  return kept.length > 0 ? kept : candidates;
}

/** Codes of currencies that are words too: `AD_SERVER_ALL_REVENUE` is not in lek. */
const codesLikeWords = new Set(['ALL', 'TOP', 'CUP']);

/** The ISO 4217 code in the name of a column. One that is a word counts in brackets alone. */
export function currencyInName(name: string): string | undefined {
  const thousands = /(?<![A-Za-z])[TKtk] ?(EUR|USD|GBP|CHF)(?![A-Za-z])/.exec(name)?.[1];
  if (thousands !== undefined) return thousands;
  for (const { 1: code = '', index } of name.matchAll(/(?<![A-Za-z])([A-Z]{3})(?![A-Za-z])/g))
    if (isCurrency(code) && (!codesLikeWords.has(code) || /[([]/.test(name[index - 1] ?? ''))) return code;
  if (name.includes('€')) return 'EUR';
  return name.includes('£') ? 'GBP' : undefined;
}

/** Rows that are compared. */
const comparedRows = 500;

/** Whether a column has, on each line of a document, the sum of another column over its lines. */
function repeatsSum(
  grid: Grid,
  table: FoundTable,
  { number, at, total }: { readonly number: number | undefined; readonly at: number; readonly total: number },
): boolean {
  return decimalMarks.some((mark) => {
    const sums = new Map<string, { sum: bigint; rows: number; totals: Set<bigint> }>();
    for (let row = table.from; row < Math.min(table.to, table.from + comparedRows); row += 1) {
      const cells = grid.cells(row).map(textOfCell);
      const [one, whole] = [microsOf(cells[at], mark), microsOf(cells[total], mark)];
      if (one === undefined || whole === undefined) continue;
      const key = number === undefined ? '' : (cells[number] ?? '');
      const found = sums.get(key) ?? { sum: 0n, rows: 0, totals: new Set() };
      sums.set(key, { sum: found.sum + one, rows: found.rows + 1, totals: found.totals.add(whole) });
    }
    const all = [...sums.values()];
    return (
      all.some(({ rows }) => rows > 1) && all.every(({ sum, totals }) => totals.size === 1 && totals.has(sum))
    );
  });
}

function microsOf(cell: string | undefined, mark: DecimalMark): bigint | undefined {
  const text = numberReadings(cell ?? '')[mark];
  const read = text === undefined ? undefined : roundToMicros(text);
  return read?.ok === true ? read.value : undefined;
}

/** No column has a known name for an amount: one whose name has such a word, or any with numbers. */
export function byWords(
  grid: Grid,
  table: FoundTable,
  { columns, set, by, answers }: Planning & { readonly by: ReadonlyMap<number, unknown> },
): readonly ReadingQuestion[] {
  const says = (name: string, kind: HeaderWord): boolean =>
    wordsOf(name).some((word) => kindsOf(word).has(kind));
  const numeric = numericColumns(grid, table).filter(
    ({ at, name }) =>
      !by.has(at) && !says(name, 'count') && !name.includes('%') && !/(?<!\p{L})ids?(?!\p{L})/iu.test(name),
  );
  const saysMoney = numeric.filter(({ name }) => says(name, 'money'));
  const amounts = saysMoney.filter(({ name }) => fieldOfName(name)?.field !== 'price');
  const named = amounts.length > 0 ? amounts : saysMoney;
  const candidates = named.length > 0 ? named : numeric;
  const [first, second] = candidates;
  if (first === undefined)
    throw new ReadingFault(
      `No column of the file holds an amount. It has: ${table.names.join(', ')}. Say which of them holds what.`,
    );
  // Units and the price of each do not say what is owed: a thousand may cost it, or one.
  if (
    columns.has('units') &&
    candidates.every(({ name }) => says(name, 'unit') || fieldOfName(name)?.field === 'price')
  )
    throw new ReadingFault(
      `The file has units and the price of each (${first.name}), and no amount. Add a column with the amount of each line.`,
    );
  const said = candidates.find(({ name }) => name === answers.get('amount'));
  set('amount', said?.at ?? first.at, said === undefined ? 'rule' : 'person');
  // A price of one unit is not what is billed.
  const isPrice = says(first.name, 'unit');
  if (said !== undefined || (second === undefined && named.length === 1 && !isPrice)) return [];
  const example = (at: number): string => sampleOf(grid, table, at).find((text) => text !== '') ?? '';
  return [
    {
      id: 'amount',
      why: 'No column has a name that surely means the amount. Which of them is billed?',
      options: candidates.map(({ name, at }) => ({ option: name, example: example(at) })),
    },
  ];
}

const debitNames = /^(?:debit|debits|soll|débit|debe|débito|dare|debito)$/iu;
const creditNames = /^(?:credit|credits|haben|crédit|haber|crédito|avere|credito)$/iu;

/**
 * Two columns, debit and credit, of which each row has one. A seller debits what we owe, and our own books credit it: a
 * person says whose they are.
 */
export function debitAndCredit(
  grid: Grid,
  table: FoundTable,
  { by, answers }: Pick<Planning, 'answers'> & { readonly by: ReadonlyMap<number, unknown> },
):
  | { readonly owed: number; readonly deducted: number; readonly questions: readonly ReadingQuestion[] }
  | undefined {
  const one = (names: RegExp): number | undefined => {
    const [at, another] = table.written.flatMap((name, place) =>
      names.test(name.replace(/\s*[([].*$/, '').trim()) && !by.has(place) ? [place] : [],
    );
    return another === undefined ? at : undefined;
  };
  const [debit, credit] = [one(debitNames), one(creditNames)];
  if (debit === undefined || credit === undefined) return undefined;
  const said = answers.get('owed_side');
  const question: ReadingQuestion = {
    id: 'owed_side',
    why: 'The file has a column of debits and one of credits. Which of them is owed to the seller?',
    options: [debit, credit].map((at) => ({
      option: at === debit ? 'debit' : 'credit',
      example: sampleOf(grid, table, at).find((text) => text !== '') ?? '',
    })),
  };
  const isCredit = said === 'credit';
  return {
    owed: isCredit ? credit : debit,
    deducted: isCredit ? debit : credit,
    questions: isCredit || said === 'debit' ? [] : [question],
  };
}

/** A column whose name nobody knows and whose cells are all codes of currencies. */
export function currencyColumn(
  grid: Grid,
  table: FoundTable,
  by: ReadonlyMap<number, unknown>,
): number | undefined {
  const isCode = (text: string): boolean =>
    /^[A-Z]{3}$/.test(text) && isCurrency(text) && !codesLikeWords.has(text);
  const [at, another] = table.written.flatMap((_, place) => {
    const texts = by.has(place) ? [] : sampleOf(grid, table, place).filter((text) => text !== '');
    return texts.length > 0 && texts.every(isCode) ? [place] : [];
  });
  return another === undefined ? at : undefined;
}

/** `AE 15 %`, and not a fee of the agency, which is billed. */
const isCommissionName = (name: string): boolean =>
  lineTypeOfWords(name) === 'commission' ||
  (lineTypeOfWords(name) === undefined &&
    /(?<!\p{L})(?:agency|agentur|ae|agence|agencia)(?!\p{L})/iu.test(name));

const isDeductionName = (name: string): boolean =>
  lineTypeOfWords(name) === 'credit' || isCommissionName(name);

/**
 * What lies between gross and net where columns say it, with a sign or without one: discounts, and the commission of the
 * agency. Gross says nothing of tax then; before a discount it says nothing at all.
 */
export function takeDeductions(
  grid: Grid,
  table: FoundTable,
  {
    columns,
    by,
  }: { readonly columns: Planning['columns']; readonly by: Map<number, RecognisedColumn['by']> },
): void {
  const [net, gross] = [columns.get('net'), columns.get('gross')];
  const spare = numericColumns(grid, table).filter(({ at, name }) => !by.has(at) && isDeductionName(name));
  const commission = columns.get('commission') ?? spare.find(({ name }) => isCommissionName(name))?.at;
  const take = (): void => {
    if (commission === undefined || columns.has('commission')) return;
    columns.set('commission', commission);
    by.set(commission, 'rule');
  };
  if (net !== undefined && gross !== undefined) {
    const discounts = spare.filter(({ at, name }) => at !== commission && !isCommissionName(name));
    const sets = [
      discounts.map(({ at }) => at),
      ...discounts.map(({ at }) => [at]),
      ...(commission === undefined ? [] : [[commission], [commission, ...discounts.map(({ at }) => at)]]),
    ];
    const found = sets.find(
      (places) => places.length > 0 && isDifference(grid, table, { gross, net, places }),
    );
    if (found?.some((at) => at !== commission) === true) columns.delete('gross');
    if (commission !== undefined && found?.includes(commission) === true) take();
  }
  // `Net payable` is what is left of net without the commission.
  if (net === undefined || commission === undefined) return;
  const [left, another] = numericColumns(grid, table).filter(
    ({ at }) => !by.has(at) && isDifference(grid, table, { gross: net, net: at, places: [commission] }),
  );
  if (left === undefined || another !== undefined) return;
  by.delete(net);
  columns.set('net', left.at);
  by.set(left.at, 'rule');
  take();
}

/** Whether gross less the other columns, whatever their signs, is net in all rows, and not zero in one at least. */
function isDifference(
  grid: Grid,
  table: FoundTable,
  {
    gross,
    net,
    places,
  }: { readonly gross: number; readonly net: number; readonly places: readonly number[] },
): boolean {
  const size = (micros: bigint): bigint => (micros < 0n ? -micros : micros);
  return decimalMarks.some((mark) => {
    let rows = 0;
    for (let row = table.from; row < Math.min(table.to, table.from + 20); row += 1) {
      const cells = grid.cells(row).map(textOfCell);
      const [whole, left] = [microsOf(cells[gross], mark), microsOf(cells[net], mark)];
      if (whole === undefined || left === undefined) continue;
      const parts = places.map((at) => (cells[at] === '' ? 0n : microsOf(cells[at], mark)));
      if (parts.some((part) => part === undefined)) return false;
      const sum = parts.reduce<bigint>((all, part) => all + size(part ?? 0n), 0n);
      if (size(whole) - sum !== size(left)) return false;
      if (sum !== 0n) rows += 1;
    }
    return rows > 0;
  });
}

/** A column that is charged beside net and tax, as the gross amount of each row shows: a levy on advertising, for example. */
export function leviesIn(
  grid: Grid,
  table: FoundTable,
  { columns, by }: { readonly columns: Planning['columns']; readonly by: ReadonlyMap<number, unknown> },
): readonly number[] {
  const [net, tax, gross] = [columns.get('net'), columns.get('tax'), columns.get('gross')];
  if (net === undefined || tax === undefined || gross === undefined) return [];
  if (isSum(grid, table, [net, tax, gross])) return [];
  const found = numericColumns(grid, table).filter(
    ({ at }) => !by.has(at) && isSum(grid, table, [net, tax, at, gross]),
  );
  return found.length === 1 ? found.map(({ at }) => at) : [];
}

const payableName =
  /payable|payout|(?<!\p{L})owed(?!\p{L})|(?:amount|net|balance|total) due|this (?:invoice|period|month|bill)|current (?:charge|billing|invoice|period)|to be paid|zu zahlen|zahlbetrag|[àa] payer|a pagar|da pagare|te betalen|att betala/iu;

/** A column that says what is to be paid, in other words than the names of amounts, beside one that is taken for the amount. */
export function payableBeside(
  grid: Grid,
  table: FoundTable,
  { columns, by, answers, set }: Planning & { readonly by: Map<number, RecognisedColumn['by']> },
): readonly ReadingQuestion[] {
  const field = columns.has('net') ? 'net' : 'amount';
  const amount = columns.get(field);
  if (amount === undefined || columns.has('tax') || columns.has('tax_rate') || columns.has('gross'))
    return [];
  const texts = sampleOf(grid, table, amount);
  const commission = columns.get('commission');
  const isLeftOf = (at: number): boolean =>
    commission !== undefined &&
    field === 'amount' &&
    isDifference(grid, table, { gross: amount, net: at, places: [commission] });
  const found = numericColumns(grid, table).filter(
    ({ at, name }) =>
      !by.has(at) &&
      !name.includes('%') &&
      (payableName.test(name) || isLeftOf(at)) &&
      sampleOf(grid, table, at).some((text, row) => text !== '' && text !== texts[row]),
  );
  if (found.length === 0) return [];
  const all = [{ at: amount, name: table.names[amount] ?? '' }, ...found];
  const said = all.find(({ name }) => name === answers.get('amount'));
  if (said !== undefined) {
    columns.delete(field);
    by.delete(amount);
    set(field, said.at, 'person');
    return [];
  }
  const first = (at: number): string => sampleOf(grid, table, at).find((text) => text !== '') ?? '';
  return [
    {
      id: 'amount',
      why: 'Several columns hold amounts. Which of them is billed?',
      options: all.map(({ at, name }) => ({ option: name, example: first(at) })),
    },
  ];
}

/** Gross may be what stood there before discounts: another column that is net and tax together is gross then. */
export function takeSumAsGross(
  grid: Grid,
  table: FoundTable,
  {
    columns,
    by,
  }: { readonly columns: Planning['columns']; readonly by: Map<number, RecognisedColumn['by']> },
): void {
  const [net, tax, gross] = [columns.get('net'), columns.get('tax'), columns.get('gross')];
  if (net === undefined || tax === undefined || gross === undefined) return;
  if (isSum(grid, table, [net, tax, gross])) return;
  const [sum, another] = numericColumns(grid, table).filter(
    ({ at }) => ![net, tax, gross].includes(at) && isSum(grid, table, [net, tax, at]),
  );
  if (sum === undefined || another !== undefined) return;
  for (const [field, at] of columns) if (at === sum.at) columns.delete(field);
  by.delete(gross);
  columns.set('gross', sum.at);
  by.set(sum.at, 'rule');
}

function numericColumns(
  grid: Grid,
  table: FoundTable,
): readonly { readonly name: string; readonly at: number }[] {
  return table.names.flatMap((name, at) => {
    const texts = sampleOf(grid, table, at).filter((text) => text !== '');
    const numbers = texts.filter((text) => isNumberText(text)).length;
    return texts.length > 0 && numbers * 2 > texts.length ? [{ name, at }] : [];
  });
}

/** Columns that may be parts of a sum. */
const partsAtMost = 8;

/** Words of the columns of what is billed beside media. */
const feeOfName =
  /(?<!\p{L})(?:fees?|serving|data|tech|technology|feature|platform|verification|surcharge)(?!\p{L})/iu;

/**
 * A column of money may be the sum of others. Where all of them but one are fees by their names, the sum is billed, and each
 * fee is a line of its own; else a person says which of them is billed.
 */
export function byParts(
  grid: Grid,
  table: FoundTable,
  { columns, by, answers, set }: Planning & { readonly by: Map<number, RecognisedColumn['by']> },
): { readonly questions: readonly ReadingQuestion[]; readonly fees: readonly number[] } {
  const none = { questions: [], fees: [] };
  const field = columns.has('amount') ? 'amount' : 'net';
  const amount = columns.get(field);
  if (amount === undefined || (field === 'amount' && columns.has('net'))) return none;
  if (columns.has('tax') || columns.has('tax_rate') || columns.has('gross') || columns.has('commission'))
    return none;
  const nameOf = (at: number): string => table.names[at] ?? '';
  const spare = numericColumns(grid, table).filter(({ at }) => !by.has(at));
  const found = sumAround(
    grid,
    table,
    amount,
    spare.slice(0, partsAtMost).map(({ at }) => at),
  );
  // A net that is a part of a larger amount is what is left of it.
  if (found === undefined || (field === 'net' && found.total !== amount)) return none;
  const { total, parts } = found;
  // A net that is what discounts leave.
  const others = parts.filter((at) => !isDeductionName(nameOf(at)));
  const isLowered = parts.every((at) => others.includes(at) || isNeverAdded(grid, table, at));
  if (total === amount && others.length === 1 && isLowered) return none;
  const take = (at: number, how: 'person' | 'rule'): void => {
    columns.delete(field);
    by.delete(amount);
    set(field, at, how);
  };
  const fees = parts.filter((at) => feeOfName.test(nameOf(at)));
  const said = answers.get('amount');
  const areFees = fees.length === parts.length - 1;
  if (areFees && (said === undefined || said === nameOf(total))) {
    take(total, said === undefined ? 'rule' : 'person');
    return { questions: [], fees };
  }
  const first = (at: number): string => sampleOf(grid, table, at).find((text) => text !== '') ?? '';
  const sizeOf = (at: number): bigint => microsOf(first(at), 'point') ?? 0n;
  const [one, other] = parts;
  const [whole, part] =
    one === undefined || other === undefined || sizeOf(one) >= sizeOf(other) ? [one, other] : [other, one];
  // Two parts of what is called the amount may be the amount without its tax, and the tax.
  if (
    total === amount &&
    parts.length === 2 &&
    whole !== undefined &&
    part !== undefined &&
    sizeOf(part) * 10n <= sizeOf(whole) * 3n &&
    parts.every((at) => lineTypeOfWords(nameOf(at)) !== 'credit')
  ) {
    if (said === nameOf(amount)) return none;
    if (said === nameOf(whole)) {
      columns.delete(field);
      set('net', whole, 'person');
      set('tax', part, 'person');
      return none;
    }
    return {
      fees: [],
      questions: [
        {
          id: 'amount',
          why: `${nameOf(amount)} is the sum of ${nameOf(whole)} and ${nameOf(part)}. Which amount is owed without tax?`,
          options: [
            { option: nameOf(whole), example: `${first(whole)}, and ${first(part)} is tax` },
            { option: nameOf(amount), example: first(amount) },
          ],
        },
      ],
    };
  }
  const chosen = [total, ...parts].find((at) => nameOf(at) === said);
  if (chosen !== undefined) {
    if (chosen !== amount) take(chosen, 'person');
    return none;
  }
  return {
    fees: [],
    questions: [
      {
        id: 'amount',
        why: `${nameOf(total)} is the sum of ${parts.map(nameOf).join(', ')}. Which amount is billed?`,
        options: [total, ...parts].map((at) => ({ option: nameOf(at), example: first(at) })),
      },
    ],
  };
}

/** Columns of fees beside the amounts, in no sum of the file: a person says whether they are billed with them. */
export function feesBeside(
  grid: Grid,
  table: FoundTable,
  { by, answers }: Pick<Planning, 'answers'> & { readonly by: ReadonlyMap<number, unknown> },
): { readonly fees: readonly number[]; readonly questions: readonly ReadingQuestion[] } {
  const isFee = (name: string): boolean =>
    /(?<!\p{L})(?:fees?|gebühr(?:en)?|frais|surcharge)(?!\p{L})/iu.test(name) &&
    !/%|rate|percent/i.test(name);
  const fees = numericColumns(grid, table).filter(({ at, name }) => !by.has(at) && isFee(name));
  const isAny = fees.some(({ at }) =>
    sampleOf(grid, table, at).some((text) => (microsOf(text, 'point') ?? 1n) !== 0n && text !== ''),
  );
  const said = answers.get('fees');
  if (!isAny || said === 'left_out') return { fees: [], questions: [] };
  const names = fees.map(({ name }) => name).join(', ');
  const question: ReadingQuestion = {
    id: 'fees',
    why: `The file has fees beside its amounts: ${names}. Are they billed in addition?`,
    options: [
      { option: 'added', example: 'a line for each of them' },
      { option: 'left_out', example: 'they are in the amounts, or billed elsewhere' },
    ],
  };
  return said === 'added'
    ? { fees: fees.map(({ at }) => at), questions: [] }
    : { fees: [], questions: [question] };
}

/** A sum of at least two columns, of which `amount` is the total or a part. */
function sumAround(
  grid: Grid,
  table: FoundTable,
  amount: number,
  spare: readonly number[],
): { readonly total: number; readonly parts: readonly number[] } | undefined {
  for (const total of [amount, ...spare]) {
    const others = [amount, ...spare].filter((at) => at !== total);
    for (let chosen = 3; chosen < 2 ** others.length; chosen += 1) {
      const parts = others.filter((_, bit) => (chosen >> bit) % 2 === 1);
      if (parts.length < 2 || (total !== amount && !parts.includes(amount))) continue;
      if (isSum(grid, table, [...parts, total])) return { total, parts };
    }
  }
  return undefined;
}

/** Whether no number of a column is above zero. */
const isNeverAdded = (grid: Grid, table: FoundTable, at: number): boolean =>
  sampleOf(grid, table, at).every((text) => (microsOf(text, 'point') ?? microsOf(text, 'comma') ?? 0n) <= 0n);

/** Whether the last column is the sum of those before it in all rows, in one at least of several parts that are not zero. */
function isSum(grid: Grid, table: FoundTable, places: readonly number[]): boolean {
  return decimalMarks.some((mark) => {
    let rows = 0;
    for (let row = table.from; row < Math.min(table.to, table.from + 20); row += 1) {
      const cells = grid.cells(row).map(textOfCell);
      const values = places.map((at) => microsOf(cells[at], mark));
      const [sum, ...parts] = values.toReversed();
      if (sum === undefined || parts.some((part) => part === undefined)) continue;
      if (parts.reduce<bigint>((all, part) => all + (part ?? 0n), 0n) !== sum) return false;
      if (parts.filter((part) => part !== 0n).length > 1) rows += 1;
    }
    return rows > 0;
  });
}

/** Whether the cells of a column are percentages. */
export function isShareColumn(grid: Grid, table: FoundTable, at: number): boolean {
  const texts = sampleOf(grid, table, at).filter((text) => text !== '');
  return texts.length > 0 && texts.every((text) => /^\d+(?:[.,]\d+)?\s*%$/.test(text));
}

/** Whether most cells of a column are words. */
export function isWithoutDigits(grid: Grid, table: FoundTable, at: number): boolean {
  const texts = sampleOf(grid, table, at).filter((text) => text !== '');
  return texts.length > 0 && texts.filter((text) => /\p{N}/u.test(text)).length * 2 < texts.length;
}

export function sampleOf(grid: Grid, table: FoundTable, at: number): readonly string[] {
  return firstRowsOf(grid, table).map((cells) => cells[at] ?? '');
}

/** The first rows of a table: each of its columns is looked at several times, and a row may have hundreds. */
const firstRows = new WeakMap<Grid, Map<FoundTable, readonly (readonly string[])[]>>();

function firstRowsOf(grid: Grid, table: FoundTable): readonly (readonly string[])[] {
  const known = firstRows.get(grid) ?? new Map<FoundTable, readonly (readonly string[])[]>();
  firstRows.set(grid, known);
  const found = known.get(table);
  if (found !== undefined) return found;
  const rows: string[][] = [];
  for (let row = table.from; row < Math.min(table.to, table.from + 20); row += 1)
    rows.push(grid.cells(row).map(textOfCell));
  known.set(table, rows);
  return rows;
}
