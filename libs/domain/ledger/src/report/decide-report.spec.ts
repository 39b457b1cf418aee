import { describe, expect, it } from '@jest/globals';
import {
  buy,
  days,
  dayStart,
  delivery,
  ledgerAfter,
  pulled,
  pushed,
  report,
  row,
} from '../testkit/report-maker.js';
import type { DeliveryReport } from '@switchyard/protocol';
import type { Observation, ReportOutcome } from './observation.js';

const scheduled = (day: number, p1: string, p2: string, sequenceNumber = day + 1): DeliveryReport =>
  report([delivery([row('p1', p1), row('p2', p2)])], { period: days(day), sequenceNumber });

const codes = (outcome: ReportOutcome | undefined): string => {
  if (outcome === undefined) return 'none';
  if (outcome.kind === 'quarantined') return outcome.reasons.map(({ code }) => code).join(' ');
  if (outcome.kind === 'deferred') return 'deferred';
  return [outcome.kind, ...outcome.findings.map(({ code }) => code)].join(' ');
};
const lastOf = (observations: readonly Observation[]) =>
  codes(ledgerAfter(observations).decisions.at(-1)?.outcome);

describe('what a report posts', () => {
  it('posts each day once and every package of it', () => {
    const ledger = ledgerAfter([pushed(scheduled(0, '10.5', '2')), pushed(scheduled(1, '7', '3.25'))]);
    expect(ledger.posted).toBe(22_750_000n);
    expect(ledger.decisions[1]?.entries[0]).toMatchObject({
      kind: 'delivery',
      postings: [
        { account: 'media_spend', day: '2026-11-02', currency: 'EUR', amountMicros: 10_250_000n },
        { account: 'seller_payable', day: '2026-11-02', currency: 'EUR', amountMicros: -10_250_000n },
      ],
    });
  });

  it('R9: posts only the difference when a figure is adjusted', () => {
    const adjusted = report([delivery([row('p1', '9')], undefined, { isAdjusted: true })], {
      notificationType: 'adjusted',
      sequenceNumber: 2,
    });
    const ledger = ledgerAfter([pushed(scheduled(0, '10', '2')), pushed(adjusted)]);
    expect(ledger.decisions[1]?.entries[0]).toMatchObject({
      kind: 'restatement',
      postings: [{ amountMicros: -1_000_000n }, { amountMicros: 1_000_000n }],
    });
    expect(ledger.posted).toBe(11_000_000n);
  });

  it('records a version that changes nothing, and posts nothing for it', () => {
    const ledger = ledgerAfter([pushed(scheduled(0, '10', '2', 1)), pushed(scheduled(0, '10', '2', 2))]);
    expect(ledger.decisions[1]).toMatchObject({
      outcome: { kind: 'applied', versions: 2 },
      entries: [{ kind: 'observation', postings: [] }],
      versions: [{ version: 2 }, { version: 2 }],
    });
    expect(ledger.posted).toBe(12_000_000n);
  });

  it('R43: recognizes a repeated report as a duplicate, and stores nothing', () => {
    const one = pushed(scheduled(0, '10', '2'));
    const ledger = ledgerAfter([one, { ...one, eventId: 'another', receivedAt: one.receivedAt + 9 }]);
    expect(ledger.decisions[1]).toMatchObject({ outcome: { kind: 'duplicate' }, versions: [], entries: [] });
  });

  it('R26: stores the text of a spend beside micros rounded half to even', () => {
    const ledger = ledgerAfter([pushed(scheduled(0, '0.0000005', '0.0000015'))]);
    expect(ledger.decisions[0]?.versions).toMatchObject([
      { spendText: '0.0000005', spendMicros: 0n },
      { spendText: '0.0000015', spendMicros: 2n },
    ]);
  });

  it('R15: posts zero only from a row that is available', () => {
    const late = delivery([row('p1', '0')], undefined, { status: 'reporting_delayed' });
    const outage = delivery([row('p1', '0')], undefined, { status: 'failed' });
    const nothing = delivery([], '0', { totalsMissing: true });
    for (const unknown of [
      report([nothing]),
      report([late]),
      report([outage]),
      report([delivery([row('p1', '0')])], { partialData: true }),
    ]) {
      const ledger = ledgerAfter([
        pushed(scheduled(0, '10', '2')),
        pushed({ ...unknown, sequenceNumber: 2 }),
      ]);
      expect(codes(ledger.decisions[1]?.outcome)).toBe('nothing FIGURES_UNKNOWN');
      expect(ledger.posted).toBe(12_000_000n);
    }
    expect(ledgerAfter([pushed(scheduled(0, '10', '2')), pushed(scheduled(0, '0', '0', 2))]).posted).toBe(0n);
  });

  it('posts the available rows of a partial report that marks the others', () => {
    const other = { ...buy, sellerBuyId: '00000000-0000-4000-8000-0000000000bb', sellerMediaBuyId: 'other' };
    const late = delivery([row('p1', '0')], undefined, { mediaBuyId: 'other', status: 'reporting_delayed' });
    const partial = report([delivery([row('p1', '4')]), late], { partialData: true });
    expect(ledgerAfter([pushed(partial)], { buys: [buy, other] }).posted).toBe(4_000_000n);
  });

  it('R16: posts nothing for a delayed notification, even one without period and rows', () => {
    const { period: _, currency: __, ...bare } = report([], { notificationType: 'delayed' });
    expect(lastOf([pushed(bare)])).toBe('nothing REPORT_DELAYED');
  });

  it('posts to the whole buy if no package is named, and reports it', () => {
    const ledger = ledgerAfter([pushed(report([delivery([], '12')]))]);
    expect(ledger.counting).toEqual([' 0-1 12000000']);
    expect(codes(ledger.decisions[0]?.outcome)).toBe('applied WITHOUT_PACKAGES');
  });

  it('replaces a figure for the whole buy by those of its packages', () => {
    const ledger = ledgerAfter([
      pushed(report([delivery([], '12')], { sequenceNumber: 1 })),
      pushed(scheduled(0, '10', '3', 2)),
    ]);
    expect(ledger.counting).toEqual(['p1 0-1 10000000', 'p2 0-1 3000000']);
    expect(ledger.posted).toBe(13_000_000n);
  });

  it('R20: counts totals to date instead of the days they cover, never beside them', () => {
    const total = report([delivery([row('p1', '30'), row('p2', '3')])], {
      period: days(0, 3),
      sequenceNumber: 5,
    });
    const missingDay = ledgerAfter([
      pushed(scheduled(0, '10', '1')),
      pushed(scheduled(1, '10', '1')),
      pushed(total),
    ]);
    expect(missingDay.counting).toEqual(['p1 0-3 30000000', 'p2 0-3 3000000']);
    const filled = ledgerAfter([
      pushed(scheduled(0, '10', '1')),
      pushed(scheduled(1, '10', '1')),
      pushed(total),
      pushed(scheduled(2, '9', '1')),
    ]);
    expect(filled.posted).toBe(32_000_000n);
    expect(filled.counting).toHaveLength(6);
  });

  it('never adds up totals to date', () => {
    const totals = [1, 2, 3].map((to) =>
      pushed(report([delivery([row('p1', String(10 * to))])], { period: days(0, to), sequenceNumber: to })),
    );
    expect(ledgerAfter(totals).counting).toEqual(['p1 0-3 30000000']);
  });
});

