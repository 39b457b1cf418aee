import { isCurrency, parseDecimal } from '@switchyard/money';
import { err, ok, type Result } from '@switchyard/values';
import type { LineType } from '../reading/reading.js';
import { isDay, isPeriod, nextPeriod, periodOfDay, type AccountingPeriod } from './period.js';

/** One line of an invoice, with the members that say what it is for. */
export interface InvoiceLine {
  /** Counts from 1. */
  readonly line: number;
  /** The seller's own ids. */
  readonly sellerMediaBuyId?: string;
  readonly packageRef?: string;
  readonly poNumber?: string;
  readonly description?: string;
  /** Impressions, or another unit of the price. */
  readonly units?: bigint;
  readonly amountMicros: bigint;
  /** Absent in files that name none. */
  readonly type?: LineType;
  /** The days that it bills, `YYYY-MM-DD`, where they are its own. */
  readonly serviceFrom?: string;
  readonly serviceTo?: string;
}

/** Whether a line bills what was delivered, and not what comes beside it. */
export const isDelivered = ({ type = 'open' }: Pick<InvoiceLine, 'type'>): boolean =>
  type === 'media' || type === 'open' || type === 'credit';

/** An invoice of a seller. Its total is the sum of its lines. */
export interface InvoiceDraft {
  readonly number: string;
  readonly period: AccountingPeriod;
  /** `YYYY-MM-DD`. */
  readonly issuedOn: string;
  /** `YYYY-MM-DD`; absent: by the terms of its seller. */
  readonly dueOn?: string;
  /** ISO 4217. */
  readonly currency: string;
  /** What is owed, with tax; negative for a credit note. */
  readonly totalMicros: bigint;
  readonly lines: readonly InvoiceLine[];
  readonly kind?: 'invoice' | 'credit_note';
  /** The days that it bills, both included, `YYYY-MM-DD`; absent: those of its period. */
  readonly serviceFrom?: string;
  readonly serviceTo?: string;
  /** Absent where the file says one amount alone. */
  readonly netMicros?: bigint;
  readonly taxMicros?: bigint;
  /** The number of the invoice that a credit note corrects. */
  readonly refersTo?: string;
}

/** A row that cannot be read. `row` counts from 1, without the header. */
interface RefusedRow {
  readonly row: number;
  readonly reason: string;
}

/** The fields of an invoice file. */
export const invoiceFields = [
  'invoice_number',
  'period',
  'issued_on',
  'due_on',
  'currency',
  'media_buy_id',
  'package_id',
  'po_number',
  'description',
  'units',
  'amount',
] as const;

export type InvoiceField = (typeof invoiceFields)[number];

/** The column of a file for each field. */
export type InvoiceMapping = Readonly<Partial<Record<InvoiceField, string>>>;

/** A row of a file: text by column, and the error of a cell without text. */
export interface FileRow {
  /** Counts from 1, without the header. */
  readonly row: number;
  readonly cells: Readonly<Record<string, string>>;
  readonly faults?: Readonly<Record<string, string>>;
}

/** Values for every row where the file has no column. */
export type InvoiceDefaults = Readonly<Partial<Record<InvoiceField, string>>>;

const unitsShape = /^\d{1,18}$/;

/** An invoice without its lines. */
export type InvoiceHead = Omit<InvoiceDraft, 'lines'> & {
  readonly lineTotal: number;
  /** The sum of the lines of each type; absent where lines have none. */
  readonly byType?: Readonly<Partial<Record<LineType, bigint>>>;
};

/** Reads one invoice row by row, so that no file has to be in memory as a whole. */
interface InvoiceReader {
  /** The line of a row; undefined where the row is refused. */
  readonly take: (row: FileRow) => InvoiceLine | undefined;
  /** After the last row: the invoice, or the first hundred refused rows with their reasons. */
  readonly end: () => Result<InvoiceHead, readonly RefusedRow[]>;
}

/** Maximum number of refused rows that are reported for one file. */
const refusalsAtMost = 100;

/** Finds fields in rows. */
export interface FieldReader<Field extends string> {
  /** The text of its column, or the value for every row; empty where there is none. */
  readonly textOf: (row: FileRow, field: Field) => string;
  /** Why a cell cannot be used. */
  readonly faultOf: (row: FileRow, fields: readonly Field[]) => string | undefined;
  /** A column of the mapping that the file does not have. */
  readonly missingColumn: (columns: readonly string[]) => string | undefined;
}

export function fieldReader<Field extends string>(
  mapping: Readonly<Partial<Record<Field, string>>>,
  defaults: Readonly<Partial<Record<Field, string>>>,
): FieldReader<Field> {
  const columnOf = (field: Field): string => mapping[field] ?? field;
  return {
    textOf: ({ cells }, field) => {
      const column = columnOf(field);
      const text = Object.hasOwn(cells, column) ? (cells[column] ?? '').trim() : '';
      return text === '' ? (defaults[field] ?? '').trim() : text;
    },
    faultOf: ({ faults }, fields) => {
      const field = fields.find(
        (candidate) => faults !== undefined && Object.hasOwn(faults, columnOf(candidate)),
      );
      return field === undefined ? undefined : `${field}: ${faults?.[columnOf(field)] ?? ''}`;
    },
    missingColumn: (columns) =>
      Object.values<string | undefined>(mapping).find(
        (column) => column !== undefined && !columns.includes(column),
      ),
  };
}

