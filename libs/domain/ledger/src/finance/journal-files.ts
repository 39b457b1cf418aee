import { currencyExponent, microsToDecimal } from '@switchyard/money';
import { err, ok, type Result } from '@switchyard/values';
import type { JournalDocument } from './journal-export.js';

/** Accounting software whose import files are written. */
export const bookSystems = ['netsuite', 'sap', 'quickbooks', 'xero'] as const;
export type BookSystem = (typeof bookSystems)[number];

/** What a file has: entries without a document, or documents of sellers. No amount stands in two of them. */
export const batchParts = ['journal', 'bills', 'credits'] as const;
export type BatchPart = (typeof batchParts)[number];

/** A document of a seller as accounting books it: the account of the liability is that of its vendor. */
export interface BookBill {
  readonly number: string;
  readonly seller: string;
  readonly issuedOn: string;
  readonly dueOn: string;
  /** `YYYY-MM-DD`: when the ledger has it. */
  readonly day: string;
  readonly currency: string;
  /** By account, without what is owed by invoice; debits are positive. Negative in all: a credit note, or a void. */
  readonly lines: readonly { readonly account: string; readonly amountMicros: bigint }[];
}

export interface BookFile {
  readonly name: string;
  readonly rows: readonly (readonly string[])[];
}

type Codes = ReadonlyMap<string, string>;

/** Codes that are missing, by what `journal accounts set` takes; or a limit of the software that is exceeded. */
export interface FileFault {
  readonly missing: readonly string[];
  readonly reason?: string;
}

type Written = Result<readonly BookFile[], FileFault>;

/** A code of one system comes before a code of all. */
function finder(system: BookSystem, codes: Codes) {
  const missing = new Set<string>();
  const maybe = (key: string): string => {
    const code = codes.get(`${system}/${key}`) ?? codes.get(key) ?? '';
    // A tax code of SAP has two characters: the words that Xero has for a rate are none.
    return system === 'sap' && key === 'no_tax' && code.length > 2 ? '' : code;
  };
  const needed = (key: string): string => {
    const code = maybe(key);
    if (code === '') missing.add(key);
    return code;
  };
  /** A client has codes of its own, by system, or one for finance. */
  const clientOf = ({ client, clientCodes = {} }: JournalDocument): string => {
    if (client === undefined) return '';
    const code = clientCodes[system] ?? clientCodes['finance'] ?? '';
    if (code === '') missing.add(`client ${client}`);
    return code;
  };
  return { maybe, needed, clientOf, missing };
}

type Finder = ReturnType<typeof finder>;

/** The journal of a batch in the layout that the import of a system takes. */
export function journalFile(
  system: BookSystem,
  documents: readonly JournalDocument[],
  { codes, baseCurrency }: { readonly codes: Codes; readonly baseCurrency: string },
): Written {
  const find = finder(system, codes);
  const lines = documents.flatMap((document) => document.lines.map((line) => ({ document, ...line })));
  const fault = limitOf(system, documents, { lines: lines.length, baseCurrency });
  if (fault !== undefined) return err({ missing: [], reason: fault });
  const rows = lines.map((line) => journalRow[system](line, find));
  if (find.missing.size > 0) return err({ missing: [...find.missing].sort() });
  return ok([{ name: 'journal.csv', rows: [journalHead[system], ...rows] }]);
}

function limitOf(
  system: BookSystem,
  documents: readonly JournalDocument[],
  { lines, baseCurrency }: { readonly lines: number; readonly baseCurrency: string },
): string | undefined {
  if (system === 'netsuite' && lines > 10_000) return 'NetSuite imports 10,000 lines of a journal at most.';
  if (system === 'sap' && documents.some((document) => document.lines.length > 999))
    return 'SAP takes 999 lines of a document at most.';
  const other = documents.find(({ currency }) => currency !== baseCurrency);
  if (system === 'xero' && other !== undefined)
    return `A manual journal of Xero is in the base currency, ${baseCurrency}: this batch has ${other.currency}.`;
  const isTooLarge = documents.some((document) =>
    document.lines.some(({ amountMicros }) => size(amountMicros) >= 10_000_000_000_000_000n),
  );
  return system === 'netsuite' && isTooLarge ? 'NetSuite takes amounts of ten digits at most.' : undefined;
}

interface JournalLine {
  readonly document: JournalDocument;
  readonly account: string;
  readonly amountMicros: bigint;
}

