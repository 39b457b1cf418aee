import { describe, expect, it } from '@jest/globals';
import { buyHistory } from './buy-history.js';
import type { BuyChange, MediaBuyRecord } from '../model/operation.js';

const made = Date.UTC(2026, 0, 1);
const record = { buy: { createdAt: made } as MediaBuyRecord['buy'] };

const change = (more: Partial<BuyChange>): BuyChange => ({
  mediaBuyId: 'mb_1',
  sellerBuyId: 'sb_1',
  operationId: 'o1',
  legId: 'l1',
  seller: 'acme',
  revision: 2,
  actor: 'buyer',
  action: 'pause',
  detail: {},
  at: made + 1_000,
  ...more,
});

describe('the history of a buy', () => {
  it('ends with its creation, and never has more records than requested', () => {
    const changes = [change({ revision: 3, action: 'resume' }), change({})];
    expect(buyHistory(record, changes, 10).map(({ revision, action }) => [revision, action])).toEqual([
      [3, 'resumed'],
      [2, 'paused'],
      [1, 'created'],
    ]);
    expect(buyHistory(record, changes, 1)).toHaveLength(1);
  });

  it.each([
    [{ budget: '10' }, 'updated_budget'],
    [{ paused: true }, 'package_paused'],
    [{ paused: false }, 'package_resumed'],
    [{ budget: '10', paused: true }, 'updated_packages'],
  ])('reports %j of a package as %s, with its seller in front', (detail, action) => {
    const [entry] = buyHistory(record, [change({ action: 'update_packages', packageId: 'p1', detail })], 1);
    expect(entry).toMatchObject({ action, packageId: 'acme:p1' });
  });

  it('shows a refused state as an act of the seller, under an action of ours', () => {
    const detail = { from: 'canceled', to: 'active' };
    const [entry] = buyHistory(
      record,
      [change({ actor: 'seller', action: 'refused_transition', detail })],
      1,
    );
    expect(entry).toMatchObject({ actor: 'seller acme', action: 'refused_transition' });
    expect(entry?.summary).toBe(
      'acme reported active after canceled: this is not allowed, and was not applied',
    );
  });

  it('limits a summary to the length that the schema allows', () => {
    const [entry] = buyHistory(record, [change({ detail: { end_time: 'x'.repeat(900) } })], 1);
    expect(entry?.summary).toHaveLength(500);
  });
});
