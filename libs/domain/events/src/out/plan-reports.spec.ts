import { describe, expect, it } from '@jest/globals';
import { planReports, type ReportPlan } from './plan-reports.js';
import type { CountedFigure, ReportFacts } from './report-facts.js';

const day = (number: number): number => Date.UTC(2026, 4, number);
const hour = 3_600_000;
const now = day(10);

function figure(options: Partial<CountedFigure> & { readonly day: number }): CountedFigure {
  const { day: number, ...rest } = options;
  return {
    seller: 'acme',
    packageRef: 'p1',
    start: day(number),
    end: day(number + 1),
    spendMicros: 10_000_000n,
    impressions: 1_000n,
    clicks: 10n,
    seenAt: now,
    ...rest,
  };
}

function facts(options: Partial<ReportFacts> = {}): ReportFacts {
  return {
    registration: {
      id: 'r1',
      organizationId: 'o1',
      principalId: 'b1',
      operationId: 'ours',
      mediaBuyId: 'mb_1',
      channel: 'report',
      envelope: 'mcp',
      mode: 'signed',
      url: 'https://buyer.example/reports',
      buyerOperationId: 'theirs',
      profile: { dialect: 'ads', form: 'service' },
      createdAt: 0,
    },
    taskId: 'task_1',
    context: { campaign: 'spring' },
    buy: {
      id: 'mb_1',
      status: 'active',
      currency: 'USD',
      startTime: '2026-05-01T00:00:00Z',
      endTime: '2026-05-04T00:00:00Z',
      updatedAt: now,
    },
    isSettled: true,
    sellers: [{ seller: 'acme', hasEnded: false }],
    figures: [],
    reportedPeriods: [],
    sequenceNumber: 0,
    ...options,
  };
}

let counter = 0;
const plan = (of: ReportFacts, at = now): ReportPlan =>
  planReports(of, at, () => ({ id: `e${++counter}`, idempotencyKey: `key-${counter}-0123456789` }));
interface Sent {
  readonly notification_type: string;
  readonly sequence_number: number;
  readonly reporting_period: { readonly start: string };
  readonly partial_data?: boolean;
  readonly next_expected_at?: string;
  readonly media_buy_deliveries: readonly {
    readonly is_adjusted?: boolean;
    readonly status: string;
    readonly totals: { readonly spend: number; readonly impressions?: number };
    readonly by_package: readonly { readonly package_id: string; readonly spend: number }[];
  }[];
}
const sent = ({ reports }: ReportPlan): readonly Sent[] =>
  reports.map((draft) => (JSON.parse(draft.body.toString()) as { result: Sent }).result);
/** The same stream after its reports were sent. */
const after = (of: ReportFacts, done: ReportPlan): ReportFacts => ({
  ...of,
  sequenceNumber: done.sequenceNumber,
  reportedPeriods: [
    ...of.reportedPeriods.filter(
      (old) => !done.reportedPeriods.some(({ start, end }) => start === old.start && end === old.end),
    ),
    ...done.reportedPeriods,
  ],
});
const over = { status: 'completed' as const, updatedAt: now };

