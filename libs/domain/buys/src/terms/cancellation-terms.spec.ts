import { describe, expect, it } from '@jest/globals';
import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { cancellationTerms } from './cancellation-terms.js';
import type { Offer } from '../model/offer.js';
import type { BuyPackage, MediaBuyRecord } from '../model/operation.js';

const now = Date.UTC(2026, 0, 1);
const inDays = (days: number): string => new Date(now + days * 86_400_000).toISOString();

const item = (id: string, more: Partial<BuyPackage> = {}): BuyPackage => ({
  id,
  mediaBuyId: 'mb_1',
  legId: 'l1',
  position: 0,
  seller: 'acme',
  productId: 'ctv',
  pricingOptionId: 'cpm',
  currency: 'EUR',
  budgetMicros: 1_500_500_000n,
  sellerPackageId: id,
  ...more,
});

const wish = (more: Partial<UpdateMediaBuyRequest>): UpdateMediaBuyRequest => ({
  packages: [],
  newPackages: [],
  original: { form: '3.1', value: {} },
  ...more,
});

function terms(
  cancellationPolicy: JsonObject | undefined,
  request: UpdateMediaBuyRequest = wish({ canceled: true }),
  packages: readonly BuyPackage[] = [item('p1')],
  startTime = inDays(10),
) {
  const offer = { seller: 'acme', productId: 'ctv', cancellationPolicy } as unknown as Offer;
  const record = { buy: { startTime } as MediaBuyRecord['buy'], packages };
  return cancellationTerms(request, record, {
    sellerBuy: { seller: 'acme' },
    offers: new Map([['acme:ctv', offer]]),
    now,
  });
}

const fee = (more: JsonObject): JsonObject => ({ cancellation_fee: more });

describe('the cancellation fee', () => {
  it.each([
    ['nothing', { type: 'none' }, 'No fee.'],
    ['everything', { type: 'full_commitment' }, 'The full commitment is due: 1500.5 EUR.'],
    ['a fixed fee', { type: 'fixed_fee', amount: 250 }, 'A fixed fee is due: 250 EUR.'],
    ['a fixed fee without its amount', { type: 'fixed_fee' }, 'A fixed fee is due: unknown EUR.'],
    [
      'a share of the rest',
      { type: 'percent_remaining', rate: 0.2 },
      '20 % of what is left is due, at most 300.1 EUR.',
    ],
    [
      'something of the seller’s own',
      { type: 'by_mood' },
      'The seller has terms of cancellation of an unknown kind.',
    ],
  ])('is described as text: %s', (_what, terms_, message) => {
    expect(terms(fee(terms_))).toEqual([{ code: 'CANCELLATION_FEE', message, field: 'p1' }]);
  });

  it('is zero when the notice is in time, to the day', () => {
    const policy = { ...fee({ type: 'full_commitment' }), notice_period: { interval: 10, unit: 'days' } };
    expect(terms(policy)[0]?.message).toBe('No fee: the notice is in time.');
    const late = terms(policy, wish({ canceled: true }), [item('p1')], inDays(9.99));
    expect(late[0]?.message).toBe('The full commitment is due: 1500.5 EUR.');
  });

  it.each([
    ['seconds', 10 * 86_400],
    ['minutes', 10 * 1_440],
    ['hours', 240],
    ['days', 10],
    ['weeks', 10 / 7],
  ])('is compared with the notice in %s', (unit, interval) => {
    const noticeOf = (length: number): unknown => {
      const notice_period = { interval: length, unit };
      return terms({ ...fee({ type: 'full_commitment' }), notice_period })[0]?.message;
    };
    expect(noticeOf(interval)).toBe('No fee: the notice is in time.');
    expect(noticeOf(interval + 1)).toBe('The full commitment is due: 1500.5 EUR.');
  });

  it.each(['campaign', 'moons'])('is due if the notice is counted in %s, whose end is unknown', (unit) => {
    const policy = { ...fee({ type: 'full_commitment' }), notice_period: { interval: 1, unit } };
    expect(terms(policy)[0]?.message).toBe('The full commitment is due: 1500.5 EUR.');
  });

  it('is the one accepted with the purchase, whatever the seller has quoted since', () => {
    const bought = (quoted: JsonObject) =>
      item('p1', { terms: { requested: {}, sent: {}, reported: {}, quoted } });
    const cancel = wish({ canceled: true });
    const later = fee({ type: 'full_commitment' });
    const then = bought({ cancellation_policy: fee({ type: 'none' }) });
    expect(terms(later, cancel, [then]).map(({ message }) => message)).toEqual(['No fee.']);
    expect(terms(later, cancel, [bought({})])).toEqual([]);
  });

  it('is counted from the first day of the package, if that is later than its buy', () => {
    const policy = { ...fee({ type: 'full_commitment' }), notice_period: { interval: 10, unit: 'days' } };
    const own = item('p1', { terms: { requested: {}, sent: { start_time: inDays(20) }, reported: {} } });
    const received = terms(policy, wish({ canceled: true }), [own], inDays(5));
    expect(received[0]?.message).toBe('No fee: the notice is in time.');
  });

  it('is due for a buy that begins at once', () => {
    const policy = { ...fee({ type: 'full_commitment' }), notice_period: { interval: 1, unit: 'days' } };
    const received = terms(policy, wish({ canceled: true }), [item('p1')], 'asap');
    expect(received[0]?.message).toBe('The full commitment is due: 1500.5 EUR.');
  });

  it('is reported for each package that ends, and for no other', () => {
    const policy = fee({ type: 'none' });
    const all = [item('p1'), item('p2'), item('p3', { canceledAt: now }), item('p4', { seller: 'bravo' })];
    expect(terms(policy, wish({ canceled: true }), all).map(({ field }) => field)).toEqual(['p1', 'p2']);
    const one = wish({
      packages: [
        { packageId: 'p2', canceled: true },
        { packageId: 'p1', paused: true },
      ],
    } as unknown as UpdateMediaBuyRequest);
    expect(terms(policy, one, all).map(({ field }) => field)).toEqual(['p2']);
  });

  it.each([
    ['no terms at all', undefined],
    ['terms without a fee', { notice_period: { interval: 1, unit: 'days' } }],
    ['a share without its rate', fee({ type: 'percent_remaining' })],
  ])('is absent if the seller quoted %s', (_what, policy) => {
    expect(terms(policy)).toEqual([]);
  });
});
