import { expect, it } from '@jest/globals';
import { checkLayout, layoutFiles, type BookLayout } from '@switchyard/ledger';
import { businessCentral } from './index.js';

const documents = [
  {
    number: 'SW00001-00001',
    day: '2026-10-31',
    kind: 'delivery',
    seller: 'harbor',
    currency: 'EUR',
    lines: [
      { account: 'media_spend', amountMicros: 12_345_600_000n },
      { account: 'seller_payable', amountMicros: -12_345_600_000n },
    ],
  },
];
const codes = new Map([
  ['media_spend', '6100'],
  ['seller_payable', '1600'],
  ['business-central/seller_payable', '2010'],
  ['vendor:harbor', 'V-77'],
]);

it('writes the lines of a general journal, each with the code of its system, and sums to zero', () => {
  const written = layoutFiles(businessCentral, documents, codes);
  if (!written.ok) throw new Error('not written');
  const [file] = written.value;
  const [head = [], ...rows] = file?.rows ?? [];
  const at = (row: readonly string[], column: string) => row[head.indexOf(column)];
  expect(file?.name).toBe('general-journal.csv');
  expect(rows.map((row) => [at(row, 'Line No.'), at(row, 'Account No.'), at(row, 'Amount')])).toEqual([
    ['10000', '6100', '12345.60'],
    ['20000', '2010', '-12345.60'],
  ]);
  expect(new Set(rows.map((row) => at(row, 'External Document No.')))).toEqual(new Set(['V-77']));
});

it('passes every rule of the kit, which finds a layout that breaks one', () => {
  const broken = (layout: BookLayout): readonly string[] =>
    checkLayout(layout).flatMap(({ rule, passed }) => (passed ? [] : [rule]));
  expect([broken(businessCentral), checkLayout(businessCentral).length]).toEqual([[], 6]);
  const changed = (change: (row: string[], at: number) => string[]): BookLayout => ({
    ...businessCentral,
    journal: (given, known) =>
      businessCentral.journal(given, known).map(({ name, rows }) => ({
        name,
        rows: rows.map((row, at) => change([...row], at)),
      })),
  });
  const rounded = changed((row) => row.map((cell) => cell.replace(/^(-?\d+)\.\d+$/, '$1')));
  expect(broken(rounded)).toEqual(['writes each amount to its last place']);
  let run = 0;
  expect(broken(changed((row) => [...row, String((run += 1))]))).toEqual([
    'writes the same files for the same batch',
  ]);
  const uncoded: BookLayout = {
    ...businessCentral,
    journal: (given) => businessCentral.journal(given, always),
  };
  expect(broken(uncoded)).toEqual(['reports every code that it lacks, and then writes nothing']);
  const writing: BookLayout = {
    ...businessCentral,
    journal: (given, known) => {
      (given as unknown[]).pop();
      return businessCentral.journal(given, known);
    },
  };
  expect(broken(writing)).toContain('writes a batch of several currencies, and changes nothing in it');
});

const always = { needed: () => 'x', maybe: () => 'x' };

it('names every code that is missing, and writes nothing', () => {
  expect(layoutFiles(businessCentral, documents, new Map())).toEqual({
    ok: false,
    error: { missing: ['media_spend', 'seller_payable', 'vendor:harbor'] },
  });
});

it('is refused where a layout writes rows of different widths, throws, or writes too many lines', () => {
  const judged = (journal: BookLayout['journal'], more: Partial<BookLayout> = {}) =>
    layoutFiles({ ...businessCentral, ...more, journal }, documents, codes);
  const refused = { ok: false, error: { missing: [], reason: expect.any(String) } };
  expect(judged(() => [{ name: 'a.csv', rows: [['a'], ['b', 'c']] }])).toMatchObject(refused);
  expect(judged(() => [{ name: '../a.csv', rows: [['a']] }])).toMatchObject(refused);
  expect(judged(() => [{ name: 'a.csv', rows: [['a'], ['b'], ['c']] }], { mostLines: 1 })).toMatchObject(
    refused,
  );
  expect(
    judged(() => {
      throw new Error('no');
    }),
  ).toMatchObject(refused);
});
