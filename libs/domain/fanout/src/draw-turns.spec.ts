import { describe, expect, it } from '@jest/globals';
import { drawTurns } from './draw-turns.js';

const sellers = ['acme', 'beta', 'core', 'delta'].map((seller) => ({ seller }));
const turns = (question: string, of = sellers): readonly string[] =>
  drawTurns(of, question).map(({ seller }) => seller);

describe('turns', () => {
  it('are the same for the same question, whatever order the sellers come in', () => {
    expect(turns('sport fans', sellers.toReversed())).toEqual(turns('sport fans'));
    expect(turns('sport fans').toSorted()).toEqual(['acme', 'beta', 'core', 'delta']);
  });

  it('keep their order when a seller falls out', () => {
    const without = sellers.filter(({ seller }) => seller !== 'core');
    expect(turns('sport fans', without)).toEqual(turns('sport fans').filter((seller) => seller !== 'core'));
  });

  it('begin with every seller equally often over many questions', () => {
    const first = Array.from({ length: 2_000 }, (_, number) => turns(`question ${String(number)}`)[0] ?? '');
    for (const { seller } of sellers) {
      const share = first.filter((one) => one === seller).length / first.length;
      expect(Math.abs(share - 0.25)).toBeLessThan(0.05);
    }
  });
});
