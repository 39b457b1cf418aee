import { describe, expect, it } from '@jest/globals';
import type { DeliveryReport } from '@switchyard/protocol';
import type { Observation } from './report/observation.js';
import {
  days,
  dayStart,
  delivery,
  ledgerAfter,
  pulled,
  pushed,
  report,
  row,
} from './testkit/report-maker.js';

const p1 = (spend: string, more: Partial<DeliveryReport> = {}, extra = {}) =>
  report([delivery([row('p1', spend, extra)])], more);
const at = dayStart + 41 * 86_400_000;

const findingsOf = (observations: readonly Observation[], contents = {}): readonly string[] => {
  const outcome = ledgerAfter(observations, contents).decisions.at(-1)?.outcome;
  return outcome?.kind === 'applied' ? outcome.findings.map(({ code }) => code) : [outcome?.kind ?? 'none'];
};

describe('figures that are billed', () => {
  it('R13: a final notification ends its stream and makes no figure final', () => {
    const last = pushed(p1('10', { notificationType: 'final', sequenceNumber: 3 }));
    const ledger = ledgerAfter([last, pulled(p1('12'), at)]);
    expect(ledger.decisions[0]?.versions).toMatchObject([{ isFinal: null, notificationType: 'final' }]);
    expect(ledger.decisions[0]?.ended).toHaveLength(1);
    expect(ledger.counting).toEqual(['p1 0-1 12000000']);
  });

  it.each([
    [[], '100', '100.99', 1_000, 1_019],
    [['FIGURES_DIFFER'], '100', '101.02', 1_000, 1_000],
    [['FIGURES_DIFFER'], '100', '100', 1_000, 1_021],
    [['FIGURES_DIFFER_WIDELY'], '100', '105.3', 1_000, 1_000],
    [['FIGURES_DIFFER_WIDELY'], '100', '100', 1_000, 1_112],
    [[], '0', '0', 0, 0],
    [['FIGURES_DIFFER_WIDELY'], '0', '0.01', 0, 0],
  ])(
    'R22: a pull that differs from pushed figures is reported as %j: spend %s and %s, impressions %i and %i',
    (found, pushedSpend, pulledSpend, pushedUnits, pulledUnits) => {
      const push = pushed(p1(pushedSpend, {}, { impressions: pushedUnits }));
      expect(findingsOf([push, pulled(p1(pulledSpend, {}, { impressions: pulledUnits }), at)])).toEqual(
        found,
      );
      // Whichever comes first.
      expect(findingsOf([pulled(p1(pulledSpend, {}, { impressions: pulledUnits }), at), push])).toEqual([
        ...found,
        'DOES_NOT_COUNT',
      ]);
    },
  );

  it('R14: a pull that finds its earlier figure again settles an adjustment that was pushed in between', () => {
    const adjusted = pushed(p1('10', { notificationType: 'adjusted' }), { reportedAt: at + 5 });
    const ledger = ledgerAfter([
      pulled(p1('8'), at),
      adjusted,
      pulled(p1('8'), at + 9),
      pulled(p1('8'), at + 10),
    ]);
    expect(ledger.counting).toEqual(['p1 0-1 8000000']);
    expect(ledger.decisions.map(({ outcome }) => outcome.kind)).toEqual([
      'applied',
      'applied',
      'applied',
      'duplicate',
    ]);
  });

  it('R14: a later pull overrides an earlier one whose figure was marked adjusted', () => {
    const adjusted = report([delivery([row('p1', '8')], undefined, { isAdjusted: true })]);
    expect(ledgerAfter([pulled(adjusted, at), pulled(p1('9'), at + 5)]).counting).toEqual(['p1 0-1 9000000']);
  });

  it('R23: a difference too small for its seller to push is posted by the pull, to the micro', () => {
    const ledger = ledgerAfter([pushed(p1('100')), pulled(p1('100.000001'), at)]);
    expect(ledger.decisions[1]?.entries[0]).toMatchObject({
      kind: 'restatement',
      postings: [{ amountMicros: 1n }, { amountMicros: -1n }],
    });
  });

  it('R29: a negative spend is refused, because credits and fees are no delivery', () => {
    const ledger = ledgerAfter([pushed(p1('100')), pushed(p1('-1', { sequenceNumber: 2 }))]);
    expect(ledger.decisions[1]?.outcome).toMatchObject({
      kind: 'quarantined',
      reasons: [{ code: 'negative_amount' }],
    });
    expect(ledger.posted).toBe(100_000_000n);
  });

  it('R45: a figure without finality is posted, and a late one after the close goes to the open period', () => {
    const ledger = ledgerAfter([pushed(p1('10', { sequenceNumber: 1 }))], { openFrom: '2026-12-01' });
    expect(ledger.decisions[0]?.versions).toMatchObject([{ isFinal: null }]);
    expect(ledger.decisions[0]?.entries[0]).toMatchObject({
      postings: [{ day: '2026-12-01' }, { day: '2026-12-01' }],
      facts: { closed_periods: ['2026-11'] },
    });
    const open = ledgerAfter([pushed(p1('10', { period: days(31) }))], { openFrom: '2026-12-01' });
    expect(open.decisions[0]?.entries[0]?.facts).not.toHaveProperty('closed_periods');
  });
});