describe('which observation counts', () => {
  const p1 = (spend: string, more: Partial<DeliveryReport> = {}, extra = {}) =>
    report([delivery([row('p1', spend, extra)])], more);
  const standing = (observations: readonly Observation[]) => ledgerAfter(observations).counting;

  it('prefers the higher sequence number when a lower one arrives late', () => {
    const ledger = ledgerAfter([
      pushed(p1('11', { sequenceNumber: 2 })),
      pushed(p1('10', { sequenceNumber: 1 })),
    ]);
    expect(ledger.counting).toEqual(['p1 0-1 11000000']);
    expect(ledger.decisions[1]?.entries[0]).toMatchObject({ kind: 'observation', postings: [] });
    expect(codes(ledger.decisions[1]?.outcome)).toBe('applied DOES_NOT_COUNT');
  });

  it('R2: prefers a final figure to any later one that is not', () => {
    const final = pushed(p1('9', { sequenceNumber: 1 }, { isFinal: true }));
    expect(standing([final, pushed(p1('12', { sequenceNumber: 2 }))])).toEqual(['p1 0-1 9000000']);
  });

  it('R10: counts one measurement window at a time, the widest', () => {
    const windows = ['live', 'c3', 'c7'].map((measurementWindow, index) =>
      pushed(p1(String(10 + index), { sequenceNumber: index + 1 }, { measurementWindow })),
    );
    expect(standing(windows)).toEqual(['p1 0-1 12000000']);
    expect(standing(windows.toReversed())).toEqual(['p1 0-1 12000000']);
    // A narrower window replaces none, at any time and with any number.
    const narrower = pushed(p1('5', { sequenceNumber: 9 }, { measurementWindow: 'c3' }));
    expect(standing([...windows, narrower])).toEqual(['p1 0-1 12000000']);
  });

  it('R14: lets a pull override pushed figures, but not an adjustment pushed after it', () => {
    const at = dayStart + 41 * 86_400_000;
    const pull = pulled(p1('8'), at);
    expect(standing([pull, pushed(p1('10', { sequenceNumber: 1 }), { reportedAt: at + 5 })])).toEqual([
      'p1 0-1 8000000',
    ]);
    const adjusted = pushed(p1('10', { sequenceNumber: 1, notificationType: 'adjusted' }), {
      reportedAt: at + 5,
    });
    expect(standing([pull, adjusted])).toEqual(['p1 0-1 10000000']);
    expect(lastOf([pull, adjusted])).toBe('applied NEEDS_PULL');
  });

  it('prefers the report of a whole day to a pull during that day', () => {
    const noon = pulled(p1('4'), dayStart + 43_200_000);
    expect(standing([noon, pushed(p1('10', { sequenceNumber: 1 }))])).toEqual(['p1 0-1 10000000']);
  });

  it('R11: reads finality from the package, and from its row if the package has none', () => {
    const rows = [row('p1', '1', { isFinal: false }), row('p2', '2')];
    const ledger = ledgerAfter([pushed(report([delivery(rows, '3', { isFinal: true })]))]);
    expect(ledger.decisions[0]?.versions.map(({ isFinal }) => isFinal)).toEqual([false, true]);
  });

  it('flags a figure that was final and is reported as not final, and does not count it', () => {
    const first = pushed(p1('9', { sequenceNumber: 1 }, { isFinal: true }));
    const second = pushed(p1('10', { sequenceNumber: 2 }, { isFinal: false }), {
      reportedAt: first.reportedAt + 1,
    });
    expect(lastOf([first, second])).toBe('applied ILLEGAL_TRANSITION DOES_NOT_COUNT');
    expect(standing([first, second])).toEqual(['p1 0-1 9000000']);
  });

  it('records a figure that is repeated later, because it may override one between, but no identical report', () => {
    const first = pushed(p1('9'));
    const again = (later: number) =>
      lastOf([first, pushed(p1('9'), { reportedAt: first.reportedAt + later })]);
    expect(again(0)).toBe('duplicate');
    expect(again(5)).not.toBe('duplicate');
  });

  it('R12: flags a final figure that changed', () => {
    const first = pushed(p1('9', { sequenceNumber: 1 }, { isFinal: true }));
    const second = pushed(p1('10', { sequenceNumber: 2, notificationType: 'adjusted' }, { isFinal: true }));
    expect(lastOf([first, second])).toBe('applied RESTATED_AFTER_FINAL');
  });

  it('does not record the same pull twice, and records one with another figure', () => {
    const at = dayStart + 41 * 86_400_000;
    expect(lastOf([pulled(p1('8'), at), pulled(p1('8'), at + 1)])).toBe('duplicate');
    expect(standing([pulled(p1('8'), at), pulled(p1('9'), at + 1), pulled(p1('8'), at + 2)])).toEqual([
      'p1 0-1 8000000',
    ]);
  });
});

