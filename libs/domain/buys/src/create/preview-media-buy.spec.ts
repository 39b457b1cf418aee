import { describe, expect, it } from '@jest/globals';
import { taskError } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { err, must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from './create-media-buy.js';
import { rateIn, standingsOf, type SpendingLimit } from '../model/limit.js';
import { previewMediaBuy } from './preview-media-buy.js';

const both = { acme: { isIdempotent: true }, bravo: { isIdempotent: true, form: '2.5' as const } };

const portsOf = ({ ports }: BuyingHarness, limits: readonly SpendingLimit[] = []) => ({
  ...ports,
  standings: (_scope: unknown, { parts }: { readonly parts: Parameters<typeof standingsOf>[0] }) =>
    Promise.resolve(
      standingsOf(
        parts,
        limits.map((limit) => ({ limit, sums: [] })),
        rateIn([]),
      ),
    ),
});

const eachBuy = (above: SpendingLimit['above']): SpendingLimit => ({
  ...{ id: 'l', kind: 'each_buy', key: '', amount: 1_500_000_000n, currency: 'USD', above, createdAt: 0 },
});

const shows = (price: number): { readonly says: JsonObject } => ({
  says: {
    products: [
      {
        ...{ product_id: 'ctv', name: 'Connected TV', description: 'x', delivery_type: 'guaranteed' },
        publisher_properties: [{ publisher_domain: 'pub.example', selection_type: 'all' }],
        format_ids: [],
        pricing_options: [
          { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: price },
        ],
      },
    ],
  },
});

async function preview(harness: BuyingHarness, sellers: readonly string[], limits?: SpendingLimit[]) {
  return must(await previewMediaBuy(portsOf(harness, limits), harness.request(sellers)));
}

describe('a dry run of a buy', () => {
  it('stores nothing, uses no key, and only reads the catalogues of sellers', async () => {
    const harness = await openBuyingHarness(both);
    const found = await preview(harness, ['acme', 'bravo']);
    expect(found).toMatchObject({
      ...{ outcome: 'sent', currency: 'USD', totalMicros: 2_001_000_000n },
      sellers: [
        { seller: 'acme', totalMicros: 1_000_000_000n },
        { seller: 'bravo', totalMicros: 1_001_000_000n },
      ],
    });
    expect(found.sellers[0]?.findings).toEqual([]);
    const rows = harness.store.rowsOf(harness.scope);
    expect([rows.operations.size, rows.legs.size, rows.buys.size]).toEqual([0, 0, 0]);
    for (const slug of ['acme', 'bravo'])
      expect(harness.seller(slug).received.map(({ tool }) => tool)).toEqual(['get_products']);
    const made = await createMediaBuy(harness.ports, harness.request(['acme', 'bravo']));
    expect(made.ok && made.value.replayed).toBe(false);
  });

  it('reports what the release of a seller has no member for', async () => {
    const harness = await openBuyingHarness(both);
    const request = harness.request(['acme', 'bravo'], { agency_estimate_number: 'E-1', po_number: 'PO-1' });
    const found = await previewMediaBuy(portsOf(harness), request);
    const lost = found.ok
      ? found.value.sellers.map(({ findings }) =>
          findings.filter(({ code }) => code === 'NOT_CARRIED').map(({ field }) => field),
        )
      : [];
    expect(lost).toEqual([[], ['agency_estimate_number']]);
  });

  it('reports for each seller that it cannot be reached, and that its price has risen', async () => {
    const harness = await openBuyingHarness(both);
    harness.seller('acme').fate('get_products', shows(20));
    harness.seller('bravo').fate('get_products', 'drop');
    const { sellers } = await preview(harness, ['acme', 'bravo']);
    expect(sellers.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ['REQUOTE_REQUIRED'],
      ['SERVICE_UNAVAILABLE'],
    ]);
  });

  it('reports nothing for a seller that shows the product at the price of its quote', async () => {
    const harness = await openBuyingHarness(both);
    harness.seller('acme').fate('get_products', shows(12.5));
    const { sellers } = await preview(harness, ['acme']);
    expect(sellers[0]?.problems).toEqual([]);
  });

  it('names the error of a package at its seller, and is refused like the buy', async () => {
    const harness = await openBuyingHarness(both);
    const request = harness.request(['acme', 'bravo']);
    const [good, bad] = request.request.packages;
    const spoilt = {
      ...request,
      request: { ...request.request, packages: [good!, { ...bad!, budget: '0' }] },
    };
    const found = await previewMediaBuy(portsOf(harness), spoilt);
    const made = await createMediaBuy(harness.ports, spoilt);
    expect(found).toMatchObject({ ok: true, value: { outcome: 'refused', problems: [] } });
    expect(found.ok && found.value.sellers[0]?.problems).toEqual([]);
    expect(found.ok && found.value.sellers[1]?.problems).toEqual(made.ok ? [] : made.error);
  });

  it.each([
    ['ask', 'approval'],
    ['refuse', 'refused'],
  ] as const)('above a limit that would %s results in %s', async (above, outcome) => {
    const harness = await openBuyingHarness(both);
    const found = await preview(harness, ['acme', 'bravo'], [eachBuy(above)]);
    expect([found.outcome, found.limits.map(({ isExceeded }) => isExceeded)]).toEqual([outcome, [true]]);
    expect(found.problems.map(({ code }) => code)).toEqual(above === 'ask' ? [] : ['BUDGET_EXCEEDED']);
  });

  it('says which package lacks a creative that its product needs, and in which formats', async () => {
    const harness = await openBuyingHarness(both);
    for (const [key, offer] of harness.store.rowsOf(harness.scope).offers)
      if (offer.seller === 'acme')
        harness.store.rowsOf(harness.scope).offers.set(key, {
          ...{ ...offer, formatIds: [{ agentUrl: 'https://formats.example', id: 'video_30s' }] },
        });
    const found = await preview(harness, ['acme', 'bravo']);
    expect(found.sellers.map(({ missing }) => missing)).toEqual([
      [
        {
          code: 'CREATIVE_MISSING',
          message: 'acme:ctv needs a creative, and none is assigned. It takes: video_30s.',
          field: 'packages[0].creative_assignments',
        },
      ],
      [],
    ]);
  });

  it('is refused to the same callers as the buy, with the same error', async () => {
    const harness = await openBuyingHarness(both);
    const refusal = [taskError('INSUFFICIENT_PERMISSIONS', 'Not here.')];
    const request = { ...harness.request(['acme']), authorize: () => Promise.resolve(err(refusal)) };
    const found = await previewMediaBuy(portsOf(harness), request);
    const made = await createMediaBuy(harness.ports, request);
    expect(found).toEqual({ ok: false, error: refusal });
    expect(found).toEqual(made);
  });
});