describe('reports to a buyer', () => {
  it('report each period once, in order, with its own number', () => {
    const known = facts({ figures: [figure({ day: 2 }), figure({ day: 1 })] });
    const first = plan(known);
    expect(sent(first).map((report) => [report.notification_type, report.sequence_number])).toEqual([
      ['scheduled', 1],
      ['scheduled', 2],
    ]);
    expect(sent(first).map((report) => report.reporting_period.start.slice(0, 10))).toEqual([
      '2026-05-01',
      '2026-05-02',
    ]);
    expect(plan(after(known, first)).reports).toEqual([]);
  });

  it("wait until every seller has reported, and add them up with the seller's slug before each package", () => {
    const sellers = [
      { seller: 'acme', hasEnded: false },
      { seller: 'bravo', hasEnded: false },
    ];
    const early = facts({ sellers, figures: [figure({ day: 1 })] });
    expect(plan(early).reports).toEqual([]);
    expect(plan(early).checkAgainAt).toBe(now + 6 * hour);
    const [report] = sent(
      plan({
        ...early,
        figures: [...early.figures, figure({ day: 1, seller: 'bravo', spendMicros: 5_500_000n })],
      }),
    );
    expect(report?.media_buy_deliveries[0]?.totals).toMatchObject({ spend: 15.5, impressions: 2_000 });
    expect(report?.media_buy_deliveries[0]?.by_package.map((row) => row.package_id)).toEqual([
      'acme:p1',
      'bravo:p1',
    ]);
    expect(report).not.toHaveProperty('partial_data');
    expect(report).not.toHaveProperty('aggregated_totals');
  });

  it('are sent as partial after the timeout of a late seller, and as adjusted when it reports', () => {
    const sellers = [
      { seller: 'acme', hasEnded: false },
      { seller: 'bravo', hasEnded: false },
    ];
    const late = facts({ sellers, figures: [figure({ day: 1 })] });
    const partial = plan(late, now + 6 * hour);
    expect(sent(partial)).toMatchObject([{ notification_type: 'scheduled', partial_data: true }]);
    const came = after({ ...late, figures: [...late.figures, figure({ day: 1, seller: 'bravo' })] }, partial);
    expect(sent(plan(came))).toMatchObject([
      { notification_type: 'adjusted', sequence_number: 2, media_buy_deliveries: [{ is_adjusted: true }] },
    ]);
  });

  it('repeat a period as adjusted when its figures change, and only then', () => {
    const known = facts({ figures: [figure({ day: 1 })] });
    const received = after(known, plan(known));
    const same = { ...received, figures: [figure({ day: 1, seenAt: now + 1 })] };
    expect(plan(same).reports).toEqual([]);
    const corrected = { ...received, figures: [figure({ day: 1, spendMicros: 9_000_000n })] };
    const [report] = sent(plan(corrected));
    expect(report).toMatchObject({
      notification_type: 'adjusted',
      sequence_number: 2,
      media_buy_deliveries: [{ is_adjusted: true, totals: { spend: 9 } }],
    });
    expect(plan(after(corrected, plan(corrected))).reports).toEqual([]);
  });

  it('withdraw figures that no longer count', () => {
    const known = facts({ figures: [figure({ day: 1 })] });
    const emptied = { ...after(known, plan(known)), figures: [] };
    expect(sent(plan(emptied))).toMatchObject([
      { notification_type: 'adjusted', media_buy_deliveries: [{ totals: { spend: 0 }, by_package: [] }] },
    ]);
  });

  it('use the requested frequency for figures of a finer one', () => {
    const hourly = [0, 1, 23].map((at) =>
      figure({ day: 1, start: day(1) + at * hour, end: day(1) + (at + 1) * hour }),
    );
    const daily = facts({ figures: hourly });
    expect(sent(plan(daily))).toMatchObject([{ media_buy_deliveries: [{ totals: { spend: 30 } }] }]);
    const monthly = { ...daily, registration: { ...daily.registration, frequency: 'monthly' } };
    expect(plan(monthly).reports).toEqual([]);
    const requested = { ...daily, registration: { ...daily.registration, frequency: 'hourly' } };
    expect(plan(requested).reports).toHaveLength(3);
  });

  it('leave a figure for a longer period in its own period', () => {
    const month = facts({ figures: [figure({ day: 1, end: day(32) })] });
    const [report] = sent(plan(month));
    expect(report?.reporting_period).toEqual({
      start: '2026-05-01T00:00:00.000Z',
      end: '2026-06-01T00:00:00.000Z',
    });
  });

  it("name the next report's time only if it is in the future", () => {
    const today = facts({ figures: [figure({ day: 9 })] });
    expect(sent(plan(today))[0]?.next_expected_at).toBe('2026-05-11T00:00:00.000Z');
    expect(sent(plan(facts({ figures: [figure({ day: 1 })] })))[0]).not.toHaveProperty('next_expected_at');
  });

  it('end with one final report after all outstanding ones', () => {
    const ended = facts({
      buy: { ...facts().buy, ...over },
      sellers: [{ seller: 'acme', hasEnded: true }],
      figures: [figure({ day: 1 }), figure({ day: 2 }), figure({ day: 3 })],
    });
    const last = plan(ended);
    expect(sent(last).map((report) => report.notification_type)).toEqual(['scheduled', 'scheduled', 'final']);
    expect(sent(last).at(-1)).toMatchObject({
      sequence_number: 3,
      reporting_period: { start: '2026-05-03T00:00:00.000Z' },
      media_buy_deliveries: [{ status: 'completed' }],
    });
    expect(sent(last).at(-1)).not.toHaveProperty('next_expected_at');
    expect(last).not.toHaveProperty('checkAgainAt');
  });

  it('delay the final report while a seller has not ended, up to a limit', () => {
    const waiting = facts({ buy: { ...facts().buy, ...over }, figures: [figure({ day: 1 })] });
    expect(sent(plan(waiting)).map((report) => report.notification_type)).toEqual(['scheduled']);
    expect(plan(waiting).checkAgainAt).toBe(now + 6 * hour);
    const [report] = sent(plan(after(waiting, plan(waiting)), now + 6 * hour));
    expect(report).toMatchObject({ notification_type: 'final', partial_data: true });
  });

  it('send a final report for a buy that ended without figures', () => {
    const empty = facts({
      buy: { ...facts().buy, status: 'canceled' },
      sellers: [{ seller: 'acme', hasEnded: true }],
    });
    expect(sent(plan(empty))).toMatchObject([
      { notification_type: 'final', media_buy_deliveries: [{ status: 'canceled', by_package: [] }] },
    ]);
  });

  it('are not sent for a buy that was never created', () => {
    const never = facts({ sellers: [], buy: { ...facts().buy, status: 'rejected' } });
    expect(plan(never)).toEqual({ reports: [], reportedPeriods: [], sequenceNumber: 0 });
    expect(plan({ ...never, isSettled: false }).checkAgainAt).toBeDefined();
  });

  it("have the envelope, the buyer's ids and their own key", () => {
    const { reports } = plan(facts({ figures: [figure({ day: 1 }), figure({ day: 2 })] }));
    const bodies = reports.map((draft) => JSON.parse(draft.body.toString()) as Record<string, unknown>);
    expect(bodies[0]).toMatchObject({
      operation_id: 'theirs',
      task_id: 'task_1',
      task_type: 'media_buy_delivery',
      status: 'completed',
      context: { campaign: 'spring' },
    });
    expect(bodies[0]?.['idempotency_key']).not.toBe(bodies[1]?.['idempotency_key']);
    expect(bodies[0]).not.toHaveProperty('notification_id');
  });
});