describe('quarantine', () => {
  const one = delivery([row('p1', '10')]);

  it.each<[string, Observation]>([
    ['unknown_buy', pushed(report([{ ...one, mediaBuyId: 'nobody' }]))],
    ['unknown_buy', pushed(report([one]), { connectionId: '00000000-0000-4000-8000-0000000000ff' })],
    ['unknown_package', pushed(report([delivery([row('p9', '10')])]))],
    ['currency_mismatch', pushed(report([one], { currency: 'USD' }))],
    ['currency_mismatch', pushed(report([delivery([row('p1', '10', { currency: 'USD' })])]))],
    ['negative_amount', pushed(report([delivery([row('p1', '-1')])]))],
    ['bad_amount', pushed(report([delivery([row('p1', '1e400')])]))],
    ['bad_amount', pushed(report([delivery([row('p1', '9'.repeat(13))])]))],
    ['bad_amount', pushed(report([delivery([row('p1', '0.'.padEnd(200, '1'))])]))],
    ['absurd_amount', pushed(report([delivery([row('p1', '200001')])]))],
    ['bad_time', pushed(report([one]), { reportedAt: Date.UTC(20_000, 1, 1) })],
    ['bad_text', pushed(report([delivery([row('p1', '1', { measurementWindow: 'w'.repeat(201) })])]), {})],
    ['bad_text', pushed(report([delivery([row('p1', '1', { measurementWindow: 'c\u00003' })])]))],
    ['repeated_row', pushed(report([delivery([row('p1', '1'), row('p1', '2')])]))],
    ['repeated_row', pushed(report([one, delivery([row('p1', '2')])]))],
    ['bad_period', pushed(report([one], { period: { start: 'x', end: 'y' } }))],
  ])('has the code %s and records nothing', (code, observation) => {
    const ledger = ledgerAfter([observation]);
    expect(codes(ledger.decisions[0]?.outcome)).toBe(code);
    expect(ledger.decisions[0]).toMatchObject({ versions: [], entries: [], ended: [] });
    expect(ledger.posted).toBe(0n);
  });

  const kindsOf = ({ decisions }: ReturnType<typeof ledgerAfter>): readonly string[] =>
    decisions.map(({ outcome }) => (outcome.kind === 'quarantined' ? codes(outcome) : outcome.kind));

  it('applies to a report that raises the spend of a buy above the limit, over all its periods and packages', () => {
    // 2,000 are bought in two packages, so that 3,000 are half as much again.
    const ledger = ledgerAfter([
      pushed(scheduled(0, '1500', '0')),
      pushed(scheduled(1, '0', '1400')),
      pushed(scheduled(2, '60', '40.01')),
      pushed(scheduled(2, '60', '40', 4)),
    ]);
    expect(kindsOf(ledger)).toEqual(['applied', 'applied', 'beyond_budget', 'applied']);
    expect(ledger.posted).toBe(3_000_000_000n);
  });

  it('counts a replaced figure once', () => {
    const ledger = ledgerAfter([
      pushed(scheduled(0, '2900', '0', 1)),
      pushed(scheduled(0, '2950', '0', 2)),
      pushed(scheduled(0, '3000.01', '0', 3)),
    ]);
    expect(kindsOf(ledger)).toEqual(['applied', 'applied', 'beyond_budget']);
  });

  it('does not apply to admitted spend above the limit, nor to later reports that do not raise it', () => {
    const beyond = pushed(scheduled(0, '3001', '0', 1));
    const admitted = { ...beyond, eventId: 'e1', admitted: { by: 'ada', reason: 'The log shows it.' } };
    const lower = pushed(scheduled(0, '3000.5', '0', 2));
    expect(kindsOf(ledgerAfter([beyond, admitted, lower]))).toEqual(['beyond_budget', 'applied', 'applied']);
  });

  it('applies to a whole report with one wrong row', () => {
    const ledger = ledgerAfter([pushed(report([delivery([row('p1', '10'), row('p9', '10')])]))]);
    expect(ledger.posted).toBe(0n);
  });

  it('applies to reports sent after the final one of a stream, and not to late ones sent before', () => {
    const final = pushed(scheduled(2, '1', '1', 3), {});
    const last = pushed({ ...final.report, notificationType: 'final' });
    expect(lastOf([last, pushed(scheduled(3, '1', '1', 4))])).toBe('after_final');
    expect(lastOf([last, pushed(scheduled(1, '1', '1', 2))])).toBe('applied');
    expect(lastOf([last, pushed(scheduled(3, '1', '1', 1), { stream: 's2' })])).toBe('applied');
    expect(ledgerAfter([last]).decisions[0]?.ended).toEqual([
      { sellerBuyId: buy.sellerBuyId, at: last.reportedAt },
    ]);
  });

  it('takes a report that overtook the final one out of the count, whichever of the two arrived first', () => {
    const last = pushed(
      report([delivery([row('p1', '5')])], { notificationType: 'final', sequenceNumber: 2 }),
    );
    const first = pushed(scheduled(1, '3', '1', 1));
    for (const day of [0, 2]) {
      const after = pushed(scheduled(day, '9', '9', 3));
      const inTime = ledgerAfter([first, last, after]);
      expect(kindsOf(inTime)).toEqual(['applied', 'applied', 'after_final']);
      const overtaken = ledgerAfter([after, first, last]);
      expect(kindsOf(overtaken)).toEqual(['applied', 'applied', 'applied']);
      expect(overtaken.counting).toEqual(inTime.counting);
      expect(overtaken.posted).toBe(inTime.posted);
      expect(overtaken.counting).toEqual(['p1 0-1 5000000', 'p1 1-2 3000000', 'p2 1-2 1000000']);
    }
  });

  it('keeps what a person admitted after the final report, and what another stream or a pull says', () => {
    const last = pushed(
      report([delivery([row('p1', '5')])], { notificationType: 'final', sequenceNumber: 2 }),
    );
    const admitted = { by: 'ann', reason: 'The seller said so.' };
    const others = [
      pushed(scheduled(2, '1', '1', 3), { admitted, eventId: 'e1' }),
      pushed(scheduled(3, '1', '1', 3), { stream: 's2' }),
      pulled(scheduled(4, '1', '1'), last.reportedAt + 5_000),
    ];
    expect(ledgerAfter([...others, last]).counting).toEqual(ledgerAfter([last, ...others]).counting);
    expect(ledgerAfter([...others, last]).counting).toHaveLength(7);
  });

  it('treats a final report without figures as the end of its stream', () => {
    const last = pushed(
      report([delivery([], '0', { status: 'failed' })], { notificationType: 'final', sequenceNumber: 3 }),
    );
    expect(lastOf([last, pushed(scheduled(3, '1', '1', 4))])).toBe('after_final');
  });

  it('applies to a lower sequence number with a later time', () => {
    const high = pushed(scheduled(0, '10', '2', 7));
    const low = pushed(scheduled(0, '11', '2', 1), { reportedAt: high.reportedAt + 1 });
    expect(lastOf([high, low])).toBe('sequence_behind_time sequence_behind_time');
  });

  it('lets an admitted report override a higher sequence number', () => {
    const high = pushed(scheduled(0, '10', '2', 7));
    const admitted = { by: 'ann', reason: 'The seller started its numbers again.' };
    const low = pushed(scheduled(0, '11', '2', 1), {
      reportedAt: high.reportedAt + 1,
      eventId: 'e9',
      admitted,
    });
    const ledger = ledgerAfter([high, low]);
    expect(ledger.counting).toEqual(['p1 0-1 11000000', 'p2 0-1 2000000']);
    expect(ledger.decisions[1]?.entries[0]?.body).toContain('started its numbers again');
  });

  it('does not apply to a report whose buy has no answer yet: it is deferred', () => {
    const early = pushed(report([{ ...one, mediaBuyId: 'not yet known' }]), { legId: 'leg-1' });
    const ledger = ledgerAfter([early], { awaitedLegs: new Set(['leg-1']) });
    expect(ledger.decisions[0]?.outcome).toEqual({ kind: 'deferred' });
  });
});

