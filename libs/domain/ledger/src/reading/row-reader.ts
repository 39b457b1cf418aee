import { currencyExponent, divideHalfEven, roundToMicros } from '@switchyard/money';
import { plainDecimal } from '@switchyard/values';
import type { CountedUnit } from '../finance/counted-price.js';
import { numberAs, type ColumnFormats } from './column-formats.js';
import type { ColumnPlan } from './column-plan.js';
import { dayOf, type DateNotation } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import { isTotalLabel, lineTypeOfWords, moneyFields, nameFields, type ReadingField } from './header-names.js';
import { isTaxLabel } from './header-words.js';
import { currenciesOf, currencyOfSign, isNumberText, signOfCell } from './number-formats.js';
import { sampleOf } from './money-columns.js';
import { lineTypes, type LineName, type LineType } from './reading.js';
import { daysOfText, endOfService, isWeekName, type ServiceDays } from './service-days.js';
import { saysNothing, textOfCell, type Cell, type Grid, type TypedCell } from './split-rows.js';

/** One row with its values. Amounts are micros. */
export interface ReadRow {
  /** From 1, without the header. */
  readonly row: number;
  readonly text: (field: ReadingField) => string;
  readonly day: (field: ReadingField) => string | undefined;
  readonly amount: (field: ReadingField) => bigint | undefined;
  /** What is in its amount of each column of fees; micros. */
  readonly fees: readonly bigint[];
  /** Whole numbers by what they count, of a report without amounts. */
  readonly counts: ReadonlyMap<CountedUnit, string>;
  /** The last number of a row below the table, where sums may stand in another column than the amounts. */
  readonly below?: bigint;
  /** The first text of a row that names nothing, such as `VAT 19 %` below the lines. */
  readonly label: string;
  /** In micros of a percent, of a column of rates. */
  readonly percent?: bigint;
  readonly service?: ServiceDays;
  /** The row says service days that cannot be read. */
  readonly isServiceUnclear: boolean;
  /** The currencies that its amounts have beside them, codes and signs. */
  readonly signs: readonly string[];
  readonly names: readonly LineName[];
  /** Cells that have more than six decimals. */
  readonly rounded: number;
  readonly formulas: number;
  /** More cells with text than the header has, or fewer than a whole row. */
  readonly width: 'whole' | 'short' | 'long';
  readonly faults: readonly string[];
}

/** By how much the amounts of a file are larger than its currency. */
export type Factor = 'units' | 'thousands' | 'minor' | 'micros';

const isMoney: ReadonlySet<ReadingField> = new Set(moneyFields);

