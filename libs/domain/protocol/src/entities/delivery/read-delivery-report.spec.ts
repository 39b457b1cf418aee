import { describe, expect, it } from '@jest/globals';
import { must, parseStrictJson, type JsonObject } from '@switchyard/values';
import { readDeliveryReport } from './read-delivery-report.js';
import { lostInAnswer } from '../../losses/lost-in-answer.js';
import type { DeliveryReport } from './delivery-report.js';
import { projectDeliveryReport } from './project-delivery-report.js';
import type { Form, WireProfile } from '../../versions/wire-profile.js';
import { objectsAt } from '../../message/pick.js';

const modern: WireProfile = { dialect: 'ads', form: '3.1' };
const row = {
  media_buy_id: 'm1',
  status: 'active',
  totals: { spend: 12.34, impressions: 1000, clicks: 3 },
  by_package: [{ package_id: 'k1', spend: 12.34, impressions: 1000 }],
};
const report = (more: JsonObject = {}): JsonObject => ({
  notification_type: 'scheduled',
  sequence_number: 2,
  reporting_period: { start: '2027-01-01T00:00:00Z', end: '2027-01-01T23:59:59Z' },
  currency: 'EUR',
  media_buy_deliveries: [row],
  ...more,
});

function read(value: JsonObject, profile = modern): { report: DeliveryReport; codes: string[] } {
  const result = must(readDeliveryReport(value, new Map(), profile));
  return { report: result.report, codes: result.findings.map(({ code }) => code) };
}
const periodOf = (start: string, end: string): unknown =>
  read(report({ reporting_period: { start, end } })).report.period;

const packagesIn = (written: JsonObject): readonly JsonObject[] =>
  objectsAt(written, 'media_buy_deliveries').flatMap((one) => objectsAt(one, 'by_package'));
const lostFieldsOf = (seen: DeliveryReport, written: JsonObject, to: Form) =>
  lostInAnswer('get_media_buy_delivery', seen, written, to).map(({ field }) => field);

