import { describe, expect, it } from '@jest/globals';
import { readCase, readText, shownReading } from './testkit/read-case.js';
import { ReadingFault } from './split-rows.js';

const one = (net: string, lines: readonly string[], more: object = {}) => ({
  documents: [{ kind: 'invoice', net, gross: net, tax: '0', lines, ...more }],
  faults: [],
});

/** Each file, and what it must be read as. Questions are the whole list. */
const cases: readonly (readonly [file: string, what: string, read: object])[] = [
  [
    '01-credit-line.csv',
    'a signed line',
    { ...one('1942.75', ['open 1200', 'open 800', 'credit -57.25']), questions: [] },
  ],
  [
    '02-credit-note.csv',
    'a credit note',
    {
      documents: [{ kind: 'credit_note', number: 'CN-88', net: '-310', lines: ['open -310'] }],
      questions: [],
    },
  ],
  [
    '03-parentheses.csv',
    'a negative amount in parentheses',
    { ...one('1142.75', ['open 1200', 'credit -57.25']), questions: [] },
  ],
  ['04-us-thousands.csv', 'groups by comma', { ...one('1234.5', ['open 1234.5']), questions: [] }],
  [
    '05-decimal-comma.csv',
    'a decimal comma',
    { ...one('1234.5', ['open 1234.5'], { issued: '2026-11-20', currency: 'EUR' }), questions: [] },
  ],
  ['05b-decimal-comma-plain.csv', 'a decimal comma', { ...one('1234.5', ['open 1234.5']), questions: [] }],
  ['06-sep-line.csv', 'a line that names the separator', { ...one('12.5', ['open 12.5']), questions: [] }],
  ['07-utf16-tab.txt', 'UTF-16', { ...one('12.5', ['open 12.5']), questions: [] }],
  ['08-windows-1252.csv', 'windows-1252', { ...one('12.5', ['open 12.5']), questions: [] }],
  [
    '09-preamble-and-total.csv',
    'a table in a page',
    {
      ...one('150', ['open 100', 'open 50'], { days: '2026-11-01..2026-11-20' }),
      checks: ['total ok'],
      questions: [],
    },
  ],
  [
    '09b-total-only.csv',
    'a total',
    { ...one('150', ['open 100', 'open 50']), checks: ['total ok'], questions: [] },
  ],
  [
    '09c-total-same-header.csv',
    'a total',
    { ...one('150', ['open 100', 'open 50']), checks: ['total ok'], questions: [] },
  ],
  [
    '10-nine-decimals.csv',
    'rounded cells',
    { ...one('100.123457', ['open 100.123457']), checks: ['rounded ok'], questions: [] },
  ],
  [
    '11-two-columns-one-name.csv',
    'a doubled column that is not read',
    { ...one('12.5', ['open 12.5']), questions: [] },
  ],
  ['12-us-date.csv', 'a day', { ...one('12.5', ['open 12.5'], { issued: '2026-11-20' }), questions: [] }],
  [
    '12b-compact-date.csv',
    'a day',
    { ...one('12.5', ['open 12.5'], { issued: '2026-11-20' }), questions: [] },
  ],
  ['12c-slash-iso.csv', 'a day', { ...one('12.5', ['open 12.5'], { issued: '2026-11-20' }), questions: [] }],
  ['12d-timestamp.csv', 'a day', { ...one('12.5', ['open 12.5'], { issued: '2026-11-20' }), questions: [] }],
  [
    '12e-excel-serial.csv',
    'a day',
    { ...one('12.5', ['open 12.5'], { issued: '2026-11-20' }), questions: [] },
  ],
  [
    '13-two-invoices.csv',
    'two documents',
    {
      documents: [
        { number: 'VX-1011', net: '12.5' },
        { number: 'VX-1012', net: '13.5' },
      ],
      questions: [],
    },
  ],
  [
    '14-vat-line.csv',
    'net, tax and gross',
    { documents: [{ net: '100', tax: '19', gross: '119', lines: ['open 100', 'tax 19'] }], questions: [] },
  ],
  ['15-cr-only.csv', 'rows that end with CR', { ...one('12.5', ['open 12.5']), questions: [] }],
  ['16-json-bom.json', 'JSON with a byte order mark', { ...one('12.5', ['open 12.5']), questions: [] }],
  ['16b-json-numbers.json', 'numbers of JSON', { ...one('12.5', ['open 12.5']), questions: [] }],
  ['17-inch-mark.csv', 'a quotation mark inside of a cell', { ...one('12.5', ['open 12.5']), questions: [] }],
  ['18-trailing-commas.csv', 'empty columns', { ...one('12.5', ['open 12.5']), questions: [] }],
  [
    '18b-short-row.csv',
    'a short row',
    { ...one('12.5', ['open 12.5']), checks: ['short_rows ok'], questions: [] },
  ],
  [
    '19-trailing-minus.csv',
    'a minus behind',
    { ...one('42.75', ['open 100', 'open -57.25']), questions: [] },
  ],
  ['20-nbsp.csv', 'groups by no-break space', { ...one('1234.5', ['open 1234.5']), questions: [] }],
  ['20b-header-nbsp.csv', 'a header with a no-break space', { ...one('12.5', ['open 12.5']), questions: [] }],
  [
    '21-jpy.csv',
    'decimals that a currency does not have',
    { ...one('1234.56', ['open 1234.56']), questions: ['decimals'] },
  ],
  ['22-pipe.csv', 'another separator', { ...one('12.5', ['open 12.5']), questions: [] }],
  [
    '25-lines-by-po-right.csv',
    'lines by PO',
    { ...one('7856.55', ['media 4555.7', 'media 3300.85']), questions: [] },
  ],
  ['26-our-buy-id.csv', 'our id', { ...one('3032.1', ['media 3032.1']), questions: [] }],
  [
    '29-whole-flight-over-two-months.csv',
    'service days over two months',
    one('11093.99', ['media 11093.99'], { days: '2026-11-28..2026-12-05' }),
  ],
  [
    '40-gam-ui.csv',
    'Ad Manager',
    {
      ...one('123.45', ['media 123.45']),
      preset: 'google-ad-manager',
      questions: ['dates', 'number', 'issued', 'currency'],
    },
  ],
  [
    '42-dv360-offline.csv',
    'DV360',
    {
      ...one('123.456789', ['media 123.456789'], { days: '2026-11-01..2026-11-30' }),
      preset: 'dv360',
      checks: ['total ok'],
      questions: ['number', 'issued'],
    },
  ],
  [
    '43-cm360-report.csv',
    'CM360',
    {
      ...one('123.45', ['media 123.45'], { days: '2026-11-01..2026-11-30' }),
      preset: 'cm360',
      checks: ['total ok'],
      questions: ['number', 'issued', 'currency'],
    },
  ],
  [
    '44-ttd-decimal-comma.tsv',
    'The Trade Desk',
    {
      ...one('123.456789', ['media 123.456789'], { days: '2026-11-01..2026-11-01' }),
      preset: 'the-trade-desk',
      checks: ['rounded ok'],
      questions: ['number', 'issued'],
    },
  ],
  [
    '45-amazon-dsp.csv',
    'Amazon DSP',
    {
      ...one('123.456789', ['media 123.456789'], { days: '2026-11-01..2026-11-01' }),
      preset: 'amazon-dsp',
      questions: ['number', 'issued'],
    },
  ],
  [
    '46-basis-vendor-billing.csv',
    'Basis',
    {
      documents: [
        { number: 'HM-901', issued: '2026-11-30', net: '100', lines: ['media 60', 'media 40'] },
        { number: 'HM-902', issued: '2026-11-30', net: '80', lines: ['media 80'] },
      ],
      checks: Array.from({ length: 4 }, () => 'document_total ok'),
      preset: 'basis-vendor-billing',
      questions: ['currency'],
    },
  ],
  [
    '47-prisma-buy-export.csv',
    'Prisma',
    {
      ...one('981.12', ['media 981.12'], { days: '2026-11-01..2026-11-30' }),
      preset: 'prisma-buy-export',
      questions: ['number', 'issued', 'currency'],
    },
  ],
  ['61-amount-in-micros.csv', 'amounts that may be millionths', { questions: ['factor'] }],
  ['62-year-2062.csv', 'a day of issue in 2062', { questions: ['issued'] }],
];

