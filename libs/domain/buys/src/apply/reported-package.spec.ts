import { describe, expect, it } from '@jest/globals';
import { getMediaBuys, type SellerRow } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import type { BuyPackage } from '../model/operation.js';
import { readReportedPackages, receivedOf } from './reported-package.js';

const snapshot = { as_of: '2026-01-01T00:00:00Z', staleness_seconds: 60, impressions: 10, spend: 1.5 };

const received = (members: JsonObject) => {
  const read = must(
    getMediaBuys.readAnswer(
      { media_buys: [{ media_buy_id: 'b', status: 'active', packages: [{ package_id: 'p', ...members }] }] },
      { dialect: 'adcp', form: '3.1' },
    ),
  );
  return readReportedPackages('acme', read.answer);
};

const item = (more: Partial<BuyPackage> = {}): BuyPackage =>
  ({ seller: 'acme', sellerPackageId: 'p', currency: 'EUR', budgetMicros: 1n, ...more }) as BuyPackage;
const row = (status: SellerRow['status'], code?: string): SellerRow => ({
  seller: 'acme',
  status,
  reason: '',
  elapsed_ms: 1,
  items: 1,
  ...(code === undefined ? {} : { code }),
});
const shown = (members: JsonObject | undefined, rows: readonly SellerRow[], wants = true, own = item()) =>
  receivedOf(
    { reported: members === undefined ? new Map() : received(members), rows },
    { packages: [own] },
    { packageId: 'acme:p' },
    wants,
  );

describe('the reported members of a package', () => {
  it('are those that only its seller knows, if they have the right type', () => {
    const reported = {
      format_ids_pending: [{ agent_url: 'https://f.example', id: 'd' }],
      something_else: true,
    };
    expect(shown({ ...reported, format_ids_pending: 7 }, [row('answered')], false)).toEqual({
      currency: 'EUR',
    });
    expect(shown(reported, [row('answered')], false)).toEqual({
      format_ids_pending: reported.format_ids_pending,
      currency: 'EUR',
    });
  });

  it('have the end that is stored here', () => {
    const own = item({ canceledAt: 0 });
    expect(shown(undefined, [], false, own)).toEqual({
      currency: 'EUR',
      cancellation: { canceled_at: '1970-01-01T00:00:00.000Z', canceled_by: 'buyer' },
    });
  });

  it.each([
    ['the seller’s own', { snapshot }, [row('answered')], { snapshot }],
    [
      'the seller’s reason',
      { snapshot_unavailable_reason: 'SNAPSHOT_PERMISSION_DENIED' },
      [row('answered')],
      { snapshot_unavailable_reason: 'SNAPSHOT_PERMISSION_DENIED' },
    ],
    [
      'no snapshot without its time',
      { snapshot: { ...snapshot, as_of: 1 } },
      [row('answered')],
      { snapshot_unavailable_reason: 'SNAPSHOT_UNSUPPORTED' },
    ],
    [
      'unsupported where the seller has none',
      {},
      [row('answered')],
      { snapshot_unavailable_reason: 'SNAPSHOT_UNSUPPORTED' },
    ],
    [
      'unsupported where the seller has no such task',
      undefined,
      [row('skipped', 'NOT_OFFERED')],
      { snapshot_unavailable_reason: 'SNAPSHOT_UNSUPPORTED' },
    ],
    [
      'not there now where the seller keeps silent',
      undefined,
      [row('slow')],
      { snapshot_unavailable_reason: 'SNAPSHOT_TEMPORARILY_UNAVAILABLE' },
    ],
  ] as const)('have %s of requested snapshots', (_what, members, rows, expected) => {
    expect(shown(members, rows)).toEqual({ currency: 'EUR', ...expected });
  });

  it('do not change its terms', () => {
    const stored = { packageId: 'acme:p', reportedTerms: { pacing: 'even' } };
    expect(receivedOf({ reported: new Map(), rows: [] }, { packages: [item()] }, stored, false)).toEqual({
      pacing: 'even',
      currency: 'EUR',
    });
  });

  it('have no unrequested snapshot', () => {
    expect(shown({ snapshot }, [row('answered')], false)).toEqual({ currency: 'EUR' });
  });
});
