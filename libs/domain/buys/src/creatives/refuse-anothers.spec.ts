import { describe, expect, it } from '@jest/globals';
import { readCreative } from '@switchyard/protocol';
import { openBuyingDesk, type BuyingDesk } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create-media-buy.js';
import { updateMediaBuy } from '../update-media-buy.js';
import type { CreativeStore, LibraryCreative, Placement } from './creative-library.js';

type Library = Pick<CreativeStore, 'byIds' | 'elsewhere'>;

const format = { agent_url: 'https://formats.example', id: 'banner' };
const spot = { creative_id: 'spot', name: 'Spot', format_id: format, assets: {} };

/** A library in which `spot` stands like this at acme, where another tenant of the account has one too. */
function libraryOf(
  desk: BuyingDesk,
  placement?: Partial<Placement>,
  theirs: readonly string[] = ['spot'],
): Library {
  const connectionId = desk.connection('acme').id;
  const kept: LibraryCreative = {
    id: 'x',
    creative: readCreative(spot, '3.1'),
    bodyHash: 'h',
    status: 'approved',
    assignments: [],
    createdAt: 0,
    updatedAt: 0,
    placements:
      placement === undefined
        ? []
        : [{ creativeId: 'spot', connectionId, seller: 'acme', status: 'approved', ...placement }],
  };
  return {
    byIds: () => Promise.resolve(new Map([['spot', kept]])),
    elsewhere: () => Promise.resolve(new Map([[connectionId, new Set(theirs)]])),
  };
}

const brings: JsonObject = { creatives: [spot] };
const names: JsonObject = { creative_assignments: [{ creative_id: 'spot' }] };
const line = (seller: string): JsonObject => ({
  product_id: `${seller}:ctv`,
  pricing_option_id: 'cpm',
  budget: 1000,
});
const packagesWith = (more: JsonObject): JsonObject[] => [line('bravo'), { ...line('acme'), ...more }];
const open = () => openBuyingDesk({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });

describe('a buy over an account that another tenant shares', () => {
  it.each<[string, JsonObject, string, string]>([
    ['brings a creative', brings, 'INVALID_REQUEST', 'packages[1].creatives'],
    ['names a creative', names, 'CREATIVE_NOT_FOUND', 'packages[1].creative_ids'],
  ])(
    'is refused where it %s under an id of theirs, before any seller hears of it',
    async (_how, more, code, field) => {
      const desk = await open();
      const request = desk.request(['bravo', 'acme'], { packages: packagesWith(more) });
      const done = await createMediaBuy({ ...desk.ports, creatives: libraryOf(desk) }, request);
      expect(done).toMatchObject({ ok: false, error: [{ code, field, details: { seller: 'acme' } }] });
      expect([desk.seller('acme').heard, desk.seller('bravo').heard]).toEqual([[], []]);
    },
  );

  it.each<[string, Partial<Placement>, boolean]>([
    ['the seller has taken ours as well', { syncedAt: 1 }, true],
    ['ours was archived there', { syncedAt: 1, status: 'archived' }, false],
    ['the seller has not taken ours', {}, false],
  ])('where %s: %j, and it goes out: %s', async (_when, placement, goesOut) => {
    const desk = await open();
    const request = desk.request(['bravo', 'acme'], { packages: packagesWith(brings) });
    const done = await createMediaBuy({ ...desk.ports, creatives: libraryOf(desk, placement) }, request);
    expect(done.ok).toBe(goesOut);
  });

  it('is told the same of a creative of theirs, of one that is nowhere, and of one of its own that is not there', async () => {
    const refusal = async (creativeId: string, theirs: readonly string[]) => {
      const desk = await open();
      const named = { creative_assignments: [{ creative_id: creativeId }] };
      const request = desk.request(['bravo', 'acme'], { packages: packagesWith(named) });
      const done = await createMediaBuy(
        { ...desk.ports, creatives: libraryOf(desk, undefined, theirs) },
        request,
      );
      expect([desk.seller('acme').heard, desk.seller('bravo').heard]).toEqual([[], []]);
      return JSON.stringify(done).replaceAll(creativeId, '<id>');
    };
    const theirs = await refusal('theirs', ['theirs']);
    expect(theirs).toContain('CREATIVE_NOT_FOUND');
    expect(await refusal('nowhere', ['theirs'])).toBe(theirs);
    expect(await refusal('spot', [])).toBe(theirs);
    expect(await refusal('spot', ['spot'])).toBe(theirs);
  });

  it.each<[string, Partial<Placement>, boolean]>([
    ['is on its way there', { status: 'pending' }, true],
    ['stands there', { syncedAt: 1 }, true],
    ['was refused there', { status: 'failed' }, false],
    ['was archived there', { syncedAt: 1, status: 'archived' }, false],
  ])('goes out with a creative of its own that %s: %j %s', async (_where, placement, goesOut) => {
    const desk = await open();
    const request = desk.request(['bravo', 'acme'], { packages: packagesWith(names) });
    const done = await createMediaBuy({ ...desk.ports, creatives: libraryOf(desk, placement, []) }, request);
    expect(done.ok).toBe(goesOut);
  });

  it('is not changed by one either: neither on a package that stands nor on a new one', async () => {
    const desk = await open();
    const made = await createMediaBuy(desk.ports, desk.request(['bravo', 'acme']));
    if (!made.ok) throw new Error(JSON.stringify(made.error));
    const { buy, packages } = made.value.state;
    const item = packages.find(({ seller }) => seller === 'acme');
    const before = desk.seller('acme').heard.length;
    const change = (more: JsonObject) =>
      updateMediaBuy(
        { ...desk.ports, creatives: libraryOf(desk) },
        desk.change({ media_buy_id: buy?.id ?? '', ...more }),
      );
    const standing = { package_id: `acme:${item?.sellerPackageId ?? ''}` };
    expect(await change({ packages: [{ ...standing, ...brings }] })).toMatchObject({
      error: [{ code: 'INVALID_REQUEST', field: 'packages[0].creatives' }],
    });
    expect(await change({ packages: [{ ...standing, ...names }] })).toMatchObject({
      error: [{ code: 'CREATIVE_NOT_FOUND', field: 'packages[0].creative_assignments' }],
    });
    expect(await change({ new_packages: [{ ...line('acme'), ...brings }] })).toMatchObject({
      error: [{ code: 'INVALID_REQUEST', field: 'new_packages[0].creatives' }],
    });
    expect(desk.seller('acme').heard).toHaveLength(before);
  });
});
