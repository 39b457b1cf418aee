import { owedBy, type Basis } from './amount-basis.js';
import { isHeaderAgain } from './column-formats.js';
import type { ColumnPlan } from './column-plan.js';
import type { FoundTable } from './find-table.js';
import { foldName, lineTypeOfWords, totalLabel } from './header-names.js';
import { isStatistic, isSubtotal, namesTotal, saysTaxInside } from './header-words.js';
import { isNumberText } from './number-formats.js';
import { faultsAtMost } from './reading.js';
import { RowList } from './row-list.js';
import { isTotalRow, keyFields, kindOfDocument, typeOfLine, type ReadRow } from './row-reader.js';
import type { ServiceDays } from './service-days.js';
import { ReadingFault, textOfCell, type Grid } from './split-rows.js';

/** The rows of one document. Amounts are micros. */
export interface Group {
  readonly number: string;
  readonly first: ReadRow;
  /** Rows of the grid. */
  readonly rows: RowList;
  netMicros: bigint;
  taxMicros: bigint;
  grossDiffers: number | undefined;
  service: ServiceDays | undefined;
  /** A row says service days that cannot be read. */
  isServiceUnclear: boolean;
  /** Codes and signs of currencies beside amounts. */
  readonly signs: Set<string>;
  /** Kinds that its rows say. */
  readonly kinds: Set<string>;
  /** A row says what kind of line it is, so that a credit is one too. */
  hasLineTypes: boolean;
  /** Rows of credits and commissions whose amounts are positive. */
  readonly positiveCredits: RowList;
  creditMicros: bigint;
  readonly headTotals: Map<'document_net' | 'document_tax' | 'document_gross', Set<bigint>>;
}

export interface FoundTotal {
  readonly row: ReadRow;
  readonly says: 'any' | 'net' | 'gross' | 'tax';
  readonly owed: bigint;
  /** Sums of the rows before it, without tax and with it. */
  readonly above: Sums;
  readonly group?: Group;
}

export interface Sums {
  readonly net: bigint;
  readonly tax: bigint;
}

export interface Gathered {
  readonly groups: readonly Group[];
  readonly totals: readonly FoundTotal[];
  readonly faults: readonly { readonly row: number; readonly reason: string }[];
  readonly rounded: number;
  readonly formulas: number;
  readonly shortRows: readonly number[];
  /** What the lines say that was paid before, below zero. It is left out of the sums where that payment is known. */
  readonly prepaidMicros: bigint;
  /** The first row whose status says that it was canceled or failed, that status, and the sum of such rows. */
  readonly voided?: { readonly row: number; readonly status: string; readonly micros: bigint };
  /** Rows of a discount for early payment below the total: nothing is billed by them. */
  readonly discountRows: readonly number[];
  /** The first line below a total that has all lines before it, and the sum of such lines. */
  readonly belowTotal?: { readonly row: number; readonly micros: bigint };
  /** The last line is as large as all lines before it, and does not say that it is a total. */
  readonly lastIsSum?: { readonly row: number; readonly micros: bigint };
  /** A column of types tells invoices from credit notes. */
  readonly typesAreKinds: boolean;
}

export interface Gathering {
  readonly grid: Grid;
  readonly table: FoundTable;
  readonly plan: ColumnPlan;
  readonly reader: (row: number) => ReadRow | undefined;
  readonly basis: Basis;
  readonly answers: ReadonlyMap<string, string>;
}

/** Documents of one file. */
const documentsAtMost = 1_000;

/** Rows at the end of a table that may be sums and statistics in words of their own. */
const rowsOfEnd = 100;

/** Rows of the head of a page. */
const rowsInHead = 12;

/** Cells that are read between two pauses. */
const cellsAtOnce = 4_000;

/** Collects the rows of each document. */
export function* gatherRows(gathering: Gathering): Generator<void, Gathered> {
  const { grid, table } = gathering;
  const gatherer = new Gatherer(gathering);
  const rowsAtOnce = Math.ceil(cellsAtOnce / Math.max(1, grid.cells(table.from).length));
  for (let at = table.from; at < table.to; at += 1) {
    if (at % rowsAtOnce === 0) yield;
    gatherer.take(at, false);
  }
  // What stands below the table: its sums, its tax, and lines behind an empty row.
  const behind = table.next ?? grid.rows;
  for (let at = table.to; at < Math.min(behind, table.to + 200); at += 1) gatherer.take(at, true);
  return gatherer.end();
}

