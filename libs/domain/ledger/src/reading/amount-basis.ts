import { divideHalfEven, microsToDecimal, parseDecimal } from '@switchyard/money';
import type { ColumnPlan } from './column-plan.js';
import type { FoundTable } from './find-table.js';
import { kindsOf, saysTaxInside, wordsOf } from './header-words.js';
import { isNumberText } from './number-formats.js';
import type { ReadingOptions, ReadingQuestion } from './reading.js';
import type { Factor, ReadRow } from './row-reader.js';
import { saysNothing, textOfCell, type Grid } from './split-rows.js';

/** How the columns of money say what a line owes. */
export interface Basis {
  /** The column that says what is owed; `amount_with_tax` is an amount with its tax. */
  readonly from: 'net' | 'amount' | 'gross' | 'amount_with_tax';
  /**
   * Where the tax comes from: columns of tax; gross less net; a column of rates, on top of the amount or in it; or one
   * rate in all amounts, in micros of a percent.
   */
  readonly tax: 'columns' | 'difference' | 'rate_added' | 'rate_inside' | { readonly percentInside: bigint };
}

interface Found {
  readonly basis: Basis;
  readonly questions: readonly ReadingQuestion[];
}

type RowOf = (row: number) => ReadRow | undefined;

const microsHeader = /micros?\b|^column\./i;
const thousandsHeader =
  /[('’]\s*(?:[€$£]|[A-Z]{3})?\s*['’]?000(?:['’]?s)?\b|\bthousands?\b|\b(?:tsd|tausend|milliers|miles|migliaia|duizenden|tys)\b|(?<!\p{L})[tk] ?(?:eur|usd|gbp|chf|€|\$|£)|[€$£]\s?k\b/iu;
const centsHeader = /(?<![A-Za-z])(?:cents?|centimes?|céntimos|pence|minor units?|minor)(?![A-Za-z])/i;

/** Amounts in micros are recognised by the name of their column; whole multiples of 10,000 above a million are asked about. */
export function* findFactor(
  grid: Grid,
  table: FoundTable,
  { columns, counts, preset }: ColumnPlan,
  { answers }: ReadingOptions,
): Generator<void, { readonly factor: Factor; readonly questions: readonly ReadingQuestion[] }> {
  const at = columns.get('net') ?? columns.get('amount') ?? columns.get('gross');
  if (at === undefined || counts.size > 0) return { factor: 'units', questions: [] };
  const name = (table.written[at] ?? '').replaceAll('_', ' ');
  if (preset?.isInMicros === true || microsHeader.test(name)) return { factor: 'micros', questions: [] };
  if (thousandsHeader.test(name)) return { factor: 'thousands', questions: [] };
  if (centsHeader.test(name)) return { factor: 'minor', questions: [] };
  let example: string | undefined;
  for (let row = table.from; row < table.to; row += 1) {
    if (row % 1_000 === 0) yield;
    const cell = grid.cells(row)[at];
    if (saysNothing(cell) || cell === undefined) continue;
    if (typeof cell !== 'string' && cell.kind !== 'number') continue;
    // Nobody writes millionths with groups, cents or a currency; a table of floating point numbers has `.0` behind each.
    const text = textOfCell(cell).trim().replace(/\.0$/, '');
    if (text === '0') continue;
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

/** Which of the columns of money says what is owed without tax, and where the tax is. */
export function* findBasis(
  grid: Grid,
  reader: RowOf,
  table: FoundTable,
  plan: ColumnPlan,
  { answers }: ReadingOptions,
): Generator<void, Found> {
  const { columns } = plan;
  if (plan.counts.size > 0) return plain('amount');
  const has = (field: Parameters<ColumnPlan['columns']['has']>[0]): boolean => columns.has(field);
  const sample = yield* firstRows(reader, table);
  const insideBy = has('net') || has('tax') || has('tax_rate') ? undefined : taxInsideIn(grid, table);
  if (insideBy !== undefined) {
    const from = has('amount') ? 'amount_with_tax' : 'gross';
    return insideBy.percent === undefined
      ? taxInside(sample, from, answers, false)
      : plain(from, { percentInside: insideBy.percent });
  }
  if (has('net')) {
    const two = has('amount') && !has('gross') ? netOrAmount(sample, { table, plan, answers }) : undefined;
    if (two !== undefined) return two;
    if (has('tax')) return rateOrAmount(sample, 'net', answers);
    if (has('gross')) return withoutTaxColumn(sample, { table, plan, answers });
    return has('tax_rate') ? byRate(sample, 'net', answers) : plain('net');
  }
  if (!has('amount')) return grossAlone(sample, { table, plan, answers });
  if (has('tax')) return yield* amountAndTax(reader, table, { columns, answers, sample });
  if (has('tax_rate')) return byRate(sample, 'amount', answers);
  const name = table.written[columns.get('amount') ?? -1] ?? '';
  return saysWithTax(name) ? taxInside(sample, 'amount_with_tax', answers) : plain('amount');
}

const plain = (from: Basis['from'], tax: Basis['tax'] = 'columns'): Found => ({
  basis: { from, tax },
  questions: [],
});

/** Rows at the end of a file that may say a tax. */
const lastRows = 100;

/** A row that says which tax is in the amounts: `of which VAT 19 %`. Its rate is in micros of a percent. */
function taxInsideIn(grid: Grid, table: FoundTable): { readonly percent: bigint | undefined } | undefined {
  for (let row = Math.max(table.from, grid.rows - lastRows); row < grid.rows; row += 1) {
    const texts = grid.cells(row).map(textOfCell);
    const label = texts.find(saysTaxInside);
    if (label === undefined || !texts.some((text) => isNumberText(text))) continue;
    const rate = /(\d+(?:[.,]\d+)?)\s*%/.exec(label)?.[1]?.replace(',', '.');
    const percent = rate === undefined ? undefined : parseDecimal(rate);
    return { percent: percent?.ok === true ? percent.value : undefined };
  }
  return undefined;
}

/** Rows with an amount that decide, at most. */
const rowsInSample = 100;

function* firstRows(reader: RowOf, table: FoundTable): Generator<void, readonly ReadRow[]> {
  const rows: ReadRow[] = [];
  for (let at = table.from; at < table.to && rows.length < rowsInSample; at += 1) {
    if (at % 20 === 0) yield;
    const row = reader(at);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** Whether a name says that its amounts are with tax: `Total TTC`, `Amount incl. VAT`, `Bruttobetrag`. */
function saysWithTax(name: string): boolean {
  const kinds = wordsOf(name).map(kindsOf);
  const isGross = kinds.some((one) => one.has('gross'));
  return isGross && !/(?<![a-z])gross(?![a-z])/i.test(name);
}

/** Two columns of amounts without a name that tells them apart, as with a discount between: a person says which is owed. */
function netOrAmount(sample: readonly ReadRow[], { table, plan, answers }: Asking): Found | undefined {
  const differs = sample.find((row) => {
    const [net, amount] = [row.amount('net'), row.amount('amount')];
    if (net === undefined || amount === undefined) return false;
    const [tax, commission] = [row.amount('tax') ?? 0n, row.amount('commission') ?? 0n];
    const ofRate = net + divideHalfEven(net * (row.percent ?? 0n), 100_000_000n);
    const off = amount - ofRate;
    if (row.percent !== undefined && off <= 10_000n && off >= -10_000n) return false;
    return ![net, net + tax, net + commission, net + tax + commission].includes(amount);
  });
  const said = answers.get('owed_column');
  if (differs === undefined || said === 'net') return undefined;
  if (said === 'amount') return plain('amount');
  const option = (field: 'net' | 'amount') => ({
    option: field,
    example: `${table.written[plan.columns.get(field) ?? -1] ?? field}: ${microsToDecimal(differs.amount(field) ?? 0n)}`,
  });
  const why = `Row ${differs.row} has two amounts that differ, and nothing between them. Which one is owed?`;
  return {
    basis: { from: 'net', tax: 'columns' },
    questions: [{ id: 'owed_column', why, options: [option('net'), option('amount')] }],
  };
}

/** A column of tax may hold the rate: 19 beside 1,000 is a rate, because no tax is so small. */
function rateOrAmount(
  sample: readonly ReadRow[],
  from: 'net' | 'amount',
  answers: ReadonlyMap<string, string>,
): Found {
  const taxed = sample.filter((row) => (row.amount('tax') ?? 0n) !== 0n && (row.amount(from) ?? 0n) !== 0n);
  const [first] = taxed;
  const rate = first?.amount('tax') ?? 0n;
  const isRate =
    first !== undefined &&
    ((rate >= 2_000_000n && rate <= 30_000_000n) || (rate >= 20_000n && rate <= 300_000n)) &&
    taxed.every((row) => row.amount('tax') === rate && row.amount('gross') === undefined) &&
    taxed.some((row) => absolute(row.amount(from) ?? 0n) > rate * 20n);
  if (!isRate) return plain(from);
  const said = answers.get('tax_is');
  if (said === 'amount') return plain(from);
  if (said === 'rate') return plain(from, 'rate_added');
  const net = first.amount(from) ?? 0n;
  return {
    basis: { from, tax: 'columns' },
    questions: [
      {
        id: 'tax_is',
        why: 'The column of the tax has the same small number on each line. Is it the rate in percent, or the amount?',
        options: [
          {
            option: 'rate',
            example: `${microsToDecimal(share(net, asPercent(rate)))} of tax on ${microsToDecimal(net)}`,
          },
          { option: 'amount', example: `${microsToDecimal(rate)} of tax on ${microsToDecimal(net)}` },
        ],
      },
    ],
  };
}

/** A share such as `0.19` is 19 percent. */
const asPercent = (micros: bigint): bigint => (absolute(micros) < 1_000_000n ? micros * 100n : micros);

const absolute = (micros: bigint): bigint => (micros < 0n ? -micros : micros);

/** A share of an amount, rounded to hundredths. `percent` is in micros. */
const share = (amount: bigint, percent: bigint): bigint => toCents(amount * percent, 100_000_000n);

/** Rounds `value / divisor` micros half to even, to hundredths of the currency. */
const toCents = (value: bigint, divisor: bigint): bigint =>
  divideHalfEven(value, divisor * 10_000n) * 10_000n;

interface Asking {
  readonly table: FoundTable;
  readonly plan: ColumnPlan;
  readonly answers: ReadonlyMap<string, string>;
}

/** Net and gross without a column between them: what is between is tax, or the commission of the agency. */
function withoutTaxColumn(sample: readonly ReadRow[], { table, plan, answers }: Asking): Found {
  const { columns, preset } = plan;
  const differs = sample.find(
    (row) =>
      row.amount('gross') !== undefined &&
      row.amount('net') !== undefined &&
      row.amount('gross') !== row.amount('net'),
  );
  if (differs === undefined || columns.has('commission') || preset?.grossIs === 'commission')
    return plain('net');
  if (columns.has('tax_rate')) return rateOrDifference(sample, { table, plan, answers });
  const names = [columns.get('gross'), columns.get('net')].map((at) => table.written[at ?? -1] ?? '');
  const isTax =
    saysWithTax(names[0] ?? '') ||
    wordsOf(names.join(' ')).some((word) => kindsOf(word).has('tax')) ||
    /\bht\b/i.test(names[1] ?? '');
  const said = answers.get('gross_less_net');
  if (isTax || said === 'tax') return plain('net', 'difference');
  if (said === 'commission') return plain('net');
  const [net, gross] = [differs.amount('net') ?? 0n, differs.amount('gross') ?? 0n];
  return {
    basis: { from: 'net', tax: 'difference' },
    questions: [
      {
        id: 'gross_less_net',
        why: 'Gross and net differ, and no column says by what. Is it tax, or the commission of the agency?',
        options: [
          { option: 'tax', example: `${microsToDecimal(gross)} is owed` },
          { option: 'commission', example: `${microsToDecimal(net)} is owed` },
        ],
      },
    ],
  };
}

/** What is between net and gross is tax where the rate says so; else gross may be the price before a discount. */
function rateOrDifference(sample: readonly ReadRow[], { answers }: Asking): Found {
  const differs = sample.find((row) => {
    const [net, gross, percent] = [row.amount('net'), row.amount('gross'), row.percent];
    if (net === undefined || gross === undefined || percent === undefined) return false;
    return absolute(gross - net - share(net, percent)) > 10_000n;
  });
  const said = answers.get('owed_column');
  if (differs === undefined || said === 'gross') return plain('net', 'difference');
  if (said === 'net') return plain('net', 'rate_added');
  const [net, gross, percent] = [
    differs.amount('net') ?? 0n,
    differs.amount('gross') ?? 0n,
    differs.percent ?? 0n,
  ];
  return {
    basis: { from: 'net', tax: 'rate_added' },
    questions: [
      {
        id: 'owed_column',
        why: `Row ${differs.row}: gross is not net and ${microsToDecimal(percent)} % of tax. What is owed?`,
        options: [
          { option: 'net', example: `${microsToDecimal(net + share(net, percent))}, net with its tax` },
          { option: 'gross', example: microsToDecimal(gross) },
        ],
      },
    ],
  };
}

/** Amounts with tax alone, or before commission. */
function grossAlone(sample: readonly ReadRow[], { table, plan, answers }: Asking): Found {
  const { columns } = plan;
  if (columns.has('tax') || columns.has('commission')) return plain('gross');
  if (columns.has('tax_rate')) return plain('gross', 'rate_inside');
  const name = table.written[columns.get('gross') ?? -1] ?? '';
  return taxInside(sample, 'gross', answers, !saysWithTax(name));
}

/** Rates that are offered; any other can be answered. */
const usualRates = ['19', '20', '21', '10'];

function taxInside(
  sample: readonly ReadRow[],
  from: 'gross' | 'amount_with_tax',
  answers: ReadonlyMap<string, string>,
  mayBeNone = true,
): Found {
  const said = parseDecimal(answers.get('tax_inside') ?? '');
  if (said.ok && said.value >= 0n && said.value <= 100_000_000n)
    return plain(from, { percentInside: said.value });
  const field = from === 'gross' ? 'gross' : 'amount';
  const amount = sample
    .map((row) => row.amount(field))
    .find((micros) => micros !== undefined && micros !== 0n);
  if (amount === undefined) return plain(from);
  return {
    basis: { from, tax: 'columns' },
    questions: [
      {
        id: 'tax_inside',
        why: 'The amounts may be with tax, and the file says no tax. How many percent of tax are in them?',
        options: [...(mayBeNone ? ['0'] : []), ...usualRates].map((option) => {
          const rate = BigInt(option) * 1_000_000n;
          return {
            option,
            example: `${microsToDecimal(amount - inside(amount, rate))} without tax, ${microsToDecimal(inside(amount, rate))} of tax`,
          };
        }),
      },
    ],
  };
}

/** The tax in an amount. `percent` is in micros. */
const inside = (amount: bigint, percent: bigint): bigint => toCents(amount * percent, 100_000_000n + percent);

/** A column of rates without one of tax. */
function byRate(
  sample: readonly ReadRow[],
  from: 'net' | 'amount',
  answers: ReadonlyMap<string, string>,
): Found {
  const row = sample.find((one) => (one.amount(from) ?? 0n) !== 0n && (one.percent ?? 0n) !== 0n);
  if (row === undefined) return plain(from);
  if (from === 'net') return plain(from, 'rate_added');
  const said = answers.get('amount_is');
  if (said === 'net') return plain(from, 'rate_added');
  if (said === 'gross') return plain('amount_with_tax', 'rate_inside');
  const [amount, percent] = [row.amount(from) ?? 0n, row.percent ?? 0n];
  return {
    basis: { from, tax: 'rate_added' },
    questions: [amountIs(amount + share(amount, percent), amount)],
  };
}

const amountIs = (withTax: bigint, amount: bigint): ReadingQuestion => ({
  id: 'amount_is',
  why: 'Is the amount of a line without its tax (net) or with it (gross)?',
  options: [
    { option: 'net', example: `${microsToDecimal(withTax)} is owed` },
    { option: 'gross', example: `${microsToDecimal(amount)} is owed` },
  ],
});

function* amountAndTax(
  reader: RowOf,
  table: FoundTable,
  {
    columns,
    answers,
    sample,
  }: Pick<ColumnPlan, 'columns'> & {
    readonly answers: ReadonlyMap<string, string>;
    readonly sample: readonly ReadRow[];
  },
): Generator<void, Found> {
  const hasGross = columns.has('gross');
  const asRate = hasGross ? undefined : rateOrAmount(sample, 'amount', answers);
  if (asRate !== undefined && (asRate.questions.length > 0 || asRate.basis.tax === 'rate_added'))
    return asRate;
  let [isNet, isGross] = [hasGross, hasGross];
  let example: ReadRow | undefined;
  for (let at = table.from; at < table.to; at += 1) {
    if (at % 1_000 === 0) yield;
    const row = at - table.from < sample.length ? reader(at) : hasGross ? reader(at) : undefined;
    const [amount, tax, gross] = [row?.amount('amount'), row?.amount('tax') ?? 0n, row?.amount('gross')];
    if (amount === undefined || tax === 0n) continue;
    example ??= row;
    if (gross === undefined || amount + tax !== gross) isNet = false;
    if (gross === undefined || amount !== gross) isGross = false;
  }
  if (example === undefined || (isNet && !isGross)) return plain('amount');
  if (isGross && !isNet) return plain('amount_with_tax');
  const name = table.written[columns.get('amount') ?? -1] ?? '';
  const said = answers.get('amount_is');
  if (said === 'net') return plain('amount');
  if (said === 'gross' || saysWithTax(name)) return plain('amount_with_tax');
  const [amount, tax] = [example.amount('amount') ?? 0n, example.amount('tax') ?? 0n];
  return { basis: { from: 'amount', tax: 'columns' }, questions: [amountIs(amount + tax, amount)] };
}

/** What a row owes without tax, and its tax; undefined if it has no amount. */
export function owedBy(
  row: ReadRow,
  { from, tax: way }: Basis,
): { readonly net: bigint; readonly tax: bigint } | undefined {
  const [net, amount, gross] = [row.amount('net'), row.amount('amount'), row.amount('gross')];
  if (way === 'difference' && net !== undefined) return { net, tax: gross === undefined ? 0n : gross - net };
  if (from === 'net' && net !== undefined) return { net, tax: taxOn(row, net, way) };
  if (from === 'amount_with_tax' && amount !== undefined) return without(row, amount, way);
  if (from !== 'gross' && amount !== undefined) return { net: amount, tax: taxOn(row, amount, way) };
  if (gross === undefined) return row.below === undefined ? undefined : { net: row.below, tax: 0n };
  const { net: base, tax } = without(row, gross, way);
  const commission = absolute(row.amount('commission') ?? 0n);
  return { net: base - (gross < 0n ? -commission : commission), tax };
}

function taxOn(row: ReadRow, net: bigint, way: Basis['tax']): bigint {
  if (way !== 'rate_added') return row.amount('tax') ?? 0n;
  // A column that was taken for the tax may hold the rate.
  const percent = row.percent ?? asPercent(row.amount('tax') ?? 0n);
  return share(net, percent);
}

function without(
  row: ReadRow,
  amount: bigint,
  way: Basis['tax'],
): { readonly net: bigint; readonly tax: bigint } {
  const tax =
    typeof way === 'object'
      ? inside(amount, way.percentInside)
      : way === 'rate_inside'
        ? inside(amount, row.percent ?? 0n)
        : (row.amount('tax') ?? 0n);
  return { net: amount - tax, tax };
}
