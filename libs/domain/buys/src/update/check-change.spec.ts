import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { OfferedPrice } from '../model/offer.js';
import { updateMediaBuy } from './update-media-buy.js';

const fixed: OfferedPrice = {
  pricingOptionId: 'cpm',
  model: 'cpm',
  currency: 'USD',
  auction: false,
  fixedPrice: '5',
  minSpendPerPackage: '100',
};
const auction: OfferedPrice = {
  pricingOptionId: 'cpm',
  model: 'cpm',
  currency: 'USD',
  auction: true,
  floorPrice: '4',
};

/** A buy of one package over the whole of 2027, of a product that is quoted like this. */
async function bought(price: OfferedPrice, more: JsonObject = {}) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const [offer] = (await harness.store.offers(harness.scope, ['acme:ctv'])).values();
  if (offer === undefined) throw new Error('acme offers nothing.');
  const connectionId = harness.connection('acme').id;
  await harness.store.saveOffers(harness.scope, [
    { connectionId, offer: { ...offer, pricingOptions: [price] } },
  ]);
  const wanted = { product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 1_000, ...more };
  const flight = { start_time: '2027-01-01T00:00:00Z', end_time: '2028-01-01T00:00:00Z' };
  const made = must(
    await createMediaBuy(harness.ports, harness.request(['acme'], { ...flight, packages: [wanted] })),
  );
  const id = made.state.buy?.id ?? '';
  const change = (part: JsonObject, whole: JsonObject = {}) =>
    updateMediaBuy(
      harness.ports,
      harness.change({
        media_buy_id: id,
        ...whole,
        ...(Object.keys(part).length === 0 ? {} : { packages: [{ package_id: 'acme:their-1-p1', ...part }] }),
      }),
    );
  const received = () =>
    harness.seller('acme').received.filter(({ tool }) => tool === 'update_media_buy').length;
  return { change, heard: received };
}

type Done = Awaited<ReturnType<Awaited<ReturnType<typeof bought>>['change']>>;
const faultsOf = (done: Done) => (done.ok ? [] : done.error.map(({ code, field }) => [code, field]));

describe('an update of a package', () => {
  it.each([
    ['to begin before its buy', { start_time: '2026-12-31T00:00:00Z' }, 'start_time'],
    ['to end after it', { end_time: '2028-01-02T00:00:00Z' }, 'end_time'],
    [
      'to end before it begins',
      { start_time: '2027-06-01T00:00:00Z', end_time: '2027-05-01T00:00:00Z' },
      'end_time',
    ],
    ['to begin after the end that it has', { start_time: '2027-11-01T00:00:00Z' }, 'start_time'],
    ['to end before the start that it has', { end_time: '2027-02-01T00:00:00Z' }, 'end_time'],
  ])('is refused %s, and no seller is called', async (_what, part, name) => {
    const own = { start_time: '2027-03-01T00:00:00Z', end_time: '2027-10-01T00:00:00Z' };
    const { change, heard: received } = await bought(fixed, own);
    expect(faultsOf(await change(part))).toEqual([['INVALID_REQUEST', `packages[0].${name}`]]);
    expect(received()).toBe(0);
  });

  it('is checked against the flight that the same request sets for the buy', async () => {
    const { change } = await bought(fixed);
    const later = { end_time: '2028-03-01T00:00:00Z' };
    expect(faultsOf(await change(later, { end_time: '2028-06-01T00:00:00Z' }))).toEqual([]);
  });

  it('lowers no budget below the minimum of its price', async () => {
    const { change, heard: received } = await bought(fixed);
    expect(faultsOf(await change({ budget: 99.99 }))).toEqual([['BUDGET_TOO_LOW', 'packages[0].budget']]);
    expect(received()).toBe(0);
    expect(faultsOf(await change({ budget: 100 }))).toEqual([]);
    expect(faultsOf(await change({ budget: 1, canceled: true }))).toEqual([]);
  });

  it('bids no less than the floor of an auction, and a bid on a fixed price is a finding', async () => {
    const atAuction = await bought(auction, { bid_price: 5 });
    expect(faultsOf(await atAuction.change({ bid_price: 3.99 }))).toEqual([
      ['INVALID_REQUEST', 'packages[0].bid_price'],
    ]);
    expect(faultsOf(await atAuction.change({ bid_price: 4 }))).toEqual([]);
    const atPrice = await bought(fixed);
    const done = await atPrice.change({ bid_price: 3 });
    expect(done.ok ? done.value.findings.map(({ code, field }) => [code, field]) : done.error).toEqual([
      ['BID_ON_FIXED_PRICE', 'packages[0].bid_price'],
    ]);
  });
});

describe('an update of the flight', () => {
  it('moves no start before today, and may repeat the current one', async () => {
    const { change, heard: received } = await bought(fixed);
    const past = { start_time: '2020-01-01T00:00:00Z' };
    expect(faultsOf(await change({}, past))).toEqual([['INVALID_REQUEST', 'start_time']]);
    expect(received()).toBe(0);
    expect(faultsOf(await change({}, { start_time: '2027-01-01T00:00:00Z', paused: true }))).toEqual([]);
  });
});
