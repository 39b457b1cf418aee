import { describe, expect, it } from '@jest/globals';
import { readCreative } from '@switchyard/protocol';
import { openBuyingDesk, type BuyingDesk } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-store.js';
import { creativeEffects } from './creative-effects.js';
import type { CreativeOwnership, LibraryCreative, Placement } from './creative-library.js';
import { endingAt, nameOfOurs } from './name-at-seller.js';

const format = { agent_url: 'https://formats.example', id: 'banner' };
const spot = { creative_id: 'spot', name: 'Spot', format_id: format, assets: {} };

/** A library in which `spot` stands like this at acme, whose account another tenant may use as well. */
function libraryOf(desk: BuyingDesk, placement?: Partial<Placement>): CreativeOwnership {
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
    sharedConnections: () => Promise.resolve(new Set([connectionId])),
  };
}

const brings: JsonObject = { creatives: [spot] };
const unknown: JsonObject = { creative_assignments: [{ creative_id: 'unknown' }] };
const names: JsonObject = { creative_assignments: [{ creative_id: 'spot' }] };
const line = (seller: string): JsonObject => ({
  product_id: `${seller}:ctv`,
  pricing_option_id: 'cpm',
  budget: 1000,
});
const packagesWith = (more: JsonObject): JsonObject[] => [line('bravo'), { ...line('acme'), ...more }];
/** The creatives that acme was sent, by the ids that it heard, call by call. */
const idsHeard = (desk: BuyingDesk): readonly unknown[] =>
  desk
    .seller('acme')
    .heard.flatMap(({ args }) =>
      [args['packages'], args['new_packages']].flatMap((listed) =>
        ((listed ?? []) as JsonObject[]).flatMap((item) =>
          [item['creatives'], item['creative_assignments']].flatMap((named) =>
            ((named ?? []) as JsonObject[]).map(({ creative_id: id }) => id),
          ),
        ),
      ),
    );
const legAt = ({ legs }: OperationState, seller: string): Leg => {
  const leg = legs.find((one) => one.seller === seller);
  if (leg === undefined) throw new Error(`There is no leg at ${seller}.`);
  return leg;
};
const open = () => openBuyingDesk({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });

describe('a buy over an account that another tenant shares', () => {
  it('is refused where it names a creative that its library does not know, before any seller hears of it', async () => {
    const desk = await open();
    const request = desk.request(['bravo', 'acme'], { packages: packagesWith(unknown) });
    const done = await createMediaBuy({ ...desk.ports, creatives: libraryOf(desk) }, request);
    const field = 'packages[1].creative_ids';
    expect(done).toMatchObject({
      ok: false,
      error: [{ code: 'CREATIVE_NOT_FOUND', field, details: { seller: 'acme' } }],
    });
    expect([desk.seller('acme').heard, desk.seller('bravo').heard]).toEqual([[], []]);
  });

  it.each<[string, Partial<Placement> | undefined, boolean]>([
    ['there is none of ours', undefined, true],
    ['ours was archived there', { syncedAt: 1, status: 'archived' }, true],
    ['ours was refused there', { status: 'failed' }, true],
    ['the seller has taken ours as well', { syncedAt: 1 }, false],
    ['ours is on its way there', { status: 'pending' }, false],
  ])('brings a creative, and where %s: %j under another id: %s', async (_when, placement, isOurs) => {
    const desk = await open();
    const connectionId = desk.connection('acme').id;
    const request = desk.request(['bravo', 'acme'], { packages: packagesWith(brings) });
    const done = await createMediaBuy({ ...desk.ports, creatives: libraryOf(desk, placement) }, request);
    if (!done.ok) throw new Error(JSON.stringify(done.error));
    expect(idsHeard(desk)).toEqual([isOurs ? nameOfOurs('spot', connectionId) : 'spot']);
    expect(JSON.stringify(done.value.state.legs.map(({ answer }) => answer))).not.toContain(
      endingAt(connectionId),
    );
    const kept = creativeEffects(done.value.state, legAt(done.value.state, 'acme'));
    expect(kept.placements).toMatchObject([{ creativeId: 'spot', taken: true }]);
    expect(kept.placements[0]?.sellerCreativeId).toBe(isOurs ? nameOfOurs('spot', connectionId) : undefined);
    expect(kept.assignments).toMatchObject([{ creativeId: 'spot' }]);
  });

  it('names a creative of its own by the id that the seller has it under, whoever shares the account now', async () => {
    const desk = await open();
    const library = libraryOf(desk, {
      syncedAt: 1,
      sellerCreativeId: nameOfOurs('spot', desk.connection('acme').id),
    });
    const request = desk.request(['bravo', 'acme'], { packages: packagesWith(names) });
    const alone = { ...library, sharedConnections: () => Promise.resolve(new Set<string>()) };
    for (const creatives of [library, alone]) {
      const { idempotencyKey: _first, ...again } = request.request;
      const done = await createMediaBuy({ ...desk.ports, creatives }, { ...request, request: again });
      expect(done.ok).toBe(true);
      expect(idsHeard(desk).at(-1)).toBe(nameOfOurs('spot', desk.connection('acme').id));
    }
  });

  it.each<[string, Partial<Placement> | undefined, boolean]>([
    ['was never sent there', undefined, true],
    ['was refused there', { status: 'failed' }, true],
    ['was archived there', { syncedAt: 1, status: 'archived' }, true],
    ['may not get there', { status: 'pending' }, true],
    ['stands there', { syncedAt: 1 }, false],
  ])('is sent a creative of its library that %s: %j %s', async (_where, placement, isSent) => {
    const desk = await open();
    const request = desk.request(['bravo', 'acme'], { packages: packagesWith(names) });
    const done = await createMediaBuy({ ...desk.ports, creatives: libraryOf(desk, placement) }, request);
    expect(done.ok).toBe(true);
    const [sent] = desk.seller('acme').heard.flatMap(({ args }) => args['packages'] as JsonObject[]);
    const isKnown = placement?.status === 'pending' || !isSent;
    const name = isKnown ? 'spot' : nameOfOurs('spot', desk.connection('acme').id);
    expect(sent).toMatchObject(
      isSent ? { creatives: [{ creative_id: name }] } : { creative_assignments: [{ creative_id: name }] },
    );
    expect(
      desk
        .seller('bravo')
        .heard.map(({ args }) => JSON.stringify(args))
        .join(),
    ).not.toContain('spot');
  });

  it('is not changed by one that nobody here knows, and brings its own under another id: on a package that stands and on a new one', async () => {
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
    expect(await change({ packages: [{ ...standing, ...unknown }] })).toMatchObject({
      error: [{ code: 'CREATIVE_NOT_FOUND', field: 'packages[0].creative_assignments' }],
    });
    expect(desk.seller('acme').heard).toHaveLength(before);
    const ours = nameOfOurs('spot', desk.connection('acme').id);
    expect((await change({ packages: [{ ...standing, ...brings }] })).ok).toBe(true);
    expect(idsHeard(desk)).toEqual([ours]);
    expect((await change({ new_packages: [{ ...line('acme'), ...brings }] })).ok).toBe(true);
    expect(idsHeard(desk)).toEqual([ours, ours]);
  });
});