describe('a file of a seller', () => {
  it.each(cases)('%s is read as %s', (file, _, expected) => {
    expect(shownReading(readCase(file))).toMatchObject(expected);
  });

  it('in windows-1252 shows its cells without a replacement character', () => {
    const { recognised } = readCase('08-windows-1252.csv');
    expect(recognised.encoding).toEqual({
      name: 'windows-1252',
      by: 'rule',
      cells: ['Café Münster – Frühstück'],
    });
  });

  it('that has a mapped column twice is refused', () => {
    expect(() => readText('Invoice,Issued,Currency,Amount,Amount\nA,2026-11-20,EUR,1,2\n')).toThrow(
      ReadingFault,
    );
  });

  it('takes the answers to its questions', () => {
    const micros = readCase('61-amount-in-micros.csv', { answers: new Map([['factor', 'micros']]) });
    expect(shownReading(micros)).toMatchObject({ documents: [{ net: '1251.01' }], questions: [] });
    const issued = readCase('62-year-2062.csv', { answers: new Map([['issued', '2026-11-28']]) });
    expect(shownReading(issued)).toMatchObject({ documents: [{ issued: '2026-11-28' }], questions: [] });
  });

  it('asks about numbers and dates that fit two notations, and about nothing else', () => {
    const text = 'Invoice;Issued;Currency;Amount\nA;03/04/2026;EUR;2.750\n';
    const asked = readText(text);
    expect(asked.questions.map(({ id, options }) => [id, options.map(({ example }) => example)])).toEqual([
      ['numbers', ['2.750 is 2.75', '2.750 is 2750']],
      ['dates', ['03/04/2026 is 2026-04-03', '03/04/2026 is 2026-03-04']],
    ]);
    const answers = new Map([
      ['numbers', 'comma'],
      ['dates', 'month_first'],
    ]);
    expect(shownReading(readText(text, { answers }))).toMatchObject({
      documents: [{ net: '2750', issued: '2026-03-04' }],
      questions: [],
    });
  });

  it('is held against the total that a person gives, and against its own', () => {
    const controlTotal = 151_000_000n;
    expect(readCase('09b-total-only.csv', { controlTotal }).faults).toHaveLength(1);
    expect(readCase('09b-total-only.csv', { controlTotal: 150_000_000n }).faults).toEqual([]);
    const wrong = 'Invoice,Issued,Currency,Amount\nA,2026-11-20,EUR,1\nA,2026-11-20,EUR,2\nTotal,,,4\n';
    expect(shownReading(readText(wrong))).toMatchObject({ questions: ['total'], checks: ['total differs'] });
  });

  it('that is cut off or empty names the row and gives no document to book', () => {
    const cut = readText('Invoice,Issued,Currency,Amount\nA,2026-11-20,EUR,1\nA,2026-11-20,EUR,"2');
    expect(cut.faults).toEqual([{ row: 2, reason: expect.stringMatching(/cut off/) }]);
    expect(() => readText('just a text')).toThrow(ReadingFault);
    expect(readText('Invoice,Issued,Currency,Amount\n').faults).toEqual([
      { row: 0, reason: 'The file has no rows.' },
    ]);
  });
});