class Gatherer {
  private readonly groups = new Map<string, Group>();
  private readonly totals: FoundTotal[] = [];
  private readonly faults: { row: number; reason: string }[] = [];
  private readonly shortRows: number[] = [];
  private rounded = 0;
  private formulas = 0;
  private lines = 0;
  private net = 0n;
  private tax = 0n;
  private typesAreKinds = false;
  private readonly hasKeys: boolean;
  private keysOfFirst = 0;
  private keysBefore = 0;
  private prepaid = 0n;
  private leftOut = 0n;
  private deductible = 0n;
  private hasTextInAll = true;
  private readonly statusAt: number;
  private voided: { row: number; status: string; micros: bigint } | undefined;
  private readonly discountRows: number[] = [];
  private below: { at: number; row: ReadRow; owed: Owed; group: Group }[] = [];
  private last: { at: number; row: ReadRow; owed: Owed; group: Group } | undefined;

  constructor(private readonly of: Gathering) {
    this.hasKeys = keyFields.some((field) => of.plan.columns.has(field));
    this.statusAt = of.table.written.findIndex(
      (name, at) => statusNames.test(name.trim()) && !of.plan.by.has(at),
    );
  }

  take(at: number, isFoot: boolean): void {
    const { grid, reader, basis } = this.of;
    const texts = grid
      .cells(at)
      .map(textOfCell)
      .filter((text) => text !== '');
    if (texts.length === 0) return;
    const { table } = this.of;
    if (isHeaderAgain(grid.cells(at), table)) return;
    // What stands alone above a header that is repeated, such as `Page 2 of 3`.
    if (texts.length === 1 && isHeaderAgain(grid.cells(at + 1), table)) return;
    if (isFoot && !this.isOfTable(at, texts)) return;
    const isNearEnd = at >= table.to - rowsOfEnd;
    if (isNearEnd && isStatistic(texts)) return;
    const row = reader(at);
    if (row === undefined) return;
    const owed = owedBy(row, basis);
    if (isNearEnd && texts.some(saysTaxInside)) {
      const tax = ['amount', 'gross', 'net'] as const;
      const said = tax.map((field) => row.amount(field)).find((micros) => micros !== undefined) ?? row.below;
      if (said !== undefined) {
        this.addTotal(row, 'tax', { net: said, tax: 0n });
        return;
      }
    }
    if (owed === undefined && this.isAboveHeader(at)) return;
    if (this.totals.length > 0 && texts.some((text) => discountTerms.test(text))) {
      this.discountRows.push(row.row);
      return;
    }
    const says = this.totalIn(row, texts, owed);
    if (says !== undefined && (owed !== undefined || texts.length <= 2)) {
      if (owed !== undefined) this.addTotal(row, says, owed);
      return;
    }
    this.addLine(at, row, owed, isFoot);
  }

  /** Whether a row stands in the head of a page, above the header that is repeated there. */
  private isAboveHeader(at: number): boolean {
    const { grid, table, reader, basis } = this.of;
    for (let row = at + 1; row < Math.min(grid.rows, at + rowsInHead); row += 1) {
      if (isHeaderAgain(grid.cells(row), table)) return true;
      const read = reader(row);
      if (read !== undefined && owedBy(read, basis) !== undefined) return false;
    }
    return false;
  }

  /** Whether a row below the table has a sum, a tax or a line of it. */
  private isOfTable(at: number, texts: readonly string[]): boolean {
    const { grid, plan } = this.of;
    const label = texts.find((text) => !isNumberText(text)) ?? '';
    if (texts.length < 2 || !texts.some((text) => isNumberText(text))) return false;
    if (totalLabel(label) !== undefined) return true;
    if (label.length < 60 && lineTypeOfWords(label) !== undefined) return true;
    const amount = plan.columns.get('amount') ?? plan.columns.get('net') ?? plan.columns.get('gross') ?? -1;
    const cells = grid.cells(at);
    return amount > 1 && isNumberText(textOfCell(cells[amount])) && texts.length > 1;
  }

