import { describe, expect, it } from '@jest/globals';
import { table } from './table.js';

const id = 'mb_OQX6egLTXloEiryXcTr_k3Uj';
const at = (columns?: number) => ({ color: false, layout: columns === undefined ? {} : { columns } });
const head = ['Media buy', 'Your reference', 'Status', 'Budget', 'At the sellers', 'Since'];
const row = [
  id,
  '',
  'completed',
  '29900.5 USD',
  'courier completed, human completed, prompt completed',
  '2020-01-01T00:00:00.000Z',
];

describe('a table for people', () => {
  it('fits the terminal: it wraps between words, shows relative times, and keeps ids in one piece', () => {
    const text = table(at(80), head, [row, row]);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toContain(id);
    expect(text).toMatch(/d ago/);
    for (const word of ['courier', 'completed,', '29900.5']) expect(text).toContain(word);
  });

  it('becomes a block of lines for each row if its words are too long for the terminal', () => {
    const text = table(at(40), head, [row]);
    expect(text.split('\n')[0]).toBe(`Media buy       ${id}`);
    expect(text).not.toContain('Your reference');
  });

  it('is as wide as its text, with exact times, if no width is given', () => {
    const text = table(at(), head, [row]);
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain('2020-01-01T00:00:00.000Z');
  });
});