/**
 * Reads the rows of one invoice. Every row must be readable: an invoice is booked whole or not at all, and
 * each wrong row is returned with its reason.
 */
export function readInvoice(mapping: InvoiceMapping, defaults: InvoiceDefaults = {}): InvoiceReader {
  const { textOf, faultOf } = fieldReader<InvoiceField>(mapping, defaults);
  const refused: RefusedRow[] = [];
  const same: readonly InvoiceField[] = ['invoice_number', 'issued_on', 'period', 'due_on'];
  let first: FileRow | undefined;
  let header: Header | undefined;
  let totalMicros = 0n;
  let lineTotal = 0;
  const reasonOf = (row: FileRow, start: FileRow): string | undefined => {
    const fault = faultOf(row, invoiceFields);
    if (fault !== undefined) return fault;
    const other = same.find((field) => textOf(row, field) !== textOf(start, field));
    if (other !== undefined) return `${other} differs from the first row: one file is one invoice.`;
    if (textOf(row, 'currency').toUpperCase() !== header?.currency)
      return 'The currency differs from the first row.';
    const units = textOf(row, 'units');
    if (units !== '' && !unitsShape.test(units))
      return `"${units.slice(0, 40)}" is no whole number of units. Which number style has this file?`;
    return amountFault(textOf(row, 'amount'));
  };
  return {
    take: (row) => {
      if (first === undefined) {
        first = row;
        header = headerOf(row, textOf);
        const fault = faultOfHeader(header);
        if (fault !== undefined) refused.push({ row: row.row, reason: fault });
      }
      lineTotal += 1;
      const reason = reasonOf(row, first);
      const amount = parseDecimal(textOf(row, 'amount'));
      if (reason !== undefined || !amount.ok) {
        if (refused.length < refusalsAtMost) refused.push({ row: row.row, reason: reason ?? 'No amount.' });
        return undefined;
      }
      totalMicros += amount.value;
      const units = textOf(row, 'units');
      return {
        line: row.row,
        amountMicros: amount.value,
        ...(units === '' ? {} : { units: BigInt(units) }),
        ...named('sellerMediaBuyId', textOf(row, 'media_buy_id')),
        ...named('packageRef', textOf(row, 'package_id')),
        ...named('poNumber', textOf(row, 'po_number')),
        ...named('description', textOf(row, 'description')),
      };
    },
    end: () => {
      if (header === undefined) return err([{ row: 0, reason: 'The file has no rows.' }]);
      if (refused.length > 0) return err(refused);
      if (totalMicros > mostMicros)
        return err([{ row: 0, reason: 'The total is larger than the ledger can hold.' }]);
      return ok({ ...header, totalMicros, lineTotal });
    },
  };
}

/** The maximum of 64 bits. */
const mostMicros = 2n ** 63n - 1n;

const amountFaults = {
  not_a_number:
    'The amount is no decimal number. Write it with a point and without other separators: 1234.50.',
  too_precise: 'The amount has more than six decimals.',
  too_large: 'The amount is larger than the ledger can hold.',
} as const;

/** Why an amount cannot be booked; undefined where it can. */
export function amountFault(text: string): string | undefined {
  const amount = parseDecimal(text);
  if (!amount.ok) return amountFaults[amount.error.code];
  return amount.value < 0n
    ? 'The amount is negative. Is this a credit note? Then import it as one.'
    : undefined;
}

type Header = Pick<InvoiceDraft, 'number' | 'issuedOn' | 'dueOn' | 'currency' | 'period'>;

function headerOf(row: FileRow, textOf: (row: FileRow, field: InvoiceField) => string): Header {
  return {
    number: textOf(row, 'invoice_number'),
    issuedOn: textOf(row, 'issued_on'),
    currency: textOf(row, 'currency').toUpperCase(),
    period: textOf(row, 'period') || periodOfDay(textOf(row, 'issued_on')),
    ...named('dueOn', textOf(row, 'due_on')),
  };
}

const howToSay = 'Choose its column in the mapping, or say it for the whole file';

function faultOfHeader(header: Header): string | undefined {
  if (header.number === '' || header.number.length > 100)
    return `The invoice number is missing or too long. ${howToSay} (--number).`;
  if (header.issuedOn === '') return `The day of issue is missing. ${howToSay} (--issued).`;
  if (!isDay(header.issuedOn)) return `The day of issue is ${dayFault}`;
  if (header.dueOn !== undefined && !isDay(header.dueOn)) return `The day that it is due is ${dayFault}`;
  if (header.dueOn !== undefined && header.dueOn < header.issuedOn)
    return 'It is due before it is issued: the dates may be swapped.';
  if (!isPeriod(header.period)) return 'The period is not a month as YYYY-MM.';
  // A month may be billed in the month before it.
  if (nextPeriod(periodOfDay(header.issuedOn)) < header.period)
    return 'The day of issue is long before the period that is billed: the two dates may be swapped.';
  if (header.currency === '') return `The currency is missing. ${howToSay} (--currency).`;
  if (!isCurrency(header.currency)) return 'The currency is not an ISO 4217 code.';
  return undefined;
}

/** The message for an invalid day. */
export const dayFault = 'not a day as YYYY-MM-DD: day and month may be swapped.';

function named<Name extends string>(name: Name, text: string): Readonly<Partial<Record<Name, string>>> {
  return (text === '' ? {} : { [name]: text }) as Readonly<Partial<Record<Name, string>>>;
}