  private totalIn(
    row: ReadRow,
    texts: readonly string[],
    owed: Owed | undefined,
  ): FoundTotal['says'] | undefined {
    const label = texts
      .map((text) => totalLabel(text, row.text('number')))
      .find((found) => found !== undefined);
    if (label !== undefined) return label;
    if (isTotalRow(row, texts, this.hasKeys) && lineTypeOfWords(row.label) === undefined) return 'any';
    if (texts.some(isSubtotal)) return 'any';
    const isAlone = owed !== undefined && this.lines > 1 && this.isSumOfRows(owed.net);
    // A row of numbers alone below lines that all name something, and `Net` below the lines of a station.
    if (isAlone && this.hasTextInAll && texts.every((text) => isNumberText(text))) return 'any';
    if (isAlone && texts.length <= 3 && texts.some((text) => /^(?:gross|net|brutto|netto)$/i.test(text)))
      return 'any';
    const isNamed = texts.some(namesTotal);
    return isNamed && owed !== undefined && this.isSumOfRows(owed.net) ? 'any' : undefined;
  }

  private isSumOfRows(micros: bigint): boolean {
    const last = this.totals.at(-1)?.above ?? { net: 0n, tax: 0n };
    const sums = [
      this.net,
      this.net + this.tax,
      this.net - 2n * this.deductible,
      this.net + this.leftOut,
      this.net + this.tax + this.leftOut,
      this.net - last.net,
      this.net + this.tax - last.net - last.tax,
      ...[...this.groups.values()]
        .slice(-1)
        .flatMap((group) => [group.netMicros, group.netMicros + group.taxMicros]),
    ];
    return this.lines > 0 && sums.includes(micros);
  }

  private addTotal(row: ReadRow, says: FoundTotal['says'], owed: Owed): void {
    const number = row.text('number');
    const group = number === '' ? undefined : this.groups.get(foldName(number));
    const above = { net: this.net + this.leftOut, tax: this.tax };
    if (this.isSumOfRows(owed.net)) this.below = [];
    this.totals.push({ row, says, owed: owed.net, above, ...(group !== undefined && { group }) });
  }

  private fault(row: number, reason: string): void {
    if (this.faults.length < faultsAtMost) this.faults.push({ row, reason });
  }

  private addLine(at: number, row: ReadRow, owed: Owed | undefined, isFoot: boolean): void {
    if (row.width === 'long') this.fault(row.row, 'The row has more cells than the header.');
    if (row.width === 'short' && this.shortRows.length < 100 && !isFoot) this.shortRows.push(row.row);
    for (const reason of row.faults) if (!isFoot || owed === undefined) this.fault(row.row, reason);
    if (owed === undefined) {
      if (row.faults.length === 0)
        this.fault(
          row.row,
          this.of.plan.counts.size > 0 ? 'The row has no count.' : 'The row has no amount.',
        );
      return;
    }
    if (owed.net < 0n && saysPrepaid(row)) {
      this.prepaid += owed.net;
      if (this.of.answers.get('prepaid') === 'known') {
        this.leftOut += owed.net;
        return;
      }
    }
    const status = textOfCell(this.of.grid.cells(at)[this.statusAt]);
    if (voidWords.test(status)) {
      const before = this.voided ?? { row: row.row, status, micros: 0n };
      this.voided = { ...before, micros: before.micros + owed.net };
      if (this.of.answers.get('voided') === 'leave_out') return;
    }
    const isBelow = this.isBelowTotal(row, owed);
    this.rounded += row.rounded;
    this.formulas += row.formulas;
    this.lines += 1;
    if (this.lines === 1) this.keysOfFirst = keysIn(row);
    const group = groupOf(this.groups, row, this.last?.group);
    const { type } = typeOfLine(row, owed.net);
    if (isFoot && type === 'tax' && this.of.plan.columns.has('tax')) {
      this.lines -= 1;
      this.addTotal(row, 'tax', owed);
      return;
    }
    group.rows.add(at);
    const isTax = type === 'tax';
    const added = { net: isTax ? 0n : owed.net, tax: (isTax ? owed.net : 0n) + owed.tax };
    this.net += added.net;
    this.tax += added.tax;
    group.netMicros += added.net;
    group.taxMicros += added.tax;
    this.addToGroup(group, row, owed, at);
    if (isBelow && this.last?.group === group) this.below.push({ at, row, owed, group });
    if (row.names.length === 0 && row.label === '' && row.text('description') === '')
      this.hasTextInAll = false;
    if (this.last !== undefined) this.keysBefore = keysIn(this.last.row);
    this.last = { at, row, owed, group };
  }

