import { currencyExponent, isCurrency, isPayable, microsToDecimal, roundToMicros } from '@switchyard/money';
import { isDay, shiftDay } from '../finance/period.js';
import type { FoundTotal, Gathered, Group, Sums } from './gather-rows.js';
import { numberAs } from './column-formats.js';
import { fieldOfName, moneyFields } from './header-names.js';
import { totalOfWords } from './header-words.js';
import { textOfCell, type Grid } from './split-rows.js';
import {
  isCurrencyOfSeller,
  nameOfAmount,
  signsOf,
  type DocumentContext,
  type MadeDocument,
} from './make-document.js';
import { kindsOf, wordsOf } from './header-words.js';
import { currencyInName } from './money-columns.js';
import { currenciesOf, decimalMarks, numberReadings, type DecimalMark } from './number-formats.js';
import type { FileReading, ReadDocument, ReadingCheck, ReadingQuestion } from './reading.js';

interface Judging {
  readonly checks: ReadingCheck[];
  readonly faults: { row: number; reason: string }[];
  readonly ask: (id: string, why: string, options: ReadingQuestion['options']) => void;
  readonly context: DocumentContext;
  /** What the file leaves open before its documents are judged. */
  readonly open: ReadonlySet<string>;
}

/** Checks, and questions about documents. Pauses after each of them. */
export function* judgeDocuments(
  made: readonly MadeDocument[],
  gathered: Gathered,
  context: DocumentContext,
  { isCut, open }: { readonly isCut: boolean; readonly open: ReadonlySet<string> },
): Generator<void, Pick<FileReading, 'checks' | 'questions' | 'faults'>> {
  const { options } = context;
  const { answers, wants } = options;
  const questions: ReadingQuestion[] = [];
  const judging: Judging = {
    checks: notesOf(gathered),
    faults: [],
    ask: (id, why, choices) => {
      if (!answers.has(id) && !questions.some((one) => one.id === id))
        questions.push({ id, why, options: choices });
    },
    context,
    open,
  };
  const { checks, faults } = judging;
  judgeTotals(made, gathered, judging);
  judgeOtherTables(made, judging);
  judgeLastRow(made, gathered, judging);
  judgeBelowTotal(made, gathered, judging);
  if (wants === 'figures') return { checks, questions, faults };
  for (const { document, group } of made) {
    judgeDocument(document, group, judging);
    yield;
  }
  const taken = made.find((one) => isCurrencyOfSeller(one, context))?.document.currency;
  if (taken !== undefined)
    checks.push({
      check: 'currency',
      ok: true,
      text: `The file says no currency. ${taken} is the one in which the seller sells.`,
    });
  if (made.length === 0 && gathered.faults.length === 0 && !isCut)
    faults.push({ row: 0, reason: 'The file has no rows.' });
  if (options.controlTotal !== undefined) {
    const { net, gross } = sumOf(made);
    const isRight = options.controlTotal === net || options.controlTotal === gross;
    const text = `You said ${microsToDecimal(options.controlTotal)}, and the file has ${microsToDecimal(net)} net and ${microsToDecimal(gross)} gross.`;
    checks.push({ check: 'control_total', ok: isRight, text });
    if (!isRight) faults.push({ row: 0, reason: text });
  }
  return { checks, questions, faults };
}

const sumOf = (made: readonly MadeDocument[]): { readonly net: bigint; readonly gross: bigint } => ({
  net: made.reduce((sum, { document }) => sum + document.netMicros, 0n),
  gross: made.reduce((sum, { document }) => sum + document.grossMicros, 0n),
});

function notesOf({ rounded, formulas, shortRows, discountRows }: Gathered): ReadingCheck[] {
  const notes: ReadingCheck[] = [];
  const note = (check: ReadingCheck['check'], text: string): void => {
    notes.push({ check, ok: true, text });
  };
  if (rounded > 0) note('rounded', `${rounded} cells have more than six decimals: they are rounded to six.`);
  if (formulas > 0)
    note('formulas', `${formulas} cells are formulas: the values that were stored last are read.`);
  for (const row of discountRows.slice(0, 5))
    note('discount', `Row ${row} says a discount for early payment. It is no line of the document.`);
  if (shortRows.length > 0)
    note('short_rows', `These rows have fewer cells than the header: ${shortRows.slice(0, 20).join(', ')}.`);
  return notes;
}

