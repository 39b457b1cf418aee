import { describe, expect, it } from '@jest/globals';
import { readCreative } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { creativeEffects } from './creative-effects.js';
import type { CreativeOwnership, LibraryCreative, Placement } from '../model/creative-library.js';
import { endingAt, nameOfLocal } from '../model/name-at-seller.js';

const format = { agent_url: 'https://formats.example', id: 'banner' };
const spot = { creative_id: 'spot', name: 'Spot', format_id: format, assets: {} };

/** A library in which `spot` stands like this at acme, whose account another tenant may use as well. */
function libraryOf(harness: BuyingHarness, placement?: Partial<Placement>): CreativeOwnership {
  const connectionId = harness.connection('acme').id;
  const stored: LibraryCreative = {
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
    byIds: () => Promise.resolve(new Map([['spot', stored]])),
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
const receivedIds = (harness: BuyingHarness): readonly unknown[] =>
  harness
    .seller('acme')
    .received.flatMap(({ args }) =>
      [args['packages'], args['new_packages']].flatMap((listed) =>
        ((listed ?? []) as JsonObject[]).flatMap((item) =>
          [item['creatives'], item['creative_assignments']].flatMap((named) =>
            ((named ?? []) as JsonObject[]).map(({ creative_id: id }) => id),
          ),
        ),
      ),
    );
const legAt = ({ legs }: OperationState, seller: string): Leg => {
  const leg = legs.find((candidate) => candidate.seller === seller);
  if (leg === undefined) throw new Error(`There is no leg at ${seller}.`);
  return leg;
};
const open = () => openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });

describe('a buy over an account that another tenant shares', () => {
  it('is refused before any seller is called if it names a creative that its library does not contain', async () => {
    const harness = await open();
    const request = harness.request(['bravo', 'acme'], { packages: packagesWith(unknown) });
    const done = await createMediaBuy({ ...harness.ports, creatives: libraryOf(harness) }, request);
    const field = 'packages[1].creative_ids';
    expect(done).toMatchObject({
      ok: false,
      error: [{ code: 'CREATIVE_NOT_FOUND', field, details: { seller: 'acme' } }],
    });
    expect([harness.seller('acme').received, harness.seller('bravo').received]).toEqual([[], []]);
  });

  it.each<[string, Partial<Placement> | undefined, boolean]>([
    ['there is none of ours', undefined, true],
    ['ours was archived there', { syncedAt: 1, status: 'archived' }, true],
    ['ours was refused there', { status: 'failed' }, true],
    ['the seller has taken ours as well', { syncedAt: 1 }, false],
    ['ours is on its way there', { status: 'pending' }, false],
  ])('brings a creative, and if %s: %j under another id: %s', async (_when, placement, isOurs) => {
    const harness = await open();
    const connectionId = harness.connection('acme').id;
    const request = harness.request(['bravo', 'acme'], { packages: packagesWith(brings) });
    const done = must(
      await createMediaBuy({ ...harness.ports, creatives: libraryOf(harness, placement) }, request),
    );
    expect(receivedIds(harness)).toEqual([isOurs ? nameOfLocal('spot', connectionId) : 'spot']);
    expect(JSON.stringify(done.state.legs.map(({ answer }) => answer))).not.toContain(endingAt(connectionId));
    const stored = creativeEffects(done.state, legAt(done.state, 'acme'));
    expect(stored.placements).toMatchObject([{ creativeId: 'spot', isAccepted: true }]);
    expect(stored.placements[0]?.sellerCreativeId).toBe(
      isOurs ? nameOfLocal('spot', connectionId) : undefined,
    );
    expect(stored.assignments).toMatchObject([{ creativeId: 'spot' }]);
  });

  it('names its own creative by its id at the seller, whoever shares the account now', async () => {
    const harness = await open();
    const library = libraryOf(harness, {
      syncedAt: 1,
      sellerCreativeId: nameOfLocal('spot', harness.connection('acme').id),
    });
    const request = harness.request(['bravo', 'acme'], { packages: packagesWith(names) });
    const alone = { ...library, sharedConnections: () => Promise.resolve(new Set<string>()) };
    for (const creatives of [library, alone]) {
      const { idempotencyKey: _first, ...again } = request.request;
      const done = await createMediaBuy({ ...harness.ports, creatives }, { ...request, request: again });
      expect(done.ok).toBe(true);
      expect(receivedIds(harness).at(-1)).toBe(nameOfLocal('spot', harness.connection('acme').id));
    }
  });

  it.each<[string, Partial<Placement> | undefined, boolean]>([
    ['was never sent there', undefined, true],
    ['was refused there', { status: 'failed' }, true],
    ['was archived there', { syncedAt: 1, status: 'archived' }, true],
    ['may not get there', { status: 'pending' }, true],
    ['stands there', { syncedAt: 1 }, false],
  ])('includes a creative of its library that %s: %j %s', async (_where, placement, isSent) => {
    const harness = await open();
    const request = harness.request(['bravo', 'acme'], { packages: packagesWith(names) });
    const done = await createMediaBuy(
      { ...harness.ports, creatives: libraryOf(harness, placement) },
      request,
    );
    expect(done.ok).toBe(true);
    const [sent] = harness.seller('acme').received.flatMap(({ args }) => args['packages'] as JsonObject[]);
    const isKnown = placement?.status === 'pending' || !isSent;
    const name = isKnown ? 'spot' : nameOfLocal('spot', harness.connection('acme').id);
    expect(sent).toMatchObject(
      isSent ? { creatives: [{ creative_id: name }] } : { creative_assignments: [{ creative_id: name }] },
    );
    expect(
      harness
        .seller('bravo')
        .received.map(({ args }) => JSON.stringify(args))
        .join(),
    ).not.toContain('spot');
  });

  it('is not changed by an unknown creative, and sends its own under another id: on an existing package and on a new one', async () => {
    const harness = await open();
    const made = must(await createMediaBuy(harness.ports, harness.request(['bravo', 'acme'])));
    const { buy, packages } = made.state;
    const item = packages.find(({ seller }) => seller === 'acme');
    const before = harness.seller('acme').received.length;
    const change = (more: JsonObject) =>
      updateMediaBuy(
        { ...harness.ports, creatives: libraryOf(harness) },
        harness.change({ media_buy_id: buy?.id ?? '', ...more }),
      );
    const standing = { package_id: `acme:${item?.sellerPackageId ?? ''}` };
    expect(await change({ packages: [{ ...standing, ...unknown }] })).toMatchObject({
      error: [{ code: 'CREATIVE_NOT_FOUND', field: 'packages[0].creative_assignments' }],
    });
    expect(harness.seller('acme').received).toHaveLength(before);
    const ours = nameOfLocal('spot', harness.connection('acme').id);
    expect((await change({ packages: [{ ...standing, ...brings }] })).ok).toBe(true);
    expect(receivedIds(harness)).toEqual([ours]);
    expect((await change({ new_packages: [{ ...line('acme'), ...brings }] })).ok).toBe(true);
    expect(receivedIds(harness)).toEqual([ours, ours]);
  });
});
