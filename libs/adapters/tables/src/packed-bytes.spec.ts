import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PackedBytes, PackedRows, packRows, rowsInBlock } from './packed-bytes.js';

describe('packed bytes', () => {
  // A part that packs well, one that does not, and an end within a block.
  const whole = Buffer.concat([Buffer.from('INV-1,2026-11-20,12.50\n'.repeat(30_000)), randomBytes(600_000)]);
  const packed = new PackedBytes();
  for (let at = 0; at < whole.length; at += 77_777) packed.add(whole.subarray(at, at + 77_777));

  it('are the bytes that were added, at every place and over the ends of blocks', () => {
    expect(packed.length).toBe(whole.length);
    for (const [from, to] of [
      [0, 10],
      [262_140, 262_150],
      [262_144, 524_288],
      [100, 1_000_000],
      [whole.length - 5, whole.length],
      [5, 5],
    ])
      expect(packed.subarray(from, to).equals(whole.subarray(from, to))).toBe(true);
    expect(packed.subarray().equals(whole)).toBe(true);
  });

  it('of a part that was given stay as they are while others are asked for', () => {
    const first = packed.subarray(0, 50);
    for (let at = 0; at < whole.length; at += 262_144) packed.subarray(at, at + 9);
    expect(first.equals(whole.subarray(0, 50))).toBe(true);
  });
});

it('packed rows are found by their number over the ends of blocks, and can be changed', () => {
  const rows = Array.from({ length: rowsInBlock + 3 }, (_, at) => `row ${at}`);
  const packed = new PackedRows();
  for (let at = 0; at < rows.length; at += rowsInBlock) {
    const block = rows.slice(at, at + rowsInBlock);
    packed.add(packRows(block), block.length);
  }
  packed.set(1, 'other');
  expect([0, 1, rowsInBlock, rowsInBlock + 2, rowsInBlock + 3].map((at) => packed.at(at))).toEqual([
    'row 0',
    'other',
    `row ${rowsInBlock}`,
    `row ${rowsInBlock + 2}`,
    '',
  ]);
});