/** What the first row of a file brings from before, where its last sum has that too. */
function openingBalance({ totals }: Gathered, whole: Sums): bigint | undefined {
  const [first] = totals;
  const last = totals.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  const isFirst = first.above.net === 0n && first.above.tax === 0n;
  const brought = last.owed - whole.net - whole.tax;
  return isFirst && brought === first.owed && brought !== 0n ? brought : undefined;
}

function judgeTotals(made: readonly MadeDocument[], gathered: Gathered, judging: Judging): void {
  const { checks, faults, ask, context } = judging;
  const { table, options, signs } = context;
  const all = sumOf(made);
  const whole: Sums = { net: all.net, tax: all.gross - all.net };
  const slack = 5_000n * BigInt(Math.max(1, table.to - table.from));
  const most = slack < 50_000n ? slack : 50_000n;
  const isChanged = signs.deducts || signs.negated.size > 0;
  let covered: Sums = { net: 0n, tax: 0n };
  const judge = (says: FoundTotal['says'], owed: bigint, sums: readonly Sums[], row?: number): void => {
    const fits = sums.flatMap(({ net, tax }) => valuesOf(says, { net, tax }));
    const isUnsigned = signs.negated.size > 0;
    const right = fits.find((sum) => within(sum, owed, most) || (isUnsigned && within(-sum, owed, most)));
    const isRight = right !== undefined;
    const nearest = right ?? fits[0] ?? 0n;
    const text = `The file says ${microsToDecimal(owed)} in total, and its lines add up to ${microsToDecimal(nearest)}.`;
    checks.push({ check: 'total', ok: isRight, text, ...(row !== undefined && { row }) });
    if (!isRight)
      ask('total', `${text} Are the lines right?`, [
        { option: 'lines', example: microsToDecimal(nearest) },
        { option: 'refuse', example: 'nothing is booked' },
      ]);
  };
  const opening = openingBalance(gathered, whole);
  for (const { row, says, owed, above, group } of gathered.totals) {
    // Which tax is in the amounts is asked.
    if (says === 'tax' && judging.open.has('tax_inside')) continue;
    if (opening !== undefined && above.net === 0n && above.tax === 0n) {
      const text = `The file says ${microsToDecimal(owed)} of an earlier balance: it is not billed again.`;
      checks.push({ check: 'total', ok: true, text, row: row.row });
      continue;
    }
    const since = { net: above.net - covered.net, tax: above.tax - covered.tax };
    const isFirst = above.net === 0n && above.tax === 0n;
    const ofGroup = group === undefined ? [] : [{ net: group.netMicros, tax: group.taxMicros }];
    const ofAll = { net: above.net + (opening ?? 0n), tax: above.tax };
    if (opening !== undefined && within(owed, ofAll.net + ofAll.tax, most)) {
      judge('gross', owed, [ofAll], row.row);
      continue;
    }
    judge(says, owed, isFirst ? [whole] : [above, since, ...ofGroup, ...(isChanged ? [whole] : [])], row.row);
    covered = above;
  }
  for (const { says, owed } of totalsInHead(context)) judge(says, owed, [whole]);
  if (options.answers.get('total') === 'refuse')
    faults.push({ row: 0, reason: 'The total of the file differs from its lines.' });
}