describe('a delivery report', () => {
  it('is read with its amounts as text and its rows by package', () => {
    const { report: seen, codes } = read(report());
    expect(codes).toEqual([]);
    expect(seen).toMatchObject({
      notificationType: 'scheduled',
      sequenceNumber: 2,
      currency: 'EUR',
      partialData: false,
      deliveries: [
        {
          mediaBuyId: 'm1',
          totals: { spend: '12.34', impressions: 1000 },
          byPackage: [{ packageId: 'k1', spend: '12.34' }],
        },
      ],
    });
  });

  it('keeps its kind, number, period and currency when it is pushed, in every form', () => {
    const { report: seen } = read(report());
    for (const form of ['service', '2.5', '3.0', '3.1'] as const)
      expect(projectDeliveryReport(seen, form)).toMatchObject({
        notification_type: 'scheduled',
        sequence_number: 2,
        reporting_period: { start: '2027-01-01T00:00:00.000Z', end: '2027-01-02T00:00:00.000Z' },
        currency: 'EUR',
        media_buy_deliveries: [
          { media_buy_id: 'm1', status: 'active', by_package: [{ package_id: 'k1', spend: 12.34 }] },
        ],
      });
  });

  it('that names no currency is in dollars only in the service description’s form', () => {
    const { currency: _none, ...silent } = report();
    const received = (['service', '2.5', '3.0', '3.1'] as const).map((form) => {
      const { report: seen, codes } = read(silent, { dialect: 'ads', form });
      return [form, seen.currency, codes];
    });
    expect(received).toEqual([
      ['service', 'USD', []],
      ['2.5', undefined, ['CURRENCY_MISSING']],
      ['3.0', undefined, ['CURRENCY_MISSING']],
      ['3.1', undefined, ['CURRENCY_MISSING']],
    ]);
  });

  it('that is pulled for several buys keeps the series of each on its own row', () => {
    const days = [{ date: '2027-01-01', impressions: 1000, spend: 12.34 }];
    const { notificationType: _type, ...one } = read(
      report({ media_buy_deliveries: [{ ...row, daily_breakdown: days }] }),
    ).report;
    const series = [{ spend: 12.34 }];
    expect(projectDeliveryReport(one, 'service')).toMatchObject({ timeseries: series });
    const two = { ...one, deliveries: [...one.deliveries, ...one.deliveries] };
    expect(projectDeliveryReport(two, 'service')).toMatchObject({
      timeseries: [],
      media_buy_deliveries: [{ timeseries: series }, { timeseries: series }],
    });
  });

  it('of a buy that has not begun may have no period, which is a finding only in a notification', () => {
    const moment = '2027-01-01T00:00:00.000Z';
    const {
      notification_type: type,
      sequence_number: _none,
      ...pulled
    } = report({
      reporting_period: { start: moment, end: moment },
      media_buy_deliveries: [{ ...row, status: 'pending_creatives' }],
    });
    expect(read(pulled)).toMatchObject({ codes: [], report: { deliveries: [{ mediaBuyId: 'm1' }] } });
    expect(read(pulled).report.period).toBeUndefined();
    expect(read({ ...pulled, notification_type: type! }).codes).toEqual(['PERIOD_MISSING']);
    const backwards = { start: moment, end: '2026-01-01T00:00:00Z' };
    expect(read({ ...pulled, reporting_period: backwards }).codes).toEqual(['PERIOD_MISSING']);
  });

  it('R18: covers a half-open period in UTC, for any notation of its end', () => {
    const day = { start: '2027-01-01T00:00:00.000Z', end: '2027-01-02T00:00:00.000Z' };
    expect(periodOf('2027-01-01T00:00:00Z', '2027-01-02T00:00:00Z')).toEqual(day);
    expect(periodOf('2027-01-01T00:00:00Z', '2027-01-01T23:59:59Z')).toEqual(day);
    expect(periodOf('2027-01-01T00:00:00Z', '2027-01-01T23:59:59.999Z')).toEqual(day);
    expect(periodOf('2027-01-01T02:00:00+02:00', '2027-01-02T00:00:00Z')).toEqual({
      ...day,
      startOffset: '+02:00',
    });
    expect(periodOf('2027-01-01T00:00:00+00:00', '2027-01-02T00:00:00-00:00')).toEqual(day);
    expect(periodOf('2027-01-01', '2027-01-01')).toEqual(day);
    expect(periodOf('2027-01-01T00:00:00', '2027-01-01T23:59:59')).toEqual(day);
    expect(periodOf('2027-01-01T00:00:00Z', '2027-01-01T05:59:59Z')).toMatchObject({
      end: '2027-01-01T06:00:00.000Z',
    });
    for (const [end, rounded] of [
      ['2027-01-01T18:14:59Z', '2027-01-01T18:15:00.000Z'],
      ['2027-01-01T18:29:59.999Z', '2027-01-01T18:30:00.000Z'],
      ['2027-01-02T00:14:59+05:45', '2027-01-01T18:30:00.000Z'],
      ['2027-01-01T18:14:58Z', '2027-01-01T18:14:58.000Z'],
      ['2027-01-01T18:20:59Z', '2027-01-01T18:20:59.000Z'],
    ] as const)
      expect(periodOf('2027-01-01T00:00:00Z', end)).toMatchObject({ end: rounded });
    expect(periodOf('2027-01-02T00:00:00Z', '2027-01-01T00:00:00Z')).toBeUndefined();
    expect(periodOf('yesterday', 'today')).toBeUndefined();
  });

  it('never turns an unknown figure into a zero', () => {
    const { spend: _spend, ...silent } = row.totals;
    const odd = {
      ...row,
      totals: silent,
      by_package: [{ package_id: 'k1' }, { package_id: 'k2', spend: 'much' }],
    };
    const { report: seen, codes } = read(report({ media_buy_deliveries: [odd] }));
    expect(seen.deliveries[0]).toMatchObject({ totalsMissing: true, byPackage: [] });
    expect(codes).toEqual(['PACKAGE_ROW_SET_ASIDE', 'PACKAGE_ROW_SET_ASIDE', 'TOTALS_MISSING']);
    const shown = { ...row, status: 'reporting_delayed', totals: { spend: 12.5, impressions: 0 } };
    expect(read(report({ media_buy_deliveries: [shown] })).codes).toEqual(['FIGURES_OF_A_DELAYED_ROW']);
    const held = { ...shown, totals: { spend: 0, impressions: 0 } };
    expect(read(report({ media_buy_deliveries: [held] })).codes).toEqual([]);
    const late = { media_buy_id: 'm1', status: 'reporting_delayed' };
    expect(read(report({ media_buy_deliveries: [late], partial_data: true })).report).toMatchObject({
      partialData: true,
      deliveries: [{ status: 'reporting_delayed', totalsMissing: true }],
    });
  });

  it('shows when missing figures are expected, in every form', () => {
    const late = {
      ...row,
      status: 'reporting_delayed',
      totals: { spend: 0, impressions: 0 },
      by_package: [],
    };
    const at = (expected_availability: unknown, more: object = late): JsonObject =>
      report({ media_buy_deliveries: [{ ...more, expected_availability } as JsonObject] });
    for (const form of ['service', '2.5', '3.0', '3.1'] as const) {
      const { report: seen, codes } = read(at('2027-01-02T08:00:00+02:00'), { dialect: 'ads', form });
      expect(codes).toEqual([]);
      expect(seen.deliveries[0]).toMatchObject({ expectedAvailability: '2027-01-02T06:00:00.000Z' });
      const written = projectDeliveryReport(seen, form);
      expect(written['media_buy_deliveries']).toMatchObject([
        { status: 'reporting_delayed', expected_availability: '2027-01-02T06:00:00.000Z' },
      ]);
      expect(lostFieldsOf(seen, written, form)).toEqual([]);
    }
    const { totals: _none, ...silent } = row;
    expect(read(at('2027-01-02T06:00:00Z', silent)).report.deliveries[0]?.expectedAvailability).toBe(
      '2027-01-02T06:00:00.000Z',
    );
    for (const [odd, more] of [
      ['soon', late],
      [7, late],
      ['2027-01-02T06:00:00Z', row],
      ['2027-01-02T06:00:00Z', { ...late, status: 'failed' }],
    ] as const) {
      const { report: seen, codes } = read(at(odd, more));
      expect(codes).toEqual(['AVAILABILITY_ODD']);
      expect(seen.deliveries[0]).not.toHaveProperty('expectedAvailability');
    }
  });

  it('reports an odd value and is still read', () => {
    const { report: seen, codes } = read({ notification_type: 'delayed' });
    expect(seen.deliveries).toEqual([]);
    expect(codes).toEqual(['ROWS_MISSING', 'PERIOD_MISSING', 'CURRENCY_MISSING']);
    expect(read(report({ aggregated_totals: { spend: 1 }, sequence_number: -3 })).codes).toEqual([
      'TOTALS_IN_WEBHOOK',
      'SEQUENCE_ODD',
    ]);
    expect(read(report({ media_buy_deliveries: [7, { status: 'active' }] })).codes).toEqual([
      'ROW_WITHOUT_BUY',
      'ROW_WITHOUT_BUY',
    ]);
    expect(readDeliveryReport({ hello: 1 }, new Map(), modern).ok).toBe(false);
    expect(readDeliveryReport('report', new Map(), modern).ok).toBe(false);
  });

  it('keeps spend as written where a double cannot hold it', () => {
    const text = JSON.stringify(report()).replace(
      '"spend":12.34,"impressions":1000,"clicks"',
      '"spend":1234567890123.4567891,"impressions":1000,"clicks"',
    );
    const parsed = must(parseStrictJson(Buffer.from(text)));
    const result = readDeliveryReport(parsed.value, parsed.exact, modern);
    expect(result.ok && result.value.report.deliveries[0]?.totals.spend).toBe('1234567890123.4567891');
  });

  it('is read in the service description’s pulled shape', () => {
    const service: WireProfile = { dialect: 'ads', form: 'service' };
    const payload = {
      media_buy_id: 'm1',
      delivery: { impressions: 10, spend: 1.5, clicks: 0 },
      by_package: [{ package_id: 'k1', spend: 1.5, impressions: 10 }],
    };
    expect(read(payload, service).report).toMatchObject({
      currency: 'USD',
      deliveries: [{ mediaBuyId: 'm1', totals: { spend: '1.5' }, byPackage: [{ packageId: 'k1' }] }],
    });
  });

  it.each([
    ['reporting_delayed', 'the buy', 0, []],
    ['reporting_delayed', 'the delivery', 7.5, ['FIGURES_OF_A_DELAYED_ROW']],
    ['failed', 'the delivery', 7.5, ['FIGURES_OF_A_DELAYED_ROW']],
  ])('has an unknown delivery if it is %s in %s of the pulled shape', (status, at, spend, received) => {
    const figures = { impressions: 0, spend, ...(at === 'the buy' ? {} : { status }) };
    const reported = {
      media_buy_id: 'm1',
      delivery: figures,
      by_package: [],
      ...(at === 'the buy' ? { media_buy_status: status } : {}),
    };
    const late = { ...reported, expected_availability: '2027-01-02T06:00:00+02:00' };
    const { report: seen, codes } = read(late, { dialect: 'ads', form: 'service' });
    expect(codes).toEqual(received);
    expect(seen.deliveries[0]).toMatchObject({
      status,
      totalsMissing: true,
      totals: { spend: '0', original: {} },
    });
    expect(seen.deliveries[0]?.expectedAvailability).toBe(
      status === 'failed' ? undefined : '2027-01-02T04:00:00.000Z',
    );
    for (const form of ['service', '2.5', '3.0', '3.1'] as const)
      expect(projectDeliveryReport(seen, form)).not.toHaveProperty('aggregated_totals');
    expect(projectDeliveryReport(seen, 'service')['delivery']).toEqual({ media_buy_count: 1 });
  });

  it('is also read in the pulled shape if a delayed one has no spend', () => {
    const payload = { delivery: { status: 'reporting_delayed' } };
    const { report: seen } = read(payload, { dialect: 'ads', form: 'service' });
    expect(seen.deliveries).toMatchObject([
      { mediaBuyId: '', status: 'reporting_delayed', totalsMissing: true },
    ]);
  });

  it('has a reach in 3.x if its unit is known, and reports what it leaves out', () => {
    const packages = [
      { package_id: 'k1', spend: 1, impressions: 9, reach: 3 },
      { package_id: 'k2', spend: 1, impressions: 9, reach: 4, reach_unit: 'households' },
    ];
    const { report: seen } = read(report({ media_buy_deliveries: [{ ...row, by_package: packages }] }));
    const written = projectDeliveryReport(seen, '3.0');
    expect(packagesIn(written).map(({ reach }) => reach)).toEqual([undefined, 4]);
    expect(lostFieldsOf(seen, written, '3.0')).toEqual(['media_buy_deliveries[].by_package[].reach']);
    expect(packagesIn(projectDeliveryReport(seen, '2.5')).map(({ reach }) => reach)).toEqual([3, 4]);
  });

  it('prices a package of 2.5 by its impressions if 2.5 lacks its pricing model', () => {
    const timed = { package_id: 'k1', spend: 5, impressions: 1000, pricing_model: 'time', rate: 70 };
    const { report: seen } = read(report({ media_buy_deliveries: [{ ...row, by_package: [timed] }] }));
    const written = projectDeliveryReport(seen, '2.5');
    expect(packagesIn(written)).toMatchObject([{ pricing_model: 'cpm', rate: 5 }]);
    expect(lostFieldsOf(seen, written, '2.5')).toEqual([
      'media_buy_deliveries[].by_package[].pricing_model',
      'media_buy_deliveries[].by_package[].rate',
    ]);
    expect(packagesIn(projectDeliveryReport(seen, '3.0'))).toMatchObject([
      { pricing_model: 'time', rate: 70 },
    ]);
  });

  it('is adjusted in 2.5 if a wider window was measured', () => {
    const { report: seen } = read(report({ notification_type: 'window_update' }));
    const written = projectDeliveryReport(seen, '2.5');
    expect(written['notification_type']).toBe('adjusted');
    expect(lostFieldsOf(seen, written, '2.5')).toContain('notification_type');
    expect(projectDeliveryReport(seen, '3.0')['notification_type']).toBe('window_update');
  });

  it('adds up its rows without a float when it is pulled, and has no totals when it is pushed', () => {
    const rows = Array.from({ length: 10 }, (_, index) => ({
      ...row,
      media_buy_id: `m${index}`,
      totals: { spend: 0.1, impressions: 1 },
    }));
    const { notificationType: _type, ...pulled } = read(report({ media_buy_deliveries: rows })).report;
    expect(projectDeliveryReport(pulled, '3.1')).toMatchObject({
      aggregated_totals: { spend: 1, impressions: 10, media_buy_count: 10 },
    });
    expect(projectDeliveryReport(pulled, 'service')).toMatchObject({
      delivery: { spend: 1 },
      timeseries: [],
    });
    expect(projectDeliveryReport(read(report()).report, '3.1')).not.toHaveProperty('aggregated_totals');
  });
});
