import { describe, expect, it } from '@jest/globals';
import { readCreative } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import type { LibraryCreative, Placement } from '../model/creative-library.js';

const both = { acme: { isIdempotent: true }, bravo: { isIdempotent: true } };

function libraryOf(placements: readonly Placement[]): ReadonlyMap<string, LibraryCreative> {
  const creative = readCreative({ creative_id: 'spot', name: 'Spot', assets: {} }, '3.1');
  const dates = { createdAt: 0, updatedAt: 0 };
  const stored = { id: 'x', creative, bodyHash: 'h', status: 'approved', assignments: [], ...dates } as const;
  return new Map([['spot', { ...stored, placements }]]);
}

/** Buys at both sellers with these creatives named by id, and gives what is said of each seller's part. */
async function findings(
  harness: BuyingHarness,
  library: ReadonlyMap<string, LibraryCreative>,
  creativeIds: readonly string[],
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const request = harness.request(['acme', 'bravo']);
  const packages = request.request.packages.map((item) => ({ ...item, creativeIds }));
  const creatives = {
    byIds: () => Promise.resolve(library),
    sharedConnections: () => Promise.resolve(new Set<string>()),
  };
  const done = must(
    await createMediaBuy(
      { ...harness.ports, creatives },
      { ...request, request: { ...request.request, packages } },
    ),
  );
  return Object.fromEntries(
    done.state.legs.map((leg) => [
      leg.seller,
      leg.findings.filter(({ code }) => code === 'CREATIVE_NOT_AT_SELLER'),
    ]),
  );
}

function at(harness: BuyingHarness, seller: string, more: Partial<Placement>): Placement {
  return {
    creativeId: 'spot',
    connectionId: harness.connection(seller).id,
    seller,
    status: 'approved',
    ...more,
  };
}

describe('a package that names a creative of the library', () => {
  it('has a finding with the seller that has not accepted it, and what to do', async () => {
    const harness = await openBuyingHarness(both);
    const library = libraryOf([at(harness, 'acme', { syncedAt: 1 })]);
    expect(await findings(harness, library, ['spot'])).toEqual({
      acme: [],
      bravo: [
        {
          code: 'CREATIVE_NOT_AT_SELLER',
          field: 'packages[1].creative_ids',
          message: expect.stringMatching(/spot.*bravo has not taken it: call sync_creatives .* assignment/),
        },
      ],
    });
  });

  it('has the same finding if the seller refused or deleted it', async () => {
    const harness = await openBuyingHarness(both);
    const library = libraryOf([
      at(harness, 'acme', { status: 'failed' }),
      at(harness, 'bravo', { status: 'archived', syncedAt: 1 }),
    ]);
    const received = await findings(harness, library, ['spot']);
    expect([received['acme']?.length, received['bravo']?.length]).toEqual([1, 1]);
  });

  it('has no finding for a creative outside the library: its seller may know it from elsewhere', async () => {
    const harness = await openBuyingHarness(both);
    expect(await findings(harness, libraryOf([]), ['theirs'])).toEqual({ acme: [], bravo: [] });
  });
});

describe('an update of a buy that names a creative of the library', () => {
  async function changed(members: (ids: Readonly<Record<'acme' | 'bravo', string>>) => JsonObject) {
    const harness = await openBuyingHarness(both);
    const bought = await createMediaBuy(harness.ports, harness.request(['acme', 'bravo']));
    if (!bought.ok || bought.value.state.buy === undefined) throw new Error('It should be bought.');
    const { buy, packages } = bought.value.state;
    const idAt = (seller: string): string =>
      `${seller}:${packages.find((item) => item.seller === seller)?.sellerPackageId ?? ''}`;
    const library = libraryOf([at(harness, 'acme', { syncedAt: 1 })]);
    const done = must(
      await updateMediaBuy(
        {
          ...harness.ports,
          creatives: {
            byIds: () => Promise.resolve(library),
            sharedConnections: () => Promise.resolve(new Set<string>()),
          },
        },
        harness.change({ media_buy_id: buy.id, ...members({ acme: idAt('acme'), bravo: idAt('bravo') }) }),
      ),
    );
    const { legs } = done.state;
    return {
      state: done.state,
      told: Object.fromEntries(
        legs.map((leg) => [
          leg.seller,
          leg.findings.filter(({ code }) => code === 'CREATIVE_NOT_AT_SELLER').map(({ field }) => field),
        ]),
      ),
    };
  }
  const spot = { creative_assignments: [{ creative_id: 'spot' }] };

  it('has a finding with the seller that has not accepted it, by its place in the request', async () => {
    const { told } = await changed(({ acme, bravo }) => ({
      packages: [
        { package_id: acme, ...spot },
        { package_id: bravo, ...spot },
      ],
    }));
    expect(told).toEqual({ acme: [], bravo: ['packages[1].creative_assignments'] });
  });

  it('has the same finding for a package that is to be added', async () => {
    const line = { product_id: 'bravo:ctv', pricing_option_id: 'cpm', budget: 5, ...spot };
    const { told } = await changed(() => ({ new_packages: [line] }));
    expect(told).toEqual({ bravo: ['new_packages[0].creative_ids'] });
  });

  it('has no finding for a creative that comes with the package, because it is added to the library', async () => {
    const brought = { creative_id: 'spot', name: 'Spot', format_kind: 'image', assets: {} };
    const { told } = await changed(({ bravo }) => ({
      packages: [{ package_id: bravo, ...spot, creatives: [brought] }],
    }));
    expect(told).toEqual({ bravo: [] });
  });
});