/** Other tables say the same amounts, as that of the rates of tax does, or it is asked whether they may be left out. */
function judgeOtherTables(made: readonly MadeDocument[], { checks, faults, ask, context }: Judging): void {
  const { grid, table, options } = context;
  const isReport = options.wants === 'figures';
  const { net, gross } = sumOf(made);
  const unread: string[] = [];
  // Above the lines of a report may stand anything.
  for (const header of isReport ? table.others.filter((row) => row > table.header) : table.others) {
    const names = grid.cells(header).map(textOfCell);
    const places = names.flatMap((name, at) =>
      isReport || moneyFields.some((field) => field === fieldOfName(name)?.field) ? [at] : [],
    );
    if (places.length === 0) continue;
    const sums = places.flatMap((at) => decimalMarks.map((mark) => sumBelow(grid, { header, at, mark })));
    const isSame = sums.some(
      (sum) => sum !== 0n && [net, gross, gross - net].some((one) => within(one, sum, 50_000n)),
    );
    const row = header - table.header;
    const which = names.filter(Boolean).slice(0, 4).join(', ').slice(0, 100);
    if (isSame) {
      const text = `The file has another table (${which}), which says the same amounts: it is not read.`;
      checks.push({ check: 'total', ok: true, text, ...(row > 0 && { row }) });
    } else unread.push(which);
  }
  const [first] = unread;
  if (first === undefined) return;
  ask(
    'other_tables',
    `The file has another table with amounts (${first}), and it is not read. If it is billed too, put it into a file of its own. May it be left out?`,
    [
      { option: 'leave_out', example: `the lines add up to ${microsToDecimal(net)}` },
      { option: 'refuse', example: 'nothing is booked' },
    ],
  );
  if (options.answers.get('other_tables') === 'refuse')
    faults.push({ row: 0, reason: `The table ${first} is not read.` });
}

/** The sum of a column from a header to the next empty row, without totals. */
function sumBelow(
  grid: Grid,
  { header, at, mark }: { readonly header: number; readonly at: number; readonly mark: DecimalMark },
): bigint {
  let sum = 0n;
  for (let row = header + 1; row < Math.min(grid.rows, header + rowsOfNext); row += 1) {
    const cells = grid.cells(row);
    if (cells.every((cell) => textOfCell(cell) === '')) break;
    if (cells.some((cell) => totalOfWords(textOfCell(cell)) !== undefined)) continue;
    const read = roundToMicros(numberAs(cells[at], mark) ?? '0');
    sum += read.ok ? read.value : 0n;
  }
  return sum;
}

/** Rows of another table that are added up. */
const rowsOfNext = 80;

function valuesOf(says: FoundTotal['says'], { net, tax }: Sums): readonly bigint[] {
  if (says === 'tax') return [tax];
  if (says === 'net') return [net];
  return says === 'gross' ? [net + tax] : [net, net + tax];
}

/** Sums that stand above the table: `Total due: 2,000.00`. */
function totalsInHead({
  table,
  order: _,
  ...context
}: DocumentContext): readonly Pick<FoundTotal, 'says' | 'owed'>[] {
  return table.head.flatMap(({ label, text }) => {
    const says = totalOfWords(label);
    const readings = numberReadings(text);
    const [only, another] = new Set([readings.point, readings.comma].filter((one) => one !== undefined));
    const read = only === undefined || another !== undefined ? undefined : roundToMicros(only);
    return says === undefined || context.options.wants === 'figures' || read?.ok !== true
      ? []
      : [{ says, owed: read.value }];
  });
}

function judgeLastRow(
  made: readonly MadeDocument[],
  { lastIsSum }: Gathered,
  { ask, faults, context }: Judging,
): void {
  const { answers } = context.options;
  if (lastIsSum !== undefined) {
    const { net } = sumOf(made);
    ask('last_row', `Row ${lastIsSum.row} is the sum of all rows before it. Is it a total?`, [
      { option: 'total', example: `the lines add up to ${microsToDecimal(net - lastIsSum.micros)}` },
      { option: 'line', example: `the lines add up to ${microsToDecimal(net)}` },
      { option: 'refuse', example: 'nothing is booked' },
    ]);
  }
  if (answers.get('last_row') === 'refuse')
    faults.push({ row: lastIsSum?.row ?? 0, reason: 'The row is a total.' });
}

