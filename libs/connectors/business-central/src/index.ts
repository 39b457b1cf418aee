import type { BookFile, BookLayout, JournalDocument, LayoutCodes } from '@switchyard/ledger';

/** Columns of the table Gen. Journal Line (81), as a configuration package imports them. */
const head = [
  ...[
    'Journal Template Name',
    'Journal Batch Name',
    'Line No.',
    'Account Type',
    'Account No.',
    'Posting Date',
  ],
  ...['Document No.', 'Description', 'Currency Code', 'Amount', 'Shortcut Dimension 1 Code'],
  'External Document No.',
];

/** Lines are numbered in steps, so that a person can put one between two. */
const step = 10_000;
const longestText = 100;

function fileOf(documents: readonly JournalDocument[], codes: LayoutCodes): BookFile {
  const template = codes.maybe('business-central-template') || 'GENERAL';
  const batch = codes.maybe('business-central-batch') || 'DEFAULT';
  const rows = documents
    .flatMap((document) => document.lines.map((line) => ({ document, line })))
    .map(({ document, line }, at) => [
      template,
      batch,
      String((at + 1) * step),
      'G/L Account',
      codes.needed(line.account),
      document.day,
      document.number,
      [document.kind, document.seller, document.client ?? '']
        .filter((part) => part !== '')
        .join(' ')
        .slice(0, longestText),
      document.currency,
      decimal(line.amountMicros),
      codes.maybe('cost_centre'),
      document.seller === '' ? '' : codes.needed(`vendor:${document.seller}`),
    ]);
  return { name: 'general-journal.csv', rows: [head, ...rows] };
}

/** A debit is positive. Amounts have at most the places of their currency, so nothing is rounded here. */
function decimal(micros: bigint): string {
  const size = micros < 0n ? -micros : micros;
  const places = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{0,4}$/, '');
  return `${micros < 0n ? '-' : ''}${size / 1_000_000n}.${places}`;
}

/** Microsoft Dynamics 365 Business Central: general journal lines. */
export const businessCentral: BookLayout = {
  kind: 'books',
  system: 'business-central',
  title: 'Business Central',
  mostLines: 100_000,
  journal: (documents, codes) => [fileOf(documents, codes)],
};

export const connectors = [businessCentral];
