import { describe, expect, it } from '@jest/globals';
import type { Form } from '@switchyard/protocol';
import { openBuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { OperationDraft } from '../model/operation-store.js';
import type { OperationState } from '../model/operation-state.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import { creativeEffects } from './creative-effects.js';

const format = { agent_url: 'https://formats.example', id: 'banner' };
const spot = { creative_id: 'spot', name: 'Spot', format_id: format, assets: {} };
const byKind = { creative_id: 'kind', name: 'Kind', format_kind: 'image', assets: {} };

async function bought(form: Form = '3.1') {
  const harness = await openBuyingHarness({
    acme: { isIdempotent: true, form },
    bravo: { isIdempotent: true },
  });
  const line = (seller: string): JsonObject => ({
    product_id: `${seller}:ctv`,
    pricing_option_id: 'cpm',
    budget: 1000,
  });
  const creatives = { creatives: [spot, byKind], creative_assignments: [{ creative_id: 'older' }] };
  const packages = [{ ...line('acme'), ...creatives }, line('bravo')];
  const { state } = must(
    await createMediaBuy(harness.ports, harness.request(['acme', 'bravo'], { packages })),
  );
  const idOf = (seller: string): string =>
    `${seller}:${state.packages.find((item) => item.seller === seller)?.sellerPackageId ?? ''}`;
  return { harness, state, acme: idOf('acme'), bravo: idOf('bravo') };
}

function effectsAt(state: OperationState, seller: string) {
  const leg = state.legs.find((candidate) => candidate.seller === seller);
  if (leg === undefined) throw new Error(`There is no leg at ${seller}.`);
  const { placements, assignments, released } = creativeEffects(state, leg);
  return {
    held: placements.map(({ creativeId, isAccepted }) => [creativeId, isAccepted]),
    assigned: assignments.map(({ creativeId, packageId }) => `${creativeId} ${packageId}`).sort(),
    released: released ?? [],
  };
}

describe('a buy that a seller has made', () => {
  it('adds its creatives to the seller’s library, assigned to its package', async () => {
    const { state, acme } = await bought();
    expect(effectsAt(state, 'acme')).toMatchObject({
      held: [
        ['spot', true],
        ['kind', true],
      ],
      assigned: [`kind ${acme}`, `older ${acme}`, `spot ${acme}`],
    });
    expect(effectsAt(state, 'bravo')).toEqual({ held: [], assigned: [], released: [] });
  });

  it('adds no creatives that its form could not carry', async () => {
    const { state, acme } = await bought('2.5');
    expect(state.legs[0]?.findings.map(({ code }) => code)).toContain('CREATIVE_LEFT_OUT');
    expect(effectsAt(state, 'acme')).toMatchObject({
      held: [['spot', true]],
      assigned: [`older ${acme}`, `spot ${acme}`],
    });
  });
});

describe('a buy with creatives', () => {
  const packages = [
    { product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 1000, creatives: [spot, byKind] },
  ];
  async function draftedAt(form: Form, fate?: JsonObject) {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true, form } });
    if (fate !== undefined) harness.seller('acme').fate('create_media_buy', { says: fate });
    const drafts: OperationDraft[] = [];
    const store: typeof harness.store = {
      ...harness.store,
      begin: (scope, draft) => {
        drafts.push(draft);
        return harness.store.begin(scope, draft);
      },
    };
    const { state } = must(
      await createMediaBuy({ ...harness.ports, store }, harness.request(['acme'], { packages })),
    );
    const [leg] = state.legs;
    if (leg === undefined) throw new Error('There is no leg.');
    return { claimed: drafts[0]?.creatives?.placements, state, leg };
  }

  it.each<[Form, readonly string[]]>([
    ['3.1', ['spot', 'kind']],
    ['2.5', ['spot']],
  ])('claims their ids at its seller before it is sent: of %s those that it contains', async (form, ids) => {
    const { claimed, leg } = await draftedAt(form);
    const at = { connectionId: leg.connectionId, seller: 'acme', legId: leg.id };
    expect(claimed).toEqual(ids.map((creativeId) => ({ creativeId, ...at })));
  });

  it('releases them when the seller refuses it, and keeps them while it may still be made', async () => {
    const refused = await draftedAt('3.1', { errors: [{ code: 'POLICY_VIOLATION', message: 'No.' }] });
    expect(refused.leg.status).toBe('failed');
    expect(creativeEffects(refused.state, refused.leg)).toEqual({
      placements: [],
      assignments: [],
      withdrawnBy: refused.leg.id,
    });
    const awaited = await draftedAt('3.1', { status: 'submitted', task_id: 'theirs' });
    expect(awaited.leg.status).toBe('submitted');
    expect(creativeEffects(awaited.state, awaited.leg)).toEqual({ placements: [], assignments: [] });
  });
});

describe('an update that a seller has accepted', () => {
  async function changed(members: (ids: { acme: string; bravo: string }) => JsonObject) {
    const { harness, state, acme, bravo } = await bought();
    const change = harness.change({ media_buy_id: state.buy?.id ?? '', ...members({ acme, bravo }) });
    const done = must(await updateMediaBuy(harness.ports, change));
    return { state: done.state, acme, bravo };
  }

  it('replaces the assigned creatives by those that it names, and adds those that come with it', async () => {
    const { state, acme } = await changed((ids) => ({
      packages: [{ package_id: ids.acme, creative_assignments: [{ creative_id: 'new' }], creatives: [spot] }],
    }));
    expect(effectsAt(state, 'acme')).toEqual({
      held: [['spot', true]],
      assigned: [`new ${acme}`, `spot ${acme}`],
      released: [{ packageId: acme, remaining: ['new', 'spot'] }],
    });
  });

  it('removes no assignment if it names no creatives', async () => {
    const { state } = await changed(({ acme }) => ({ packages: [{ package_id: acme, budget: 7 }] }));
    expect(effectsAt(state, 'acme')).toEqual({ held: [], assigned: [], released: [] });
  });

  it('assigns to a package that it has added', async () => {
    const line = { product_id: 'bravo:ctv', pricing_option_id: 'cpm', budget: 5, creatives: [spot] };
    const { state } = await changed(() => ({ new_packages: [line] }));
    const added = state.packages.find((item) => item.legId === state.legs[0]?.id)?.sellerPackageId;
    expect(added).toEqual(expect.any(String));
    expect(effectsAt(state, 'bravo')).toMatchObject({
      held: [['spot', true]],
      assigned: [`spot bravo:${added ?? ''}`],
    });
  });

  it('removes the assignments of a canceled package, and of every package of a canceled buy', async () => {
    const one = await changed(({ acme }) => ({ packages: [{ package_id: acme, canceled: true }] }));
    expect(effectsAt(one.state, 'acme').released).toEqual([{ packageId: one.acme, remaining: [] }]);
    const all = await changed(() => ({ canceled: true }));
    for (const [seller, packageId] of [
      ['acme', all.acme],
      ['bravo', all.bravo],
    ] as const)
      expect(effectsAt(all.state, seller).released).toEqual([{ packageId, remaining: [] }]);
  });
});