/** Lines below the total, and lines that say what was paid before. */
function judgeBelowTotal(
  made: readonly MadeDocument[],
  { belowTotal, prepaidMicros, voided }: Gathered,
  { ask, faults, context }: Judging,
): void {
  const { answers, wants } = context.options;
  if (wants === 'figures') return;
  const { net } = sumOf(made);
  if (belowTotal !== undefined)
    ask(
      'below_total',
      `Row ${belowTotal.row} stands below the total, which does not have it. Is it billed?`,
      [
        { option: 'line', example: `the lines add up to ${microsToDecimal(net)}` },
        {
          option: 'leave_out',
          example: `the lines add up to ${microsToDecimal(net - belowTotal.micros)}`,
        },
        { option: 'refuse', example: 'nothing is booked' },
      ],
    );
  if (belowTotal !== undefined && answers.get('below_total') === 'refuse')
    faults.push({ row: belowTotal.row, reason: 'The row stands below the total.' });
  if (voided !== undefined)
    ask(
      'voided',
      `The status of row ${voided.row} says ${voided.status.slice(0, 40)}. Are such rows billed?`,
      [
        {
          option: 'leave_out',
          example: `${microsToDecimal(voided.micros)} is not billed`,
        },
        { option: 'read', example: `the lines add up to ${microsToDecimal(net)}` },
      ],
    );
  if (prepaidMicros !== 0n)
    ask(
      'prepaid',
      `The lines say that ${microsToDecimal(-prepaidMicros)} is paid already, or withheld. Is it deducted here, or is the whole owed and that payment known?`,
      [
        { option: 'deducted', example: `the lines add up to ${microsToDecimal(net)}` },
        {
          option: 'known',
          example: `the lines add up to ${microsToDecimal(net - prepaidMicros)}, and a payment of ours is applied`,
        },
      ],
    );
}

const within = (one: bigint, other: bigint, slack: bigint): boolean =>
  one - other <= slack && other - one <= slack;

function judgeDocument(document: ReadDocument, group: Group, judging: Judging): void {
  const { checks, faults, context } = judging;
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
  if (group.kinds.has('invoice') && group.kinds.has('credit_note'))
    faults.push({
      row: group.first.row,
      reason:
        'Its rows say both invoice and credit note, and no column tells the documents apart. Say which column holds the number.',
    });
  if (group.grossDiffers !== undefined)
    faults.push({ row: group.grossDiffers, reason: 'Net and tax do not add up to gross.' });
  const { netMicros, taxMicros, grossMicros } = document;
  // `Invoice total` may be with tax.
  const nameOfTotal = context.table.written[context.plan.columns.get('document_net') ?? -1] ?? '';
  const isPlainTotal = !wordsOf(nameOfTotal).some((word) => kindsOf(word).has('net'));
  for (const [field, sum, ...others] of [
    ['document_net', netMicros, ...(isPlainTotal ? [grossMicros] : [])],
    ['document_tax', taxMicros],
    ['document_gross', grossMicros],
  ] as const) {
    const values = [...(group.headTotals.get(field) ?? [])];
    if (values.length === 0) continue;
    const [value = 0n, another] = values;
    const found = [sum, ...others].find((one) =>
      (context.signs.negated.has(group) ? [one, -one] : [one]).some((signed) =>
        within(value, signed, 5_000n * BigInt(group.rows.length)),
      ),
    );
    const isRight = another === undefined && found !== undefined;
    const said = `The document ${number ?? ''} says ${values.map(microsToDecimal).join(', ')} (${field}), and its lines add up to ${microsToDecimal(found ?? sum)}.`;
    checks.push({ check: 'document_total', ok: isRight, text: said, row: group.first.row });
    if (!isRight) faults.push({ row: group.first.row, reason: said });
  }
  judgeSigns(document, group, judging);
  repeatsOneAmount(group, judging);
  askAbout(document, judging, group);
}

