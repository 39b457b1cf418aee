import { describe, expect, it } from '@jest/globals';
import { windowBytes, type FileBytes, type GrowingBytes } from './file-bytes.js';
import { RowList } from './row-list.js';
import { read, shownReading } from './testkit/read-case.js';

/** A file that gives its parts anew each time, as a packed one does. */
class Parts implements GrowingBytes {
  private all = Buffer.alloc(0);
  another = (): GrowingBytes => new Parts();

  add(part: Buffer): void {
    this.all = Buffer.concat([this.all, part]);
  }

  get length(): number {
    return this.all.length;
  }

  subarray(from?: number, to?: number): Buffer {
    return Buffer.from(this.all.subarray(from, to));
  }
}

const inParts = (bytes: Buffer): FileBytes => {
  const parts = new Parts();
  parts.add(bytes);
  return parts;
};

const head = 'Invoice;Issued;Currency;Description;Amount\r\n';
const row = 'A;2026-11-20;EUR;"Größe ""XL""; Düsseldorf\r\nzwei";1,50\r\n';

describe('a file in parts', () => {
  const rows = Math.ceil((windowBytes * 2.2) / row.length);
  const text = head + row.repeat(rows);
  it.each([
    ['UTF-8', Buffer.from(text, 'utf8')],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`, 'utf8')],
    ['UTF-16', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['windows-1252', Buffer.from(text, 'latin1')],
    ['behind a line that says its separator', Buffer.from(`sep=;\r\n${text}`, 'utf8')],
  ])('is read over the ends of its parts as one in memory: %s', (_what, bytes) => {
    const shown = shownReading(read({ kind: 'text', bytes: inParts(bytes) }));
    expect(shown).toEqual(shownReading(read({ kind: 'text', bytes })));
    expect(shown.documents).toMatchObject([{ net: String(rows * 1.5) }]);
  });
});

it('a list of rows keeps its order, its length and what is in it', () => {
  const list = new RowList();
  for (const at of [3, 4, 5, 9, 10, 20]) list.add(at);
  list.dropLast();
  list.dropLast();
  expect([[...list], list.length, [...list.first(2)]]).toEqual([[3, 4, 5, 9], 4, [3, 4]]);
  expect([2, 3, 5, 6, 9, 10].map((at) => list.has(at))).toEqual([false, true, true, false, true, false]);
});
