import { describe, expect, it } from '@jest/globals';
import { reportUsage, type UsageRecord } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { routeUsage } from './route-usage.js';

const account = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
const vendor = { id: 'c1', slug: 'signals', state: 'live', form: '3.1', protocol: 'a2a' } as Connection;

const record = (rest: UsageRecord['rest'], more: Partial<UsageRecord> = {}): UsageRecord => ({
  account: { accountId: 'a1' },
  vendorCost: '12.345678',
  currency: 'EUR',
  signalId: 'signals:shoes',
  rest,
  ...more,
});

/** What the vendor is sent of these records. */
function sentOf(records: readonly UsageRecord[]): readonly unknown[] {
  const named = records.map((current, at) => ({ at, record: current, account }));
  const { routed, errors } = routeUsage(named, {
    connections: [vendor],
    buys: new Map(),
    billedElsewhere: [],
  });
  expect(errors).toEqual([]);
  const request = {
    idempotencyKey: 'k'.repeat(20),
    period: { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z' },
    records: routed.map((current) => current.record),
  };
  const { args } = reportUsage.projectRequest(request, { dialect: 'adcp', form: '3.1' });
  const { usage } = args;
  return Array.isArray(usage) ? usage : [];
}

describe('usage that is forwarded', () => {
  it('R7: figures that their reporter does not call final are never called final on the way', () => {
    expect(sentOf([record({ final: false }), record({})])).toEqual([
      expect.objectContaining({ final: false }),
      expect.not.objectContaining({ final: expect.anything() }),
    ]);
  });

  it('R36: a later final record is a separate record, with the time at which it became final', () => {
    const final = { final: true, finalized_at: '2026-11-03T00:00:00Z', measurement_window: 'c7' };
    const sent = sentOf([record({ final: false }), record(final, { vendorCost: '13' })]);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toMatchObject(final);
  });

  it('R37: cost, media base, pricing option and impressions keep their meaning, to the last digit', () => {
    const [sent] = sentOf([
      record({ pricing_option_id: 'po_1', impressions: 1000 }, { mediaSpend: '99.99' }),
    ]);
    expect(sent).toMatchObject({
      vendor_cost: 12.345678,
      media_spend: 99.99,
      pricing_option_id: 'po_1',
      impressions: 1000,
      currency: 'EUR',
    });
  });

  it('R39: the cost of a signal is the one that its user reports, including zero, and is never computed', () => {
    const costs = sentOf([
      record({ impressions: 1_000_000 }, { vendorCost: '0' }),
      record({ impressions: 0 }, { vendorCost: '500' }),
    ]);
    expect(costs).toMatchObject([{ vendor_cost: 0 }, { vendor_cost: 500 }]);
  });
});
