import { describe, expect, it } from '@jest/globals';
import { paceState, worstFirst, type PaceRow } from './pace.js';

const today = '2026-11-26';
const row = (campaign: string, codes: readonly string[], rest: Partial<PaceRow> = {}): PaceRow => ({
  campaign_id: campaign,
  campaign,
  currency: 'USD',
  starts_on: '2026-08-01',
  ends_on: '2026-11-30',
  through: '2026-11-25',
  planned: '60000',
  committed: '60000',
  pending: '0',
  delivered: '50000',
  forecast: '60000',
  delivered_through: '50000',
  alerts: codes.map((code) => ({ code, message: code })),
  ...rest,
});

describe('the state of a campaign', () => {
  it('is in the list worst first: overspend by its amount, then silence, then the distance from the plan', () => {
    const rows = [
      row('on plan', []),
      row('behind 14', ['behind'], { difference_percent: '-14' }),
      row('silent', ['no_report_for_days', 'behind'], { through: '2026-11-05' }),
      row('over by 900', ['will_overspend'], { forecast: '60900' }),
      row('behind 30', ['behind'], { difference_percent: '-30.2' }),
      row('over by 6,900', ['over_budget', 'behind'], { forecast: '66900' }),
    ];
    expect(worstFirst(rows, today).map(({ campaign }) => campaign)).toEqual([
      'over by 6,900',
      'over by 900',
      'silent',
      'behind 30',
      'behind 14',
      'on plan',
    ]);
  });

  it('says of several alerts the one that costs most, with the money', () => {
    expect(paceState(row('', ['behind', 'will_overspend'], { forecast: '66900.4' }), today)).toEqual({
      words: 'Over by 6,900',
      tone: 'bad',
      code: 'will_overspend',
    });
    expect(paceState(row('', ['no_report_for_days'], { through: '2026-11-05' }), today).words).toBe(
      'No figures, 20 days',
    );
    expect(paceState(row('', ['behind'], { difference_percent: '-13.6' }), today).words).toBe(
      'Behind by 14%',
    );
    expect(paceState(row('', []), today).tone).toBe('good');
  });
});
