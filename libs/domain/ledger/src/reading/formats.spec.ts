import { describe, expect, it } from '@jest/globals';
import { microsToDecimal } from '@switchyard/money';
import { readText } from './testkit/read-case.js';

/** Columns of each kind: 20,000 with `READING_COLUMNS=20000`. */
const columns = Number(process.env['READING_COLUMNS'] ?? 800);

/** A generator of numbers with a fixed seed (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const grouped = (whole: string, mark: string): string => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, mark);

type Notation = (whole: string, part: string, isNegative: boolean) => string;
const signed = (isNegative: boolean, text: string): string => (isNegative ? `-${text}` : text);
const joined = (whole: string, mark: string, part: string): string =>
  part === '' ? whole : `${whole}${mark}${part}`;

/** Ten ways in which systems write one amount. */
const notations: readonly Notation[] = [
  (whole, part, minus) => signed(minus, joined(whole, '.', part)),
  (whole, part, minus) => signed(minus, joined(grouped(whole, ','), '.', part)),
  (whole, part, minus) => signed(minus, joined(grouped(whole, '.'), ',', part)),
  (whole, part, minus) => signed(minus, joined(whole, ',', part)),
  (whole, part, minus) => signed(minus, joined(grouped(whole, '\u00A0'), ',', part)),
  (whole, part, minus) => signed(minus, joined(grouped(whole, "'"), '.', part)),
  (whole, part, minus) =>
    minus ? `(${joined(grouped(whole, ','), '.', part)})` : joined(grouped(whole, ','), '.', part),
  (whole, part, minus) => `${joined(grouped(whole, '.'), ',', part)}${minus ? '-' : ''}`,
  (whole, part, minus) => `${minus ? '\u2212' : ''}$${joined(grouped(whole, ','), '.', part)}`,
  (whole, part, minus) => `${signed(minus, joined(grouped(whole, '\u202F'), ',', part))} €`,
];

describe('columns in any notation', () => {
  it('of numbers are read right or asked about, and never read wrong', () => {
    const random = seeded(37);
    let asked = 0;
    for (let at = 0; at < columns; at += 1) {
      const decimals = [0, 2, 2, 2, 3, 6][random(6)] ?? 2;
      const notation = notations[random(notations.length)] ?? notations[0];
      const values = Array.from({ length: 1 + random(8) }, () => {
        const whole = String(random([10, 1_000, 100_000, 10_000_000][random(4)] ?? 10));
        const part = decimals === 0 ? '' : String(random(10 ** decimals)).padStart(decimals, '0');
        const isNegative = random(8) === 0 && /[1-9]/.test(whole + part);
        return { whole, part, isNegative };
      });
      const rows = values.map(({ whole, part, isNegative }) => notation?.(whole, part, isNegative) ?? '');
      const currency = rows.some((cell) => cell.includes('$')) ? 'USD' : 'EUR';
      const text = `Invoice\tIssued\tCurrency\tAmount\n${rows.map((cell) => `A\t2026-11-20\t${currency}\t${cell}\n`).join('')}`;
      const { documents, questions, faults } = readText(text);
      const ids = questions.map(({ id }) => id);
      expect(faults).toEqual([]);
      if (ids.length > 0) {
        asked += 1;
        continue;
      }
      const expected = values.map(({ whole, part, isNegative }) =>
        microsToDecimal((isNegative ? -1n : 1n) * BigInt(`${whole}${part.padEnd(6, '0')}`)),
      );
      const read = documents[0]?.lines.map(({ amountMicros }) => microsToDecimal(amountMicros));
      expect({ rows, read }).toEqual({ rows, read: expected });
    }
    process.stdout.write(`${columns} columns of numbers: ${asked} asked, 0 wrong\n`);
    // A column that could not be asked about would prove nothing, and neither would one that is always asked about.
    expect(asked).toBeGreaterThan(0);
    expect(asked * 20).toBeLessThan(columns);
  });

  it('of days are read right or asked about, and never read wrong', () => {
    const random = seeded(73);
    const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    const ways: readonly ((year: string, month: string, day: string) => string)[] = [
      (year, month, day) => `${year}-${month}-${day}`,
      (year, month, day) => `${year}${month}${day}`,
      (year, month, day) => `${year}/${month}/${day}`,
      (year, month, day) => `${day}.${month}.${year}`,
      (year, month, day) => `${day}/${month}/${year}`,
      (year, month, day) => `${month}/${day}/${year}`,
      (year, month, day) => `${Number(day)} ${names[Number(month) - 1]} ${year}`,
    ];
    let asked = 0;
    for (let at = 0; at < columns; at += 1) {
      const way = ways[random(ways.length)];
      const days = Array.from({ length: 1 + random(8) }, () =>
        new Date(Date.UTC(2026, random(11), 1 + random(28))).toISOString().slice(0, 10),
      );
      const rows = days.map((day) => {
        const [year = '', month = '', date = ''] = day.split('-');
        return way?.(year, month, date) ?? '';
      });
      const text = `Invoice\tDay\tCurrency\tAmount\n${rows.map((cell) => `A\t${cell}\tEUR\t1.00\n`).join('')}`;
      const { documents, questions, faults } = readText(text, { said: { issued: '2026-11-20' } });
      expect(faults).toEqual([]);
      if (questions.length > 0) {
        asked += 1;
        continue;
      }
      const read = documents[0]?.lines.map(({ serviceFrom }) => serviceFrom);
      expect({ rows, read }).toEqual({ rows, read: days });
    }
    process.stdout.write(`${columns} columns of days: ${asked} asked, 0 wrong\n`);
    expect(asked).toBeGreaterThan(0);
    expect(asked * 10).toBeLessThan(columns);
  });
});
