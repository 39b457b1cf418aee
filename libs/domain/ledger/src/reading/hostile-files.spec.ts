import { describe, expect, it } from '@jest/globals';
import { atOnce } from '@switchyard/values';
import { jsonGrid } from './json-grid.js';
import { readDocuments } from './read-file.js';
import { splitText, usualGridLimits } from './split-rows.js';
import { usualOptions } from './testkit/read-case.js';

const grid = (value: unknown) => atOnce(jsonGrid(JSON.stringify(value), usualGridLimits));
const members = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${String(at)}`, at]));
const lines = (count: number): object[] => Array.from({ length: count }, () => ({}));

describe('a JSON file', () => {
  it('has a row for each line of a document, with the cells of the document that the line has not', () => {
    const { rows, cells } = grid([
      { number: 'I-1', currency: 'EUR', lines: [{ amount: 1, currency: 'USD' }, { constructor: 'x' }] },
    ]);
    const names = cells(0);
    expect(names.toSorted()).toEqual(['amount', 'constructor', 'currency', 'invoice number', 'number']);
    const at = (row: number, name: string) => cells(row)[names.indexOf(name)];
    expect(rows).toBe(3);
    expect([at(1, 'currency'), at(1, 'number'), at(1, 'constructor')]).toEqual(['USD', 'I-1', '']);
    expect([at(2, 'currency'), at(2, 'amount'), at(2, 'constructor')]).toEqual(['EUR', '', 'x']);
  });

  it.each([
    ['members', [members(501)], /500 columns/],
    ['members and lines', [{ ...members(5_000), lines: lines(50_000) }], /500 columns/],
    ['members of an object in it', [{ a: members(5_000) }], /500 columns/],
    ['cells', [{ ...members(400), lines: lines(100_000) }], /2000000 cells/],
    ['members of one object', [members(20_000)], /too many members/],
    ['levels', JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`) as unknown, /too deep/],
  ])('with too many %s is refused before they are multiplied', (_what, value, words) => {
    expect(() => grid(value)).toThrow(words);
  });

  it('is read in steps, and its document is kept once for all its lines', () => {
    const reading = jsonGrid(JSON.stringify([{ ...members(400), lines: lines(4_000) }]), usualGridLimits);
    let steps = 0;
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) steps += 1;
    expect(steps).toBeGreaterThan(0);
    expect([step.value.rows, step.value.cells(4_000)]).toEqual([4_001, step.value.cells(1)]);
  });

  it('with an object on each line ends at the first line that is none', () => {
    const text = `{"a":1}\n${'{"a":x}\n'.repeat(100_000)}`;
    expect(() => atOnce(jsonGrid(text, usualGridLimits))).toThrow(/not valid JSON/);
  });
});

describe('a table of hundreds of columns', () => {
  it('is read in steps of some rows each', () => {
    const row = (of: (at: number) => string): string =>
      Array.from({ length: 400 }, (_, at) => of(at)).join(',');
    const bytes = Buffer.from(`${row((at) => `h${String(at)}`)}\n${`${row(String)}\n`.repeat(1_000)}`);
    const reading = readDocuments({ kind: 'text', bytes }, usualOptions);
    let steps = 0;
    while (reading.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThan(100);
  });
});

describe('a table with a row that is far too long', () => {
  it.each(['"', 'a', '\0'])('is cut there, and its end is not searched: %j', (letter) => {
    const head = Buffer.from('Invoice number,Amount\nI-1,5\nI-2,');
    let looked = 0;
    const bytes = Buffer.concat([head, Buffer.alloc(3_000_000, letter)]);
    const counted = {
      length: bytes.length,
      subarray: (from = 0, to = bytes.length) => {
        looked = Math.max(looked, to);
        return bytes.subarray(from, to);
      },
    };
    const { grid } = atOnce(splitText({ bytes: counted, charset: 'utf-8' }, usualGridLimits));
    expect(grid.cut).toMatchObject({ row: 2 });
    expect(looked).toBeLessThan(1_000_000);
  });
});
