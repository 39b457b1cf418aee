import { describe, expect, it } from '@jest/globals';
import { needOfPace } from './buy-needs.js';
import { overdueNeeds } from './money-needs.js';

const pace = {
  campaign_id: 'c1',
  campaign: 'Nova autumn launch',
  currency: 'USD',
  ends_on: '2026-11-30',
  planned: '60000',
  committed: '58000',
  delivered: '52140',
  forecast: '66900',
  planned_through: '55000',
  delivered_through: '52140',
};
const alerts = (...codes: readonly string[]) => codes.map((code) => ({ code, message: `${code}.` }));

describe('what a campaign needs', () => {
  it('is of several alerts the one that costs most, with its money, and the others as reasons', () => {
    expect(needOfPace({ ...pace, alerts: alerts('behind', 'will_overspend') })).toMatchObject({
      kind: 'overspend',
      loses: true,
      amount: '6900',
      amount_is: 'over budget',
      reason: 'will_overspend. behind.',
      act: 'lower_budgets',
    });
    expect(
      needOfPace({ ...pace, delivered: '61000', forecast: '61000', alerts: alerts('over_budget') }),
    ).toMatchObject({ title: 'Nova autumn launch is over its budget', amount: '1000' });
  });

  it('is no overspend any more once its budgets are lowered, although the higher ones count until they are reported', () => {
    const over = { ...pace, committed: '66900', forecast: '60000', alerts: alerts('over_budget') };
    expect(needOfPace({ ...over, ordered: '66900' })).toMatchObject({ kind: 'overspend', amount: '6900' });
    expect(needOfPace({ ...over, ordered: '60000' })).toBeUndefined();
  });

  it('is what is booked and unseen where no figures come, whatever the plan says', () => {
    expect(needOfPace({ ...pace, alerts: alerts('behind', 'no_report_for_days') })).toMatchObject({
      kind: 'silent',
      loses: true,
      amount: '5860',
    });
  });

  it('waits, and loses nothing now, where it is behind; and nothing is said where nothing is wrong', () => {
    expect(needOfPace({ ...pace, alerts: alerts('behind') })).toMatchObject({ loses: false, amount: '2860' });
    expect(needOfPace({ ...pace, alerts: [] })).toBeUndefined();
  });
});

describe('overdue invoices', () => {
  const row = (seller: string, total: string, current = '0', currency = 'USD') => ({
    seller,
    currency,
    current,
    total,
    invoices: 1,
  });
  const nameOf = (slug: string): string => slug.toUpperCase();

  it('name the two sellers with most, and put all others of a currency in one line', () => {
    const rows = [row('a', '10'), row('b', '50', '20'), row('c', '40'), row('d', '5'), row('e', '7', '7')];
    expect(overdueNeeds(rows, nameOf).map(({ title, amount }) => [title, amount])).toEqual([
      ['C: invoices are overdue', '40'],
      ['B: invoices are overdue', '30'],
      ['2 other sellers: invoices are overdue', '15'],
    ]);
  });

  it('never stand together with those of another currency, nor alone in a line for others', () => {
    const rows = [row('a', '1'), row('b', '2'), row('c', '3'), row('a', '9', '0', 'EUR')];
    expect(overdueNeeds(rows, nameOf).map(({ need_id: id }) => id)).toEqual([
      'overdue a EUR',
      'overdue c USD',
      'overdue b USD',
      'overdue a USD',
    ]);
  });
});