  private addToGroup(group: Group, row: ReadRow, owed: Owed, at: number): void {
    const gross = row.amount('gross');
    const commission = row.amount('commission') ?? 0n;
    const sums = [
      owed.net + owed.tax,
      owed.net + commission,
      owed.net - commission,
      owed.net + owed.tax + commission,
      owed.net + owed.tax - commission,
    ];
    const { plan, answers, basis } = this.of;
    // With a rate on top of net, or a commission below it, gross says something else than what is owed.
    const isOther =
      basis.tax === 'rate_added' ||
      plan.preset?.grossIs === 'commission' ||
      answers.get('gross_less_net') === 'commission';
    if (gross !== undefined && !sums.includes(gross) && !isOther) group.grossDiffers ??= row.row;
    if (row.service !== undefined) group.service = union(group.service, row.service);
    group.isServiceUnclear ||= row.isServiceUnclear;
    for (const sign of row.signs) group.signs.add(sign);
    const kind = kindOfDocument(row);
    if (kind !== undefined) group.kinds.add(kind);
    else if (row.text('document_type') === '' && row.text('line_type') !== '') group.hasLineTypes = true;
    if (kind === 'invoice') this.typesAreKinds = true;
    if (owed.net > 0n && isDeduction(row, owed.net)) {
      this.deductible += owed.net;
      group.positiveCredits.add(at);
      group.creditMicros += owed.net;
    }
    for (const [field, values] of group.headTotals) {
      const value = row.amount(field);
      if (value !== undefined) values.add(value);
    }
    const reason = conflictIn(group, row);
    if (reason !== undefined) this.fault(row.row, reason);
  }

  /** Media or a fee behind a total that has all lines before it: a note, or a line that the total lacks. */
  private isBelowTotal(row: ReadRow, owed: Owed): boolean {
    const total = this.totals.at(-1);
    if (total === undefined || total.above.net === 0n || owed.net < 0n || this.groups.size > 1) return false;
    if (row.text('number') !== '') return false;
    const { net, tax } = total.above;
    const { type } = typeOfLine(row, owed.net);
    return (
      (total.owed === net || total.owed === net + tax) &&
      (type === 'media' || type === 'fee' || type === 'open')
    );
  }

  end(): Gathered {
    const [firstBelow] = this.below;
    if (this.of.answers.get('below_total') === 'leave_out') {
      for (const { owed, group } of this.below.splice(0)) this.takeBack(owed, group);
    }
    const { last } = this;
    const said = this.of.answers.get('last_row');
    const isSum =
      last !== undefined &&
      this.lines > 2 &&
      this.totals.length === 0 &&
      last.owed.net !== 0n &&
      last.owed.net === this.net - last.owed.net;
    // A total names less than the first line, and than the line above it.
    const namesLess = isSum && keysIn(last.row) * 2 <= this.keysOfFirst && keysIn(last.row) < this.keysBefore;
    const isTotal = isSum && (said === 'total' || (said === undefined && namesLess));
    if (isTotal) this.dropLast(last);
    return {
      groups: [...this.groups.values()],
      totals: this.totals,
      faults: this.faults,
      rounded: this.rounded,
      formulas: this.formulas,
      shortRows: this.shortRows,
      typesAreKinds: this.typesAreKinds,
      prepaidMicros: this.prepaid,
      ...(this.voided !== undefined && { voided: this.voided }),
      discountRows: this.discountRows,
      ...(firstBelow !== undefined && {
        belowTotal: {
          row: firstBelow.row.row,
          micros: this.below.reduce((sum, { owed }) => sum + owed.net, 0n),
        },
      }),
      ...(isSum && !isTotal && { lastIsSum: { row: last.row.row, micros: last.owed.net } }),
    };
  }

