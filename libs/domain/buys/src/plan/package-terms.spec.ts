import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { openBuyingHarness } from '@switchyard/testing';
import { createMediaBuy } from '../create/create-media-buy.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import type { Offer } from '../model/offer.js';

const format = { agent_url: 'https://f.example/', id: 'd', width: 300, height: 250 };

/** A buy of one package that asks for this, of a product that was quoted so. */
async function buying(more: JsonObject, quoted: Partial<Offer> = {}, start = '2026-12-01T00:00:00Z') {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const [offer] = (await harness.store.offers(harness.scope, ['acme:ctv'])).values();
  if (offer === undefined) throw new Error('acme offers nothing.');
  const connectionId = harness.connection('acme').id;
  await harness.store.saveOffers(harness.scope, [{ connectionId, offer: { ...offer, ...quoted } }]);
  const package_ = { product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 1_000, ...more };
  const made = await createMediaBuy(
    harness.ports,
    harness.request(['acme'], {
      start_time: start,
      end_time: '2027-01-01T00:00:00Z',
      packages: [package_],
    }),
  );
  return { harness, made };
}

const reported = ({ made }: Awaited<ReturnType<typeof buying>>) =>
  made.ok ? [] : made.error.map(({ code, field }) => `${code} ${field ?? ''}`);

describe('the requested terms of a package', () => {
  it.each([
    [
      'a time before the flight',
      { start_time: '2026-11-30T00:00:00Z' },
      'INVALID_REQUEST packages[0].start_time',
    ],
    ['a time after it', { end_time: '2027-01-02T00:00:00Z' }, 'INVALID_REQUEST packages[0].end_time'],
    [
      'an end before its start',
      { start_time: '2026-12-20T00:00:00Z', end_time: '2026-12-10T00:00:00Z' },
      'INVALID_REQUEST packages[0].end_time',
    ],
    [
      'a format that the product does not take',
      { format_ids: [format, { agent_url: 'https://f.example', id: 'other' }] },
      'UNSUPPORTED_FEATURE packages[0].format_ids[1]',
    ],
  ])('are compared with the buy and the quote: %s', async (_what, more, expected) => {
    const tried = await buying(more, { formatIds: [{ agentUrl: 'https://f.example', id: 'd' }] });
    expect(reported(tried)).toEqual([expected]);
    expect(tried.harness.seller('acme').received).toEqual([]);
  });

  it('are compared with everything of a quoted format: its length as well as its size', async () => {
    const spot = { agent_url: 'https://f.example', id: 'spot', duration_ms: 15_000 };
    const longer = { formatIds: [{ agentUrl: 'https://f.example', id: 'spot', durationMs: 30_000 }] };
    expect(reported(await buying({ format_ids: [spot] }, longer))).toEqual([
      'UNSUPPORTED_FEATURE packages[0].format_ids[0]',
    ]);
    expect(reported(await buying({ format_ids: [{ ...spot, duration_ms: 30_000 }] }, longer))).toEqual([]);
  });

  it('are accepted if they fit, and if nothing contradicts them', async () => {
    const fitting = {
      start_time: '2026-12-01T00:00:00Z',
      end_time: '2027-01-01T00:00:00Z',
      format_ids: [format],
    };
    expect(
      reported(await buying(fitting, { formatIds: [{ agentUrl: 'https://f.example', id: 'd' }] })),
    ).toEqual([]);
    expect(reported(await buying({ format_ids: [format] }))).toEqual([]);
  });

  it('are refused for an expired quote', async () => {
    expect(reported(await buying({}, { expiresAt: 1 }))).toEqual(['PRODUCT_EXPIRED packages[0].product_id']);
    expect(reported(await buying({}, { expiresAt: Number.MAX_SAFE_INTEGER }))).toEqual([]);
  });

  it('begin with the buy if that begins at once, and not before today', async () => {
    const tried = await buying({ start_time: '2020-01-01T00:00:00Z' }, {}, 'asap');
    expect(reported(tried)).toEqual(['INVALID_REQUEST packages[0].start_time']);
    expect(reported(await buying({ start_time: '2026-12-24T00:00:00Z' }, {}, 'asap'))).toEqual([]);
  });

  it('are also checked in added packages', async () => {
    const { harness, made } = await buying({});
    const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
    const fresh = {
      product_id: 'acme:ctv',
      pricing_option_id: 'cpm',
      budget: 10,
      end_time: '2027-06-01T00:00:00Z',
    };
    const late = await updateMediaBuy(
      harness.ports,
      harness.change({ media_buy_id: id, new_packages: [fresh] }),
    );
    expect(late.ok ? [] : late.error.map(({ field }) => field)).toEqual(['new_packages[0].end_time']);
    const longer = { media_buy_id: id, end_time: '2027-07-01T00:00:00Z', new_packages: [fresh] };
    expect((await updateMediaBuy(harness.ports, harness.change(longer))).ok).toBe(true);
  });
});
