import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  campaignStandings,
  withCampaign,
  type CampaignAsked,
  type CampaignUse,
} from './campaign-standing.js';
import { flightDays } from './flight-days.js';
import { overLimitError, spendFindings } from './limit-errors.js';
import { breachForBuyer, breachText, rateIn, standingsOf, verdictOn } from '../model/limit.js';

const unit = 1_000_000n;
const at = Date.UTC(2026, 10, 20, 12);

const campaign: CampaignUse = {
  ...{ id: '7a9b1e2c-0000-4000-8000-000000000003', name: 'Spring', currency: 'EUR', budget: 1_000n * unit },
  ...{ startsOn: '2026-11-01', endsOn: '2026-11-30', timeZone: 'Europe/Madrid' },
  rules: { aboveBudget: 'ask', outsideFlight: 'ask' },
  sums: [{ currency: 'EUR', pending: 100n * unit, committed: 600n * unit }],
};
const inside = { startTime: '2026-11-20T00:00:00Z', endTime: '2026-12-01T00:00:00Z' };
const parts = (amount: bigint, currency = 'EUR') => [{ legId: 'l', seller: 'acme', amount, currency }];

function judged(
  asked: Partial<CampaignAsked>,
  of: Partial<CampaignUse> = {},
  rates: Parameters<typeof rateIn>[0] = [],
) {
  const whole = { parts: parts(300n * unit), flight: inside, at, ...asked };
  const rateOf = rateIn(rates);
  const found = withCampaign(
    standingsOf(whole.parts, [], rateOf),
    campaignStandings({ ...campaign, ...of }, whole, rateOf),
  );
  const verdict = verdictOn(found);
  const breaches = verdict.kind === 'ask' || verdict.kind === 'refuse' ? verdict.breaches : [];
  return { kind: verdict.kind, breaches, text: breachText(breaches), findings: spendFindings(found) };
}

describe('a buy under a campaign', () => {
  it('may reach the budget to the micro, and passes it by one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2_000n * unit }), (amount) => {
        expect(judged({ parts: parts(amount) }).kind).toBe(amount <= 300n * unit ? 'within' : 'ask');
      }),
    );
  });

  it('above the budget is told, asked about or refused as the rule says, with every amount', () => {
    const over = { parts: parts(400n * unit) };
    expect(judged(over).text).toBe(
      'Over the budget of the campaign Spring, 1000 EUR: 600 EUR committed, 100 EUR pending, 300 EUR left, 400 EUR requested.',
    );
    const rules = { ...campaign.rules, aboveBudget: 'refuse' as const };
    expect(judged(over, { rules }).kind).toBe('refuse');
    expect(overLimitError(judged(over, { rules }).breaches)).toMatchObject({ code: 'BUDGET_EXCEEDED' });
    const warned = judged(over, { rules: { ...rules, aboveBudget: 'warn' } });
    expect(warned).toMatchObject({ kind: 'within', findings: [{ code: 'OVER_CAMPAIGN_BUDGET' }] });
  });

  it('shows its requester no amount that others have committed', () => {
    const { breaches } = judged({ parts: parts(400n * unit) });
    expect(breachForBuyer(breaches)).toContain('400 EUR');
    expect(breachForBuyer(breaches)).not.toMatch(/\b(1000|600|300|100) EUR/);
  });

  it('says by how much a budget is passed already', () => {
    const sums = [{ currency: 'EUR', pending: 0n, committed: 1_200n * unit }];
    expect(judged({ parts: parts(unit) }, { sums }).text).toContain('200 EUR above it already');
  });

  it('in another currency counts by the rate, and without a rate is not taken as free', () => {
    const rates = [{ from: 'USD', to: 'EUR', rate: '0.5' }];
    const within = judged({ parts: parts(600n * unit, 'USD') }, {}, rates);
    expect(within.kind).toBe('within');
    expect(within.findings).toEqual([
      { code: 'CAMPAIGN_CURRENCY', message: 'The campaign is in EUR: 600 USD count as 300 EUR.' },
    ]);
    expect(judged({ parts: parts(601n * unit, 'USD') }, {}, rates).kind).toBe('ask');
    const without = judged({ parts: parts(unit, 'USD') });
    expect(without.kind).toBe('ask');
    expect(without.text).toContain('no rate from USD was entered');
  });

  it('outside the flight or after the end of the campaign is asked about, with the days and the money', () => {
    const late = judged({ flight: { ...inside, endTime: '2026-12-11T00:00:00Z' } });
    expect(late.text).toBe(
      'The campaign Spring runs from 2026-11-01 to 2026-11-30: the buy runs from 2026-11-20 to 2026-12-10 for 300 EUR.',
    );
    const ended = judged({}, { startsOn: '2026-10-01', endsOn: '2026-10-31' });
    expect(ended.text).toContain('The campaign Spring ended on 2026-10-31');
    const refused = judged(
      {},
      { endsOn: '2026-11-19', rules: { aboveBudget: 'ask', outsideFlight: 'refuse' } },
    );
    expect(refused.kind).toBe('refuse');
    expect(overLimitError(refused.breaches)).toMatchObject({ code: 'POLICY_VIOLATION', field: 'end_time' });
  });

  it('is inside a flight in whatever zone its days were written', () => {
    for (const [startTime, endTime] of [
      ['2026-11-01T00:00:00Z', '2026-11-30T23:59:59Z'],
      ['2026-11-01T00:00:00+01:00', '2026-12-01T00:00:00+01:00'],
      ['2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z'],
      ['2026-11-01T00:00:00-05:00', '2026-12-01T00:00:00-05:00'],
    ] as const)
      expect(judged({ flight: { startTime, endTime } }).kind).toBe('within');
    expect(flightDays({ startTime: 'asap', endTime: inside.endTime }, at, 'UTC')).toEqual({
      first: '2026-11-20',
      last: '2026-11-30',
    });
  });

  it('is judged again by a change that adds money or days, and not by one that takes some away', () => {
    const before = { ...inside, endTime: '2026-12-11T00:00:00Z' };
    const change = (endTime: string, amount = 0n) =>
      judged({
        parts: amount === 0n ? [] : parts(amount),
        before,
        flight: { ...before, endTime },
      }).kind;
    expect(change('2026-12-12T00:00:00Z')).toBe('ask');
    expect(change('2026-12-05T00:00:00Z')).toBe('within');
    expect(change(before.endTime, unit)).toBe('ask');
    expect(change(before.endTime)).toBe('within');
  });
});
