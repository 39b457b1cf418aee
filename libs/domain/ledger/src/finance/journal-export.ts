import { currencyExponent, divideHalfEven, microsToDecimal } from '@switchyard/money';
import { groupBy } from '../group-by.js';

/** Target formats of a journal: NetSuite's CSV import, SAP's general journal entries, or plain CSV. */
export const exportFormats = ['netsuite', 'sap', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The sum of entries of one kind and account on one day, by seller, client, account at the seller and currency. */
export interface JournalSum {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly kind: string;
  /** Slug; empty for an entry without a seller. */
  readonly seller: string;
  readonly sellerName?: string;
  readonly client?: string;
  /** The account at the seller: its id there, else brand and operator. */
  readonly sellerAccount?: string;
  /** The client's codes, by system. */
  readonly clientCodes?: Readonly<Record<string, string>>;
  readonly currency: string;
  readonly account: string;
  /** A debit is positive. */
  readonly amountMicros: bigint;
}

interface JournalLine {
  readonly account: string;
  /** With the precision of the currency's minor unit; a debit is positive; never zero. */
  readonly amountMicros: bigint;
}

/** One journal entry in the books. Its lines sum to zero. */
export interface JournalDocument extends Omit<JournalSum, 'account' | 'amountMicros'> {
  readonly number: string;
  readonly lines: readonly JournalLine[];
}

/** Codes of the books: accounts by name, vendors by `vendor:` and the seller's slug. */
type JournalCodes = ReadonlyMap<string, string>;

/**
 * Creates journal entries for the books: one per day, kind, seller, client, account at the seller and
 * currency. Lines are rounded half to even to the currency's minor unit, and the rounding difference is added
 * to the largest line. Throws where sums do not balance, which entries of the ledger always do.
 */
export function journalDocuments(sums: readonly JournalSum[], batch: number): readonly JournalDocument[] {
  const groups = groupBy(sums, ({ day, kind, seller, client, sellerAccount, currency, clientCodes }) =>
    JSON.stringify([day, kind, seller, client ?? '', sellerAccount ?? '', currency, clientCodes ?? {}]),
  );
  const documents: JournalDocument[] = [];
  for (const ofOne of groups.values()) {
    const [first] = ofOne;
    if (first === undefined) continue;
    if (ofOne.reduce((sum, { amountMicros }) => sum + amountMicros, 0n) !== 0n)
      throw new Error(
        `The journal of ${first.day} for ${first.seller} in ${first.currency} does not balance.`,
      );
    const lines = roundedLines(first.currency, ofOne);
    if (lines.length === 0) continue;
    const { account: _account, amountMicros: _amount, ...about } = first;
    const place = String(documents.length + 1).padStart(5, '0');
    documents.push({ ...about, number: `SW${String(batch).padStart(5, '0')}-${place}`, lines });
  }
  return documents;
}

/** Lines that sum to zero, rounded to the currency's minor unit; the rounding difference is added to the largest. */
export function roundedLines(
  currency: string,
  sums: readonly Pick<JournalSum, 'account' | 'amountMicros'>[],
): readonly JournalLine[] {
  const unit = 10n ** BigInt(6 - currencyExponent(currency));
  const lines = sums.map(({ account, amountMicros }) => ({
    account,
    amountMicros: divideHalfEven(amountMicros, unit) * unit,
  }));
  const rest = lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
  const largest = lines.reduce(
    (best, { amountMicros }, at) => (size(amountMicros) > size(lines[best]?.amountMicros ?? 0n) ? at : best),
    0,
  );
  return lines
    .map((line, at) => (at === largest ? { ...line, amountMicros: line.amountMicros - rest } : line))
    .filter(({ amountMicros }) => amountMicros !== 0n);
}

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** The rows of a file, its header first. Every account of the documents must have a code. */
export function journalRows(
  format: ExportFormat,
  documents: readonly JournalDocument[],
  codes: JournalCodes,
): readonly (readonly string[])[] {
  const columns = layouts[format];
  const cells = documents.flatMap((document) =>
    document.lines.map((line) => cellsOf(format, document, line, codes)),
  );
  return [columns.map(([header]) => header), ...cells.map((row) => columns.map(([, cellOf]) => cellOf(row)))];
}

interface Cells {
  readonly document: JournalDocument;
  readonly account: string;
  readonly accountCode: string;
  /** One of the two is empty. */
  readonly debit: string;
  readonly credit: string;
  readonly vendorCode: string;
  readonly clientCode: string;
  readonly memo: string;
}

function cellsOf(
  format: ExportFormat,
  document: JournalDocument,
  { account, amountMicros }: JournalLine,
  codes: JournalCodes,
): Cells {
  const amount = minorText(document.currency, size(amountMicros));
  const { seller, sellerName = seller, client = '', clientCodes = {}, kind } = document;
  return {
    document,
    account,
    accountCode: codes.get(account) ?? '',
    debit: amountMicros > 0n ? amount : '',
    credit: amountMicros < 0n ? amount : '',
    vendorCode: codes.get(`vendor:${seller}`) ?? sellerName,
    clientCode: clientCodes[format] ?? clientCodes['finance'] ?? client,
    memo: [kind, seller, client].filter((part) => part !== '').join(' '),
  };
}

/** With all decimals of the minor unit: `12.50`. */
function minorText(currency: string, micros: bigint): string {
  const digits = currencyExponent(currency);
  const [whole = '0', part = ''] = microsToDecimal(micros).split('.');
  return digits === 0 ? whole : `${whole}.${part.padEnd(digits, '0')}`;
}

/** The columns of each format, in order: the header, and the cell of a row. */
type Columns = readonly (readonly [header: string, cellOf: (cells: Cells) => string])[];

const layouts: Readonly<Record<ExportFormat, Columns>> = {
  netsuite: [
    ['External ID', ({ document }) => document.number],
    ['Date', ({ document }) => document.day],
    ['Posting Period', ({ document }) => document.day.slice(0, 7)],
    ['Currency', ({ document }) => document.currency],
    ['Account', ({ accountCode }) => accountCode],
    ['Debit', ({ debit }) => debit],
    ['Credit', ({ credit }) => credit],
    ['Entity', ({ vendorCode }) => vendorCode],
    ['Client', ({ clientCode }) => clientCode],
    ['Memo', ({ memo }) => memo],
  ],
  // Field names of an SAP document: header BKPF, line BSEG. 40 posts a debit, 50 a credit.
  sap: [
    ['XBLNR', ({ document }) => document.number],
    ['BLDAT', ({ document }) => document.day.replaceAll('-', '')],
    ['BUDAT', ({ document }) => document.day.replaceAll('-', '')],
    ['GJAHR', ({ document }) => document.day.slice(0, 4)],
    ['MONAT', ({ document }) => document.day.slice(5, 7)],
    ['WAERS', ({ document }) => document.currency],
    ['BSCHL', ({ debit }) => (debit === '' ? '50' : '40')],
    ['HKONT', ({ accountCode }) => accountCode],
    ['WRBTR', ({ debit, credit }) => (debit === '' ? credit : debit)],
    ['LIFNR', ({ vendorCode }) => vendorCode],
    ['KUNNR', ({ clientCode }) => clientCode],
    ['SGTXT', ({ memo }) => memo.slice(0, 50)],
  ],
  csv: [
    ['document', ({ document }) => document.number],
    ['date', ({ document }) => document.day],
    ['period', ({ document }) => document.day.slice(0, 7)],
    ['kind', ({ document }) => document.kind],
    ['seller', ({ document }) => document.seller],
    ['vendor_code', ({ vendorCode }) => vendorCode],
    ['client', ({ document }) => document.client ?? ''],
    ['client_code', ({ clientCode }) => clientCode],
    ['account', ({ account }) => account],
    ['account_code', ({ accountCode }) => accountCode],
    ['currency', ({ document }) => document.currency],
    ['debit', ({ debit }) => debit],
    ['credit', ({ credit }) => credit],
    // Last, so that the positions of the other columns do not change.
    ['seller_account', ({ document }) => document.sellerAccount ?? ''],
    ['vendor', ({ document }) => document.sellerName ?? document.seller],
  ],
};