/** Reads single rows of a table. */
export function rowReader(
  grid: Grid,
  table: FoundTable,
  { columns, taxes, fees, added, counts, credits }: ColumnPlan,
  { marks, orders }: ColumnFormats,
  factor: Factor,
): (row: number) => ReadRow | undefined {
  const owed: ReadingField = columns.has('net') ? 'net' : columns.has('amount') ? 'amount' : 'gross';
  const owedAt = columns.get(owed);
  const money = [
    ...[...columns].filter(([field]) => isMoney.has(field)),
    ...taxes.map((place) => ['tax', place] as const),
    ...(credits === undefined ? [] : [['amount', credits] as const]),
    ...added.map((place) => [owed, place] as const),
  ];
  const isAdded = new Set([...taxes, ...added, ...(credits === undefined ? [] : [credits])]);
  const currencyAt = columns.get('currency');
  const isInThousands = (place: number | undefined): boolean =>
    /[('’]\s*['’]?000s?\b|\bthousands?\b|\btsd\b/i.test(table.written[place ?? -1] ?? '');
  const inThousands = isInThousands(columns.get('units'));
  const counted = [...counts].map(([unit, place]) => [unit, place, isInThousands(place)] as const);
  const places = [...columns];
  const needs = places.filter(([field]) => isNeeded(field));
  const named = nameFields.filter((field) => columns.has(field));
  const keys = keyFields.filter((field) => columns.has(field));
  const floats = new Set(
    ['number' as const, ...named].flatMap((field) => {
      const place = columns.get(field);
      return place !== undefined && areFloats(grid, table, place) ? [place] : [];
    }),
  );
  const days = new Map<number, { readonly text: string; readonly day: string | undefined }>();
  return (at) => {
    const cells = grid.cells(at);
    if (cells.every((cell) => textOfCell(cell) === '')) return undefined;
    const faults: string[] = [];
    const amounts = new Map<ReadingField, bigint>();
    const signs: string[] = [];
    let [rounded, formulas] = [0, 0];
    for (const [, place] of places) {
      const cell = cells[place];
      if (typeof cell === 'string' || cell === undefined) continue;
      if (cell.kind === 'fault') faults.push(`${table.names[place]}: ${cell.text}`);
      if (cell.isFormula === true) formulas += 1;
    }
    const currency = currencyAt === undefined ? '' : textOfCell(cells[currencyAt]);
    for (const [field, place] of money) {
      const cell = cells[place];
      if (saysNothing(cell)) continue;
      const read = amountOf(cell, marks.get(place) ?? 'point', factor, currency);
      const written = read === undefined ? textOfCell(cell) : '';
      if (read === undefined && field === 'tax' && untaxed.test(written)) continue;
      const amount = read ?? (unpaid.test(written) ? { micros: 0n, isRounded: false } : undefined);
      if (amount === undefined) {
        // The label of a sum may stand in another column of money than the sum.
        const isLabel = place !== owedAt && (isTaxLabel(written) || isTotalLabel(written));
        if (!isLabel && (typeof cell === 'string' || cell?.kind !== 'fault'))
          faults.push(`${table.names[place]}: ${written.slice(0, 40)} is no number.`);
      } else if (typeof amount === 'string') faults.push(`${table.names[place]}: ${amount}`);
      else {
        const before = field === 'tax' || isAdded.has(place) ? (amounts.get(field) ?? 0n) : 0n;
        amounts.set(field, place === credits ? before - amount.micros : before + amount.micros);
        if (amount.isRounded) rounded += 1;
        const sign = typeof cell === 'string' ? signOfCell(cell) : currencyShown(cell);
        if (sign !== undefined) signs.push(sign);
      }
    }
    const ofUnits = new Map<CountedUnit, string>();
    for (const [unit, place, isThousand] of counted) {
      if (saysNothing(cells[place])) continue;
      const count = unitsOf(place, cells, marks, isThousand);
      if (count !== '') ofUnits.set(unit, count);
      else if (isNumberText(textOfCell(cells[place])))
        faults.push(`${table.names[place]}: ${textOfCell(cells[place]).slice(0, 40)} is no whole number.`);
    }
    if (ofUnits.size > 0 && !amounts.has('amount')) amounts.set('amount', 0n);
    const text = (field: ReadingField): string => {
      const place = columns.get(field);
      const cell = place === undefined ? undefined : cells[place];
      // A minus alone is a sign in a column of signs.
      if (saysNothing(cell)) return field === 'line_type' && /^[-−]$/.test(textOfCell(cell)) ? '-' : '';
      return place !== undefined && floats.has(place)
        ? textOfCell(cell).replace(/\.0$/, '')
        : textOfCell(cell);
    };
    const day = (field: ReadingField): string | undefined => {
      const place = columns.get(field);
      const cell = place === undefined ? undefined : cells[place];
      if (place === undefined || saysNothing(cell)) return undefined;
      // Rows below each other often have the same day.
      const [written, last] = [textOfCell(cell), days.get(place)];
      if (last?.text === written) return last.day;
      const read = dayOf(written, orders.get(place));
      days.set(place, { text: written, day: read });
      return read;
    };
    const lacking = needs.find(([, place]) => place >= cells.length);
    if (lacking !== undefined)
      faults.push(`The row ends before its column ${table.names[lacking[1]]}: it was cut off.`);
    const monthAt = columns.get('service_month');
    const service = serviceOf(text, day, {
      order: monthAt === undefined ? undefined : orders.get(monthAt),
      name: table.written[monthAt ?? -1],
    });
    if (service !== undefined && service.from > service.to)
      faults.push(`The service days end (${service.to}) before they begin (${service.from}).`);
    for (const kind of named)
      if (damagedId.test(text(kind)))
        faults.push(
          `${table.names[columns.get(kind) ?? -1]}: ${text(kind)} is an id of which a spreadsheet kept the first digits. Keep it as text.`,
        );
    const percent = percentOf(text('tax_rate'));
    const feesOfRow = fees.map((place) => {
      const read = amountOf(cells[place], marks.get(place) ?? 'point', factor, currency);
      return typeof read === 'object' ? read.micros : 0n;
    });
    const isBelow = at >= table.to && amounts.size === 0;
    const below = isBelow ? lastMoney(cells, marks.get(money[0]?.[1] ?? -1) ?? 'point', factor) : undefined;
    const saysService = text('service_month') !== '' || text('service_to') !== '';
    const [key, another] = keys.flatMap((field) => (text(field) === '' ? [] : [field]));
    // `GST 10 %` beside an amount and its currency.
    const isAlone = another === undefined || another === 'currency';
    const isTax = key !== undefined && isAlone && isTaxLabel(text(key));
    return {
      row: at - table.header,
      text: (field) =>
        field === 'units' ? unitsOf(columns.get('units'), cells, marks, inThousands) : text(field),
      day,
      amount: (field) => amounts.get(field),
      fees: feesOfRow,
      counts: ofUnits,
      ...(below !== undefined && { below }),
      label: key === undefined || isTax ? labelOf(cells) : '',
      ...(percent !== undefined && { percent }),
      ...(service !== undefined && { service }),
      isServiceUnclear: service === undefined && saysService,
      signs,
      names: named.flatMap((kind) => {
        const name = text(kind);
        return name === '' || isTax ? [] : [{ kind, text: name }];
      }),
      rounded,
      formulas,
      width: widthOf(cells, table),
      faults,
    };
  };
}

/** Whether all cells of a column are whole numbers with `.0` behind: a program has read its ids as floating point numbers. */
const areFloats = (grid: Grid, table: FoundTable, at: number): boolean => {
  const texts = sampleOf(grid, table, at).filter((text) => text !== '');
  return texts.length > 0 && texts.every((text) => /^\d+\.0$/.test(text));
};

/** What the column of a tax has instead of zero. */
const untaxed =
  /^(?:(?:tax )?(?:exempt|free)|n\/?a|none|nil|no (?:tax|vat)|reverse charge|zero[- ]rated|steuerfrei|befreit|exon[ée]r[ée]e?|exento|exenta|esente|isento|vrij|zw|np)\.?$/iu;

/** What stands in the place of an amount where nothing is charged. */
const unpaid =
  /^(?:free(?: of charge)?|f\.?o\.?c\.?|no charge|bonus|added value|incl(?:\.|uded)?|inkl(?:\.|usive)?|inbegriffen|kostenlos|kostenfrei|gratis|gratuito|offert|inclus|incluido|incluso|inbegrepen)$/iu;

/** `1.23457E+11`: a long number in the short form of a spreadsheet. */
const damagedId = /^\d[.,]\d+E\+\d{2}$/i;

/** What the format of a cell shows beside its number, if that is a currency. */
const currencyShown = (cell: TypedCell | undefined): string | undefined =>
  cell?.sign !== undefined && currenciesOf(cell.sign).length > 0 ? cell.sign : undefined;

const labelOf = (cells: readonly Cell[]): string =>
  cells.map(textOfCell).find((one) => one !== '' && !isNumberText(one)) ?? '';

function lastMoney(cells: readonly Cell[], mark: 'point' | 'comma', factor: Factor): bigint | undefined {
  const read = amountOf(
    cells.findLast((cell) => isNumberText(textOfCell(cell))),
    mark,
    factor,
    '',
  );
  return typeof read === 'object' ? read.micros : undefined;
}

/** The rate of a tax, `19 %` or `19`, in micros of a percent; a share such as `0.19` is one too. */
function percentOf(written: string): bigint | undefined {
  const read = roundToMicros(written.replace(/\s*%$/, '').replace(',', '.').trim());
  if (!read.ok || read.value < 0n || read.value > 100_000_000n) return undefined;
  return read.value > 0n && read.value < 1_000_000n && !written.includes('%')
    ? read.value * 100n
    : read.value;
}

/** Micros of one minor unit of a currency: `12.50` is written as 1250. */
const minorUnit = (currency: string): bigint => 10n ** BigInt(6 - currencyExponent(currency));

const needed: ReadonlySet<ReadingField> = new Set(['number', 'issued', 'currency', 'net', 'amount', 'gross']);

/** Whether a row without this cell is not whole. */
const isNeeded = (field: ReadingField): boolean => needed.has(field);

function widthOf(cells: readonly Cell[], { names }: FoundTable): ReadRow['width'] {
  if (cells.length <= names.length) return cells.length < names.length ? 'short' : 'whole';
  return cells.slice(names.length).some((cell) => textOfCell(cell) !== '') ? 'long' : 'whole';
}

/** An amount in micros, or why it cannot be one; undefined for text that is no number. */
function amountOf(
  cell: Cell | undefined,
  mark: 'point' | 'comma',
  factor: Factor,
  currency: string,
): { readonly micros: bigint; readonly isRounded: boolean } | string | undefined {
  const text = numberAs(cell, mark);
  if (text === undefined) return undefined;
  const decimals = text.split('.')[1]?.length ?? 0;
  const read = roundToMicros(text);
  if (!read.ok)
    return read.error.code === 'too_large' ? 'The amount is larger than the ledger can hold.' : undefined;
  if (factor === 'units') return { micros: read.value, isRounded: decimals > 6 };
  if (factor === 'thousands') return { micros: read.value * 1_000n, isRounded: decimals > 6 };
  const unit = factor === 'micros' ? 1n : minorUnit(currencyOfSign(currency)?.code ?? '');
  const micros = divideHalfEven(read.value * unit, 1_000_000n);
  return { micros, isRounded: micros * 1_000_000n !== read.value * unit };
}

function unitsOf(
  place: number | undefined,
  cells: readonly Cell[],
  marks: ColumnFormats['marks'],
  inThousands: boolean,
): string {
  const cell = place === undefined ? undefined : cells[place];
  const text =
    place === undefined || saysNothing(cell)
      ? undefined
      : countOf(numberAs(cell, marks.get(place) ?? 'point'), inThousands)?.replace(/\.0+$/, '');
  return text === undefined || !/^-?\d{1,18}$/.test(text) ? '' : text;
}

const countOf = (text: string | undefined, inThousands: boolean): string | undefined =>
  text !== undefined && inThousands ? plainDecimal(`${text}e3`) : text;

function serviceOf(
  text: (field: ReadingField) => string,
  day: (field: ReadingField) => string | undefined,
  month: { readonly order: DateNotation | undefined; readonly name: string | undefined },
): ServiceDays | undefined {
  const [from, to] = [day('service_from'), day('service_to')];
  if (from !== undefined && to !== undefined)
    return { from, to: endOfService({ from, to }, text('service_from'), text('service_to')) };
  const written = text('service_month');
  const one = day('day');
  const ofDay = one === undefined ? undefined : { from: one, to: one };
  // A day says more than its week.
  if (written === '' || (ofDay !== undefined && isWeekName(month.name ?? ''))) return ofDay;
  return daysOfText(written, month.order, month.name);
}

/** Whether a row says that it is a total: by a label, or because everything else is empty. */
export function isTotalRow(row: ReadRow, texts: readonly string[], hasKeys: boolean): boolean {
  if (texts.some((text) => isTotalLabel(text, row.text('number')))) return true;
  return hasKeys && row.width !== 'short' && keyFields.every((field) => row.text(field) === '');
}

/** Fields that a line has and a total lacks. */
export const keyFields = [
  'number',
  'issued',
  'currency',
  'description',
  'day',
  ...nameFields,
] as const satisfies readonly ReadingField[];

const kindWords = {
  credit_note:
    /credit ?(?:note|memo)|(?:vendor|supplier) credit|gutschrift|avoir|kreditfaktura|creditfactuur|korrekturrechnung|faktura koryg|dobropis|note de cr[eé]dit|^kg$|nota de cr[eé]d|nota di credito|nota credito|creditnota|kreditnota|korekta|storno|rechnungskorrektur|^cn$|^crn$/i,
  // RE, KR and KG are types of documents of vendors in SAP.
  invoice:
    /invoice|^inv$|^bill$|^kr$|^re$|rechnung|facture|factura|fattura|factuur|faktura|fatura|請求書|发票/i,
} as const;

/** What systems write into a column of the types of documents (UNTDID 1001, FatturaPA, books of vendors). */
const kindCodes: Readonly<Record<string, 'invoice' | 'credit_note'>> = {
  ...{ '380': 'invoice', '381': 'credit_note', td01: 'invoice', td04: 'credit_note' },
  ...{ cm: 'credit_note', crm: 'credit_note', 'c/n': 'credit_note', nc: 'credit_note', av: 'credit_note' },
  ...{ gs: 'credit_note', gu: 'credit_note', c: 'credit_note', cre: 'credit_note' },
  ...{ i: 'invoice', fac: 'invoice', fact: 'invoice', fv: 'invoice', ft: 'invoice', rg: 'invoice' },
};

/** The kind of document that a text says. */
export function kindOfText(text: string): 'invoice' | 'credit_note' | undefined {
  if (kindWords.credit_note.test(text)) return 'credit_note';
  return kindWords.invoice.test(text) ? 'invoice' : undefined;
}

/** The kind of its document that a row says; `credit` alone may be the type of a line. */
export function kindOfDocument(row: ReadRow): 'invoice' | 'credit_note' | 'credit' | undefined {
  const said = row.text('document_type') || row.text('line_type');
  if (said === '') return undefined;
  const kind = kindOfText(said);
  if (kind !== undefined) return kind;
  const coded = row.text('document_type') === '' ? undefined : kindCodes[said.toLowerCase()];
  if (coded !== undefined) return coded;
  if (!/^(?:credit|kredit|crédit|crédito|credito)$/i.test(said)) return undefined;
  return row.text('document_type') === '' ? 'credit' : 'credit_note';
}

/** What a column of debit and credit says of a credit. Its sign is asked about where the amount has none. */
const creditMarks: ReadonlySet<string> = new Set(['-', '−', 'h', 'haben', 'c', 'cr', 'haber', 'avere']);

/** The type of a line: its own column, then words, then whether it names what it bills. */
export function typeOfLine(
  row: ReadRow,
  amountMicros: bigint,
): { readonly type: LineType; readonly by: 'column' | 'words' | 'name' | 'none' } {
  const said = row.text('line_type').toLowerCase();
  const marked = creditMarks.has(said) ? 'credit' : undefined;
  const type = marked ?? lineTypes.find((one) => one === said) ?? lineTypeOfWords(said);
  if (type !== undefined) return { type, by: 'column' };
  return typeByWords(row.text('description') || row.label, row.names.length > 0, amountMicros);
}

/** A text that is the name of a fee, such as `Platform fee`, and not one that has its word in it. */
const isFeeName = (text: string): boolean =>
  feeName.test(text.replace(/[\s(]*\d+(?:[.,]\d+)?\s*%\)?$/, '').trim());

const feeName =
  /^(?:[\p{L}\p{N}.&/-]+\s+){0,2}(?:platform|data|tech|technology|ad[ -]?serving|serving|dst|service|management|agency|verification|regulatory|operating|transaction|processing)\s+(?:\p{L}+\s+)?fees?$/iu;

/** Words of a credit count for a negative amount alone, and other words where nothing is named. */
export function typeByWords(
  description: string,
  isNamed: boolean,
  amountMicros: bigint,
): { readonly type: LineType; readonly by: 'words' | 'name' | 'none' } {
  const word = lineTypeOfWords(description);
  if (word === 'credit' ? amountMicros < 0n : word !== undefined && (!isNamed || isFeeName(description)))
    return { type: word ?? 'open', by: 'words' };
  return isNamed ? { type: 'media', by: 'name' } : { type: 'open', by: 'none' };
}
