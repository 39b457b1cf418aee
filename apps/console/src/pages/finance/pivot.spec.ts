import { describe, expect, it } from '@jest/globals';
import { csvText } from '../../parts/save-file.js';
import { pivot, totalsOf } from './pivot.js';

const rows = [
  { client_id: 'c1', client: 'Acme', month: '2026-10', currency: 'USD', spend: '0.1' },
  { client_id: 'c1', client: 'Acme', month: '2026-11', currency: 'USD', spend: '0.2' },
  { client_id: 'c1', client: 'Acme', month: '2026-11', currency: 'EUR', spend: '5' },
  { client_id: null, client: null, month: '2026-11', currency: 'USD', spend: '9007199254740993.000001' },
];

describe('a pivot of spend', () => {
  it('never adds two currencies, and keeps every digit', () => {
    const made = pivot(rows, 'client', 'month');
    expect(made.columns).toEqual(['2026-10', '2026-11']);
    expect(made.rows.map(({ name, currency, total }) => [name, currency, total])).toEqual([
      ['No client', 'USD', 9007199254740993000001n],
      ['Acme', 'EUR', 5_000_000n],
      ['Acme', 'USD', 300_000n],
    ]);
    expect(totalsOf(made.rows, 'USD').of('2026-11')).toBe(9007199254740993200001n);
  });

  it('is exported so that a spreadsheet runs no name as a formula, and keeps amounts', () => {
    expect(csvText([['=HYPERLINK("x")', '-5.25', 'a,b', '@sum']])).toBe(
      `"'=HYPERLINK(""x"")",-5.25,"a,b",'@sum\r\n`,
    );
  });
});