const journalHead: Readonly<Record<BookSystem, readonly string[]>> = {
  netsuite: [
    ...[
      'External ID',
      'Date',
      'Subsidiary',
      'Currency',
      'Posting Period',
      'Account',
      'Debit',
      'Credit',
      'Memo',
    ],
    ...['Line Memo', 'Entity', 'Department', 'Class'],
  ],
  // Technical names of the template of the app Upload General Journal Entries.
  sap: [
    ...[
      'BUKRS',
      'BLART',
      'BLDAT',
      'BUDAT',
      'WAERS',
      'XBLNR',
      'BKTXT',
      'HKONT',
      'WRSOL',
      'WRHAB',
      'SGTXT',
      'MWSKZ',
    ],
    ...['KOSTL', 'ZUONR'],
  ],
  quickbooks: [
    ...['Journal No', 'Journal Date', 'Account Name', 'Debits', 'Credits', 'Description', 'Name', 'Currency'],
    ...['Class'],
  ],
  xero: [
    '*Narration',
    '*Date',
    'Description',
    '*AccountCode',
    '*TaxRate',
    '*Amount',
    'TrackingName1',
    'TrackingOption1',
  ],
};

const journalRow: Readonly<Record<BookSystem, (line: JournalLine, find: Finder) => readonly string[]>> = {
  netsuite: ({ document, account, amountMicros }, find) => [
    document.number,
    monthFirst(document.day),
    subsidiaryOf(find),
    document.currency,
    `${monthName(document.day)} ${document.day.slice(0, 4)}`,
    find.needed(account),
    ...sides(document.currency, amountMicros),
    memoOf(document),
    account,
    partyOf(document, find),
    find.maybe('cost_centre'),
    find.clientOf(document),
  ],
  sap: ({ document, account, amountMicros }, find) => [
    find.needed('company_code'),
    'SA',
    compact(document.day),
    compact(document.day),
    document.currency,
    document.number.slice(0, 16),
    memoOf(document).slice(0, 25),
    find.needed(account),
    ...sides(document.currency, amountMicros),
    [vendorOf(document, find), memoOf(document)].filter(Boolean).join(' ').slice(0, 50),
    find.maybe('no_tax'),
    find.maybe('cost_centre'),
    find.clientOf(document).slice(0, 18),
  ],
  quickbooks: ({ document, account, amountMicros }, find) => [
    document.number.slice(0, 21),
    monthFirst(document.day),
    find.needed(account),
    ...sides(document.currency, amountMicros),
    memoOf(document),
    partyOf(document, find),
    document.currency,
    find.clientOf(document),
  ],
  xero: ({ document, account, amountMicros }, find) => {
    const client = find.clientOf(document);
    return [
      document.number,
      written(document.day),
      [vendorOf(document, find), memoOf(document)].filter(Boolean).join(' '),
      find.needed(account),
      find.needed('no_tax'),
      signedText(document.currency, amountMicros),
      ...(client === '' ? ['', ''] : [find.needed('tracking'), client]),
    ];
  },
};

/** Bills of a batch, or with `credits` what takes them back, as vendor bills and vendor credits of a system. */
export function billFiles(
  system: BookSystem,
  bills: readonly BookBill[],
  part: Exclude<BatchPart, 'journal'>,
  codes: Codes,
): Written {
  const find = finder(system, codes);
  if (system === 'xero' && bills.length > 500)
    return err({ missing: [], reason: 'Xero imports about 500 documents of a file at most.' });
  const sign = part === 'credits' ? -1n : 1n;
  const own = bills.map((bill) => ({
    ...bill,
    lines: bill.lines.map((line) => ({ ...line, amountMicros: line.amountMicros * sign })),
  }));
  const files = billWriters[system](own, find, part === 'credits');
  return find.missing.size > 0 ? err({ missing: [...find.missing].sort() }) : ok(files);
}

type BillWriter = (bills: readonly BookBill[], find: Finder, isCredit: boolean) => readonly BookFile[];

