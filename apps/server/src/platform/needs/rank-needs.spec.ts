import { describe, expect, it } from '@jest/globals';
import { rankNeeds, type Need } from './rank-needs.js';

const need = (need_id: string, rest: Partial<Need>): Need => ({
  need_id,
  kind: 'approve',
  loses: false,
  object: { kind: 'campaign', id: need_id, name: need_id },
  title: need_id,
  reason: '',
  act: 'review',
  ...rest,
});

const rateOf = (currency: string): string | undefined => ({ USD: '1', EUR: '1.1', JPY: '0.0065' })[currency];

describe('what needs a person', () => {
  it('has first what loses money now, most first, then what waits, by amount and then by day', () => {
    const ranked = rankNeeds(
      [
        need('waits for 15,000', { amount: '15000', currency: 'EUR' }),
        need('key ends later', { due_on: '2026-12-09' }),
        need('silent', { loses: true, amount: '3500', currency: 'EUR' }),
        need('runs to nowhere', { loses: true, amount: '3900', currency: 'USD' }),
        need('overspend', { loses: true, amount: '6900', currency: 'USD' }),
        need('key ends soon', { due_on: '2026-12-02' }),
        need('credit', { amount: '-65.40', currency: 'USD' }),
      ],
      rateOf,
    );
    expect(ranked.map(({ need_id: id }) => id)).toEqual([
      'overspend',
      'runs to nowhere',
      'silent',
      'waits for 15,000',
      'credit',
      'key ends soon',
      'key ends later',
    ]);
  });

  it('compares amounts of several currencies by their rate, and shows each in its own', () => {
    const [first, second, third] = rankNeeds(
      [
        need('yen', { amount: '100000', currency: 'JPY' }),
        need('dollars', { amount: '1000', currency: 'USD' }),
        need('no rate', { amount: '700', currency: 'SEK' }),
      ],
      rateOf,
    );
    expect(first).toMatchObject({ need_id: 'dollars', amount: '1000', ranked_amount: '1000' });
    expect(second).toMatchObject({ need_id: 'no rate' });
    expect(second).not.toHaveProperty('ranked_amount');
    expect(third).toMatchObject({ need_id: 'yen', amount: '100000', ranked_amount: '650' });
  });
});