  private dropLast({
    row,
    owed,
    group,
  }: {
    readonly row: ReadRow;
    readonly owed: Owed;
    readonly group: Group;
  }): void {
    this.takeBack(owed, group);
    if (group.rows.length === 0) this.groups.delete(foldName(group.number));
    this.addTotal(row, 'any', owed);
  }

  /** The last row of a document, as if it was never there. */
  private takeBack(owed: Owed, group: Group): void {
    group.rows.dropLast();
    group.netMicros -= owed.net;
    group.taxMicros -= owed.tax;
    this.net -= owed.net;
    this.tax -= owed.tax;
  }
}

const statusNames =
  /^(?:(?:payment|invoice|transaction|line|order|billing) )?(?:status|state|statut|estado|stato|zustand)$/i;

const voidWords = /cancel|void|fail|declin|rejected|reversed|storn|annul|ung[üu]ltig|anulad|cancelad/iu;

/** Terms that stand below the total: who pays early may deduct it. */
const discountTerms =
  /skonto|escompte|cash discount|early[ -]payment|prompt[ -]payment|pronto pago|sconto cassa|betalingskorting|kassalennus|kassarabatt/iu;

const saysPrepaid = (row: ReadRow): boolean =>
  [row.text('description'), row.label, row.text('number')].some((text) => prepaidWords.test(text));

/** A payment that was made before, or a tax that is withheld: no credit. */
const prepaidWords =
  /(?<!\p{L})(?:pre-?paid|pre-?payments?|advance payments?|payments? received|less payments?|deposit (?:applied|received)|anzahlung|vorauszahlung|vorkasse|zahlungseingang|bereits gezahlt|acompte|anticipo|pagos? a cuenta|vooruitbetaling|aanbetaling|förskott|forskudd|adiantamento|zaliczka|withh(?:eld|olding)|wht|tds|retenci[oó]n|retenue|ritenuta|quellensteuer|iss retido)|^(?:payments?|zahlung|paiement|pago|pagamento|betaling)(?!\p{L})|源泉徴収/iu;

interface Owed {
  readonly net: bigint;
  readonly tax: bigint;
}

const keysIn = (row: ReadRow): number => keyFields.filter((field) => row.text(field) !== '').length;

/** A credit or a commission, by its column or by words where nothing is named. */
function isDeduction(row: ReadRow, net: bigint): boolean {
  const { type } = typeOfLine(row, net);
  if (type === 'credit' || type === 'commission') return true;
  return type === 'open' && lineTypeOfWords(row.text('description') || row.label) === 'credit';
}

/** `Agency commission (15 %)` in the column of the numbers: no document is called so. */
const isLineLabel = (text: string): boolean =>
  text !== '' &&
  !/\d/.test(text.replace(/\(?\d+(?:[.,]\d+)?\s*%\)?/, '')) &&
  lineTypeOfWords(text) !== undefined;

function groupOf(groups: Map<string, Group>, row: ReadRow, last: Group | undefined): Group {
  const written = row.text('number');
  // A line of a document has its day or its name beside the number.
  const keys = keysIn(row) - (row.text('currency') === '' ? 0 : 1);
  const number = keys === 1 && isLineLabel(written) ? '' : written;
  // A line without a number belongs to the document above it.
  if (last?.number === number) return last;
  const key = foldName(number);
  const found = groups.get(key) ?? (key === '' ? [...groups.values()].at(-1) : undefined);
  if (found !== undefined) return found;
  if (groups.size >= documentsAtMost)
    throw new ReadingFault(`The file has more than ${documentsAtMost} documents. Split it.`);
  const group: Group = {
    number,
    first: row,
    rows: new RowList(),
    netMicros: 0n,
    taxMicros: 0n,
    grossDiffers: undefined,
    service: undefined,
    isServiceUnclear: false,
    signs: new Set(),
    kinds: new Set(),
    hasLineTypes: false,
    positiveCredits: new RowList(),
    creditMicros: 0n,
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