/** Questions about the head of a document. Texts that are no option are judged here too. */
function askAbout(document: ReadDocument, { ask, faults, open, context }: Judging, group: Group): void {
  const { options } = context;
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
  else if (!open.has('dates') && (issued > shiftDay(today, 1) || issued < shiftDay(today, -731))) {
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
    ask(
      'currency',
      'The file says no currency. Which one is it?',
      proposedCurrencies(group, context).map((code) => ({
        option: code,
        example: `${microsToDecimal(netMicros)} ${code}`,
      })),
    );
  else if (
    !open.has('numbers') &&
    currencyExponent(currency) === 0 &&
    !isPayable(document.grossMicros, currency)
  )
    ask('decimals', `${currency} has no decimals, and the document has some. Is the amount right?`, [
      { option: 'as_written', example: `${microsToDecimal(document.grossMicros)} ${currency}` },
      { option: 'refuse', example: 'nothing is booked' },
    ]);
  const named = currencyInName(nameOfAmount(context));
  if (
    currency !== undefined &&
    named !== undefined &&
    named !== currency &&
    context.plan.preset === undefined
  )
    ask(
      'currency',
      `The column of the amounts says ${named}, and the document says ${currency}. Which one is it?`,
      [
        { option: currency, example: `${microsToDecimal(netMicros)} ${currency}` },
        { option: named, example: `${microsToDecimal(netMicros)} ${named}` },
      ],
    );
  if (answers.get('decimals') === 'refuse')
    faults.push({ row: 0, reason: 'The amounts have decimals that their currency does not have.' });
}

/** Those that the signs beside the amounts can mean, of the seller's before others. */
function proposedCurrencies(group: Group, context: DocumentContext): readonly string[] {
  const { currencies = [] } = context.options;
  const [meant] = signsOf(group, context)
    .map(currenciesOf)
    .filter(({ length }) => length > 0);
  if (meant === undefined) return currencies.length > 0 ? currencies : ['EUR', 'USD', 'GBP'];
  const ofSeller = meant.filter((code) => currencies.includes(code));
  return ofSeller.length > 0 ? ofSeller : meant.slice(0, 4);
}

/** The amount of a whole document may be repeated on each of its lines. */
function repeatsOneAmount(group: Group, { ask, faults, context }: Judging): void {
  const { reader, options } = context;
  if (
    group.rows.length < 2 ||
    !/invoice|document|rechnung|facture|factura|fattura|factuur|faktura/i.test(nameOfAmount(context))
  )
    return;
  const amounts = new Set<bigint | undefined>();
  for (const at of group.rows.first(1_000)) {
    const row = reader(at);
    amounts.add(row?.amount('amount') ?? row?.amount('net'));
  }
  const [amount] = amounts;
  if (amounts.size !== 1 || amount === undefined) return;
  ask(
    'repeated',
    `Each line of the document ${group.number} has ${microsToDecimal(amount)}. Is it the amount of the line, or that of the whole document?`,
    [
      { option: 'line', example: `${microsToDecimal(amount * BigInt(group.rows.length))} is billed` },
      { option: 'refuse', example: 'nothing is booked: take a file with the amount of each line' },
    ],
  );
  if (options.answers.get('repeated') === 'refuse')
    faults.push({ row: group.first.row, reason: 'The lines have the amount of the whole document.' });
}

/** Amounts may have another currency beside them than the document says. */
function judgeSigns({ currency, netMicros }: ReadDocument, group: Group, { ask, faults }: Judging): void {
  const signs = [...group.signs].filter((sign) => currenciesOf(sign).length > 0);
  const [first] = signs;
  if (first === undefined || currency === undefined) return;
  const others = signs.filter((sign) => !currenciesOf(sign).includes(currency));
  const [other] = others;
  if (other === undefined) return;
  if (others.length < signs.length || new Set(others.map((sign) => currenciesOf(sign)[0])).size > 1) {
    const text = `The amounts of the document are in several currencies: ${signs.join(', ')}.`;
    faults.push({ row: group.first.row, reason: text });
    return;
  }
  const options = [currency, currenciesOf(other)[0] ?? ''];
  ask(
    'currency',
    `The amounts have ${other} beside them, and the currency is ${currency}. Which one is it?`,
    options.map((option) => ({ option, example: `${microsToDecimal(netMicros)} ${option}` })),
  );
}