const billWriters: Readonly<Record<BookSystem, BillWriter>> = {
  // No amount stands in the head: the lines are a second file with the same external ids.
  netsuite: (bills, find, isCredit) => [
    {
      name: isCredit ? 'vendor-credits.csv' : 'vendor-bills.csv',
      rows: [
        ['External ID', 'Reference No.', 'Vendor', 'Date', 'Due Date', 'Currency', 'Subsidiary'],
        ...bills.map((bill) => [
          externalId(bill),
          bill.number,
          find.needed(`vendor:${bill.seller}`),
          monthFirst(bill.issuedOn),
          monthFirst(bill.dueOn),
          bill.currency,
          subsidiaryOf(find),
        ]),
      ],
    },
    {
      name: isCredit ? 'vendor-credit-lines.csv' : 'vendor-bill-lines.csv',
      rows: [
        ['External ID', 'Account', 'Amount', 'Tax Code', 'Memo'],
        ...linesOf(bills).map(({ bill, account, amountMicros }) => [
          externalId(bill),
          find.needed(account),
          signedText(bill.currency, amountMicros),
          find.maybe('no_tax'),
          account,
        ]),
      ],
    },
  ],
  // Posting keys: 31 a credit of the vendor, 40 a debit of an account; of a credit 21 and 50.
  sap: (bills, find, isCredit) => [
    {
      name: isCredit ? 'supplier-credits.csv' : 'supplier-invoices.csv',
      rows: [
        [
          'BUKRS',
          'BLART',
          'BLDAT',
          'BUDAT',
          'WAERS',
          'XBLNR',
          'BSCHL',
          'LIFNR',
          'HKONT',
          'WRBTR',
          'MWSKZ',
          'ZFBDT',
          'SGTXT',
        ],
        ...bills.flatMap((bill) => {
          const head = [
            find.needed('company_code'),
            isCredit ? 'KG' : 'KR',
            compact(bill.issuedOn),
            compact(bill.day),
            bill.currency,
            bill.number.slice(0, 16),
          ];
          const total = bill.lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
          const isDebit = (amount: bigint): boolean => amount > 0n !== isCredit;
          return [
            [
              ...head,
              isCredit ? '21' : '31',
              find.needed(`vendor:${bill.seller}`),
              '',
              unsigned(bill.currency, total),
              '',
              compact(bill.dueOn),
              bill.number.slice(0, 50),
            ],
            ...bill.lines.map(({ account, amountMicros }) => [
              ...head,
              isDebit(amountMicros) ? '40' : '50',
              '',
              find.needed(account),
              unsigned(bill.currency, amountMicros),
              find.maybe('no_tax'),
              '',
              account,
            ]),
          ];
        }),
      ],
    },
  ],
  quickbooks: (bills, find, isCredit) => [
    {
      name: isCredit ? 'vendor-credits.csv' : 'bills.csv',
      rows: [
        [
          'Bill No',
          'Supplier',
          'Bill Date',
          'Due Date',
          'Account',
          'Line Amount',
          'Line Description',
          'Tax Code',
          'Currency',
        ],
        ...linesOf(bills).map(({ bill, account, amountMicros }) => [
          bill.number.slice(0, 21),
          find.needed(`vendor:${bill.seller}`),
          monthFirst(bill.issuedOn),
          monthFirst(bill.dueOn),
          find.needed(account),
          signedText(bill.currency, amountMicros),
          account,
          find.maybe('no_tax'),
          bill.currency,
        ]),
      ],
    },
  ],
  xero: (bills, find, isCredit) => [
    {
      name: isCredit ? 'credit-notes.csv' : 'bills.csv',
      rows: [
        [
          ...[
            '*ContactName',
            '*InvoiceNumber',
            '*InvoiceDate',
            '*DueDate',
            'Description',
            '*Quantity',
            '*UnitAmount',
          ],
          ...['*AccountCode', '*TaxType', 'Currency'],
        ],
        ...linesOf(bills).map(({ bill, account, amountMicros }) => [
          find.needed(`vendor:${bill.seller}`),
          bill.number,
          written(bill.issuedOn),
          written(bill.dueOn),
          account,
          '1',
          // A credit note of Xero is a bill whose amounts are negative.
          signedText(bill.currency, isCredit ? -amountMicros : amountMicros),
          find.needed(account),
          find.needed('no_tax'),
          bill.currency,
        ]),
      ],
    },
  ],
};

const linesOf = (bills: readonly BookBill[]) =>
  bills.flatMap((bill) => bill.lines.map((line) => ({ bill, ...line })));

const externalId = ({ seller, number }: BookBill): string => `${seller}-${number}`;

/** A company without subsidiaries sets the code `-`, and the column is empty. */
const subsidiaryOf = (find: Finder): string => {
  const code = find.needed('subsidiary');
  return code === '-' ? '' : code;
};

const vendorOf = ({ seller }: JournalDocument, find: Finder): string =>
  seller === '' ? '' : find.needed(`vendor:${seller}`);

/** Who a line is with: the seller, or of documents and payments of clients, which have none, the client. */
const partyOf = (document: JournalDocument, find: Finder): string =>
  document.seller === '' ? find.clientOf(document) : vendorOf(document, find);

const memoOf = ({ kind, seller, client = '' }: JournalDocument): string =>
  [kind, seller, client].filter((part) => part !== '').join(' ');

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

function unsigned(currency: string, micros: bigint): string {
  const digits = currencyExponent(currency);
  const [whole = '0', part = ''] = microsToDecimal(size(micros)).split('.');
  return digits === 0 ? whole : `${whole}.${part.padEnd(digits, '0')}`;
}

const signedText = (currency: string, micros: bigint): string =>
  `${micros < 0n ? '-' : ''}${unsigned(currency, micros)}`;

/** The debit and the credit: one of the two is empty. */
const sides = (currency: string, micros: bigint): readonly [string, string] =>
  micros > 0n ? [unsigned(currency, micros), ''] : ['', unsigned(currency, micros)];

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const monthName = (day: string): string => months[Number(day.slice(5, 7)) - 1] ?? '';
const compact = (day: string): string => day.replaceAll('-', '');
/** `11/30/2026`: the usual setting of NetSuite and QuickBooks. */
const monthFirst = (day: string): string => `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(0, 4)}`;
/** `30 Nov 2026`: read alike in every region. */
const written = (day: string): string => `${Number(day.slice(8, 10))} ${monthName(day)} ${day.slice(0, 4)}`;
