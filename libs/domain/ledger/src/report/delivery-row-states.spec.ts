import { describe, expect, it } from '@jest/globals';
import { isRowMove, rowState, reportedRow, type DeliveryRowState } from './delivery-row-states.js';

const states: readonly DeliveryRowState[] = ['none', 'reported', 'confirmed', 'final'];
/** A row is the stored state, a column the reported one. */
const table: Readonly<Record<DeliveryRowState, string>> = {
  none: '-xxx',
  reported: '-xxx',
  confirmed: '-xxx',
  final: '---x',
};

describe('the states of a delivery row', () => {
  const cells = states.flatMap((from) => states.map((to, place) => [from, to, table[from][place]] as const));
  it.each(cells)('R44: %s to %s: %s', (from, to, cell) => {
    expect(isRowMove(from, to)).toBe(cell === 'x');
  });

  it.each([
    [true, 'webhook', 'final'],
    [true, 'pull', 'final'],
    [false, 'webhook', 'reported'],
    [false, 'pull', 'confirmed'],
    [null, 'webhook', 'reported'],
    [null, 'pull', 'confirmed'],
  ] as const)('for an observation with final %s, from %s: %s', (isFinal, source, expected) => {
    for (const from of ['none', 'reported', 'confirmed'] as const)
      expect(reportedRow(from, { isFinal, source })).toBe(expected);
    // A report without finality changes nothing; an explicit false is refused.
    expect(reportedRow('final', { isFinal, source })).toBe(isFinal === null ? 'final' : expected);
  });

  it('never change after final', () => {
    const closed = [{ isFinal: true, source: 'webhook' }] as const;
    for (const isFinal of [true, false, null])
      for (const source of ['webhook', 'pull'] as const)
        expect(rowState([...closed, { isFinal, source }])).toBe('final');
  });
});