describe('findings', () => {
  it('R27: report packages that do not add up to the total beyond rounding', () => {
    const rows = [row('p1', '10'), row('p2', '2')];
    expect(lastOf([pushed(report([delivery(rows, '12.01')]))])).toBe('applied');
    expect(lastOf([pushed(report([delivery(rows, '12.02')]))])).toBe('applied SUM_DIFFERS_FROM_TOTAL');
  });

  it('R28: report spend over the budget of a package, over all its days', () => {
    expect(lastOf([pushed(scheduled(0, '600', '1')), pushed(scheduled(1, '400', '1'))])).toBe('applied');
    expect(lastOf([pushed(scheduled(0, '600', '1')), pushed(scheduled(1, '400.01', '1'))])).toBe(
      'applied OVER_BUDGET',
    );
  });

  it('R17: report committed metrics that are missing, by name, and do not read them as zero', () => {
    const lacking = (metrics: readonly string[]) => {
      const original = { missing_metrics: metrics.map((metric_id) => ({ scope: 'standard', metric_id })) };
      return pushed(report([delivery([row('p1', '1', { original })])]));
    };
    const ledger = ledgerAfter([lacking(['viewability', 'completed_views'])]);
    expect(codes(ledger.decisions[0]?.outcome)).toBe('applied METRICS_MISSING');
    expect(ledger.decisions[0]?.entries[0]?.body).toContain('viewability, completed_views');
    expect(ledger.counting).toEqual(['p1 0-1 1000000']);
    expect(lastOf([lacking([])])).toBe('applied');
  });

  it('R31: report a missing and a contradicting currency', () => {
    const { currency: _, ...bare } = report([delivery([row('p1', '1')])]);
    expect(lastOf([pushed(bare)])).toBe('applied CURRENCY_ASSUMED');
    const conflict = report([delivery([row('p1', '1', { currency: 'EUR' })])], { currency: 'USD' });
    expect(lastOf([pushed(conflict)])).toBe('applied CURRENCY_CONFLICT');
  });

  it('report a count that is not a whole number, which is ignored', () => {
    const ledger = ledgerAfter([
      pushed(report([delivery([row('p1', '1', { impressions: 1.5, clicks: 3 })])])),
    ]);
    expect(ledger.decisions[0]?.versions).toMatchObject([{ impressions: null, clicks: 3n }]);
    expect(codes(ledger.decisions[0]?.outcome)).toBe('applied COUNT_NOT_READABLE');
  });
});
