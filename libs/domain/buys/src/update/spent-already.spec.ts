import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { LastFigure } from '../model/last-figures.js';
import { updateMediaBuy } from './update-media-buy.js';

/** A buy of two sellers, 1000 and 1001 dollars, of which one has reported 400.5 as spent. */
async function running(over: Partial<LastFigure> = {}) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const { state } = must(await createMediaBuy(harness.ports, harness.request(['acme', 'bravo'])));
  const packages = new Map(state.packages.map((item) => [item.seller, item.sellerPackageId ?? '']));
  const figure: LastFigure = {
    seller: 'acme',
    packageRef: packages.get('acme') ?? '',
    spendMicros: 400_500_000n,
    asOf: Date.parse('2026-03-01T00:00:00Z'),
    ...over,
  };
  const figures = { deliveredBy: () => Promise.resolve([figure]) };
  const idAt = (seller: string): string => `${seller}:${packages.get(seller) ?? ''}`;
  const change = (requested: readonly JsonObject[], ports = { ...harness.ports, figures }) =>
    updateMediaBuy(ports, harness.change({ media_buy_id: state.buy?.id ?? '', packages: [...requested] }));
  return { harness, idAt, change };
}

const updates = (harness: BuyingHarness): readonly string[] =>
  ['acme', 'bravo'].flatMap((slug) =>
    harness.seller(slug).received.flatMap(({ tool }) => (tool === 'update_media_buy' ? [slug] : [])),
  );

describe('a budget below the current spend', () => {
  it('is refused before any seller is called, with the reported amount and its time', async () => {
    const { harness, idAt, change } = await running();
    const done = await change([
      { package_id: idAt('bravo'), budget: 10 },
      { package_id: idAt('acme'), budget: 400.49 },
    ]);
    expect(done.ok ? [] : done.error).toEqual([
      expect.objectContaining({
        code: 'BUDGET_TOO_LOW',
        recovery: 'correctable',
        field: 'packages[1].budget',
        details: {
          seller: 'acme',
          package_id: idAt('acme'),
          spend: 400.5,
          currency: 'USD',
          as_of: '2026-03-01T00:00:00.000Z',
        },
      }),
    ]);
    expect(updates(harness)).toEqual([]);
  });

  it.each<[string, Partial<LastFigure>, JsonObject]>([
    ['is exactly what is spent', {}, { budget: 400.5 }],
    ['goes up, however much was overspent', { spendMicros: 5_000_000_000n }, { budget: 1_200 }],
    ['is of a package that nothing was reported of', { packageRef: 'another' }, { budget: 1 }],
    ['is of a package that the same change ends', {}, { budget: 1, canceled: true }],
    ['is not what the change is about', { spendMicros: 5_000_000_000n }, { paused: true }],
  ])('is accepted if it %s', async (_what, over, requested) => {
    const { harness, idAt, change } = await running(over);
    const done = await change([{ package_id: idAt('acme'), ...requested }]);
    expect(done.ok ? [] : done.error).toEqual([]);
    expect(updates(harness)).toEqual(['acme']);
  });

  it('is left to the seller if no report is known', async () => {
    const { harness, idAt, change } = await running();
    expect((await change([{ package_id: idAt('acme'), budget: 1 }], { ...harness.ports } as never)).ok).toBe(
      true,
    );
    expect(updates(harness)).toEqual(['acme']);
  });
});
