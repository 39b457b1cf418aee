import { describe, expect, it } from '@jest/globals';
import { crashingStore, openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { updateMediaBuy as task } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import { viewBuy } from '../read/buy-view.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { followLeg } from '../run/follow-leg.js';
import { settleParkedLeg } from '../run/settle-parked-leg.js';
import { updateMediaBuy } from './update-media-buy.js';

const three = {
  acme: { isIdempotent: true },
  bravo: { isIdempotent: true, form: '2.5' as const },
  cargo: { isIdempotent: true, form: 'service' as const },
};

async function bought(
  harness: BuyingHarness,
  slugs: readonly string[],
  more: JsonObject = {},
): Promise<string> {
  const made = must(await createMediaBuy(harness.ports, harness.request(slugs, more)));
  return made.state.buy?.id ?? '';
}

async function change(harness: BuyingHarness, args: JsonObject) {
  const done = must(await updateMediaBuy(harness.ports, harness.change(args)));
  return done.state;
}

async function refusals(harness: BuyingHarness, args: JsonObject): Promise<readonly string[]> {
  const done = await updateMediaBuy(harness.ports, harness.change(args));
  return done.ok ? [] : done.error.map(({ code, field }) => `${code} ${field ?? ''}`);
}

const updatesAt = (harness: BuyingHarness, slug: string) =>
  harness.seller(slug).received.filter(({ tool }) => tool === 'update_media_buy');

describe('an update that names its buy by the buyer’s own reference', () => {
  it('is refused with that reference if there is no such buy', async () => {
    const harness = await openBuyingHarness(three);
    const mutation = harness.change({ media_buy_id: 'mb_nobody', paused: true });
    const { mediaBuyId: _id, ...request } = mutation.request;
    const named = { ...mutation, request: { ...request, buyerRef: 'spring' } };
    const done = await updateMediaBuy(harness.ports, named);
    expect(done).toMatchObject({ ok: false, error: [{ code: 'MEDIA_BUY_NOT_FOUND', field: 'buyer_ref' }] });
  });

  it('is no repetition of another update: the reference is the buy’s and no key of the update', async () => {
    const harness = await openBuyingHarness(three);
    const { idempotencyKey: _none, ...rest } = harness.request(['acme']).request;
    const made = await createMediaBuy(harness.ports, {
      ...harness.request(['acme']),
      request: { ...rest, buyerRef: 'spring' },
    });
    const mediaBuyId = made.ok ? (made.value.state.buy?.id ?? '') : '';
    const received = [];
    for (const paused of [true, false, true]) {
      const mutation = harness.change({ media_buy_id: mediaBuyId, paused });
      const { idempotencyKey: _key, mediaBuyId: _id, ...request } = mutation.request;
      const { idempotency_key: _neither, media_buy_id: _nor, ...args } = mutation.args;
      const named = { request: { ...request, buyerRef: 'spring' }, args: { ...args, buyer_ref: 'spring' } };
      const done = await updateMediaBuy(harness.ports, { ...mutation, ...named });
      received.push(done.ok ? done.value.state.buy?.status : done.error);
    }
    expect(received).toEqual(['paused', 'active', 'paused']);
  });
});

describe('an update of a buy over several sellers', () => {
  it('of the whole is sent to each of them in its own form, under its own keys and ids', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme', 'bravo', 'cargo']);
    const state = await change(harness, { media_buy_id: id, paused: true });
    expect(state.operation.status).toBe('completed');
    expect(state.buy).toMatchObject({ status: 'paused', revision: 2 });
    const [acme, bravo, cargo] = ['acme', 'bravo', 'cargo'].map((slug) => updatesAt(harness, slug)[0]!.args);
    expect(acme).toMatchObject({ media_buy_id: 'their-1', paused: true });
    expect(bravo).toMatchObject({ media_buy_id: 'their-1', paused: true });
    expect(cargo).toMatchObject({ media_buy_id: 'their-1', updates: { status: 'paused' } });
    expect(acme!['idempotency_key']).not.toBe(cargo!['idempotency_key']);
    const again = await change(harness, { media_buy_id: id, paused: false });
    expect(again.buy).toMatchObject({ status: 'active', revision: 3 });
  });

  it('of a package is sent only to its seller, and the budget follows once the seller has agreed', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme', 'bravo']);
    await change(harness, {
      media_buy_id: id,
      packages: [{ package_id: 'acme:their-1-p1', budget: 2500.5 }],
    });
    expect(updatesAt(harness, 'bravo')).toEqual([]);
    const record = await harness.store.mediaBuy(harness.scope, id);
    expect(viewBuy(record!)).toMatchObject({ totalBudget: '3501.5', revision: 2 });
    expect(await harness.store.changesOf(harness.scope, id, 10)).toMatchObject([
      { actor: 'buyer', action: 'update_packages', packageId: 'their-1-p1', detail: { budget: '2500.5' } },
    ]);
  });

  it('adds, pauses and ends packages, and ended ones no longer count', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme', 'bravo']);
    await change(harness, {
      media_buy_id: id,
      new_packages: [{ product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 40 }],
      packages: [{ package_id: 'bravo:their-1-p1', paused: true }],
    });
    const grown = viewBuy((await harness.store.mediaBuy(harness.scope, id))!);
    expect(grown.packages.map((item) => [item.packageId, item.paused])).toEqual([
      ['acme:their-1-p1', undefined],
      ['bravo:their-1-p1', true],
      ['acme:their-1-p2', undefined],
    ]);
    expect(grown.totalBudget).toBe('2041');
    await change(harness, {
      media_buy_id: id,
      packages: [{ package_id: 'acme:their-1-p2', canceled: true, cancellation_reason: 'Too broad.' }],
    });
    const shrunk = viewBuy((await harness.store.mediaBuy(harness.scope, id))!);
    expect([shrunk.totalBudget, shrunk.status, shrunk.revision]).toEqual(['2001', 'active', 3]);
    expect(shrunk.packages.at(-1)).toMatchObject({
      canceled: true,
      reportedTerms: { cancellation: { canceled_by: 'buyer', reason: 'Too broad.' } },
    });
    expect(
      await refusals(harness, {
        media_buy_id: id,
        packages: [{ package_id: 'acme:their-1-p2', canceled: true }],
      }),
    ).toEqual(['NOT_CANCELLABLE packages[0].package_id']);
  });

  it('that one seller refuses applies at the others, and its own state stays', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme', 'cargo']);
    const refusal = { errors: [{ code: 'ACTION_NOT_ALLOWED', message: 'Not here.' }] };
    harness.seller('cargo').fate('update_media_buy', { says: refusal });
    const state = await change(harness, { media_buy_id: id, paused: true });
    expect(state.sellerBuys.map(({ status }) => status)).toEqual(['paused', 'active']);
    expect(state.operation.status).toBe('completed');
    expect(state.buy?.status).toBe('active');
  });

  it('to a budget that a seller finds too low fails with the seller’s error, and our budget does not change', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme']);
    const before = viewBuy((await harness.store.mediaBuy(harness.scope, id))!).totalBudget;
    const refusal = { code: 'BUDGET_TOO_LOW', message: 'More than that is spent.', recovery: 'correctable' };
    harness.seller('acme').fate('update_media_buy', { says: { errors: [refusal] } });
    const wish = { media_buy_id: id, packages: [{ package_id: 'acme:their-1-p1', budget: 1 }] };
    const state = await change(harness, wish);
    expect(state.operation.status).toBe('failed');
    expect(state.legs[0]?.errors).toMatchObject([{ code: 'BUDGET_TOO_LOW', recovery: 'correctable' }]);
    expect(viewBuy((await harness.store.mediaBuy(harness.scope, id))!)).toMatchObject({
      totalBudget: before,
      revision: 1,
    });
  });

  it('is sent once if it is requested twice; pausing a paused buy calls no seller', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme']);
    const wish = { media_buy_id: id, paused: true, idempotency_key: 'the-same-key-for-both' };
    await change(harness, wish);
    const again = await updateMediaBuy(harness.ports, harness.change(wish));
    expect(again.ok && again.value.replayed).toBe(true);
    const idle = await change(harness, { media_buy_id: id, paused: true });
    expect(idle.operation.status).toBe('completed');
    expect(updatesAt(harness, 'acme')).toHaveLength(1);
  });

  it('pauses a buy again that its seller resumed before the start, although it still counts as paused', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme']);
    const says = (status: string, ...verbs: readonly string[]) => ({
      says: {
        media_buy_id: 'their-1',
        media_buy_status: status,
        available_actions: verbs.map((action) => ({ action, mode: 'self_serve' })),
      },
    });
    const paused = says('paused', 'resume', 'cancel');
    harness.seller('acme').fate('update_media_buy', paused, says('pending_start', 'pause', 'cancel'), paused);
    await change(harness, { media_buy_id: id, paused: true });
    const resumed = await change(harness, { media_buy_id: id, paused: false });
    expect(resumed.buy?.status).toBe('paused');
    await change(harness, { media_buy_id: id, paused: false });
    expect(updatesAt(harness, 'acme')).toHaveLength(2);
    await change(harness, { media_buy_id: id, paused: true });
    expect(updatesAt(harness, 'acme')).toHaveLength(3);
    await change(harness, { media_buy_id: id, paused: true });
    expect(updatesAt(harness, 'acme')).toHaveLength(3);
  });
});

describe('an update that reaches no seller', () => {
  const received = async (harness: BuyingHarness, args: JsonObject) => {
    const done = must(await updateMediaBuy(harness.ports, harness.change(args)));
    expect(done.state.operation.status).toBe('completed');
    return done.findings.map(({ code, field }) => [code, ...(field === undefined ? [] : [field])]);
  };

  it('reports that nothing was changed if it names nothing known, and each ignored member', async () => {
    const harness = await openBuyingHarness(three);
    const media_buy_id = await bought(harness, ['acme']);
    expect(await received(harness, { media_buy_id, spend_faster: true, updates: { louder: 2 } })).toEqual([
      ['NOTHING_CHANGED'],
      ['NOT_CARRIED', 'spend_faster'],
      ['NOT_CARRIED', 'updates.louder'],
    ]);
    expect(await received(harness, { media_buy_id, adcp_version: '3.1', context: { a: 1 } })).toEqual([
      ['NOTHING_CHANGED'],
    ]);
    expect(updatesAt(harness, 'acme')).toEqual([]);
    const { buy } = (await harness.store.mediaBuy(harness.scope, media_buy_id))!;
    expect(buy.revision).toBe(1);
  });

  it('is reported beside one that a seller applies: a misspelt member of updates is not lost', async () => {
    const harness = await openBuyingHarness(three);
    const media_buy_id = await bought(harness, ['acme']);
    expect(await received(harness, { media_buy_id, updates: { status: 'paused', end_tiem: 'x' } })).toEqual([
      ['NOT_CARRIED', 'updates.end_tiem'],
    ]);
    expect(updatesAt(harness, 'acme')).toHaveLength(1);
  });

  it('without a change reports only the ignored members', async () => {
    const harness = await openBuyingHarness(three);
    const media_buy_id = await bought(harness, ['acme']);
    expect(await received(harness, { media_buy_id, paused: false })).toEqual([]);
    expect(await received(harness, { media_buy_id, paused: false, spend_faster: true })).toEqual([
      ['NOT_CARRIED', 'spend_faster'],
    ]);
    const reporting_webhook = { url: 'https://buyer.example/hooks', operation_id: 'o' };
    expect(await received(harness, { media_buy_id, reporting_webhook })).toEqual([]);
  });
});

describe('packages with one reference', () => {
  const line = { product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 40 };

  it('cannot be named by it, and no package with an existing reference is added', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme'], {
      packages: [
        { ...line, buyer_ref: 'a' },
        { ...line, buyer_ref: 'a' },
      ],
    });
    expect(
      await refusals(harness, { media_buy_id: id, new_packages: [{ ...line, buyer_ref: 'a' }] }),
    ).toEqual(['INVALID_REQUEST new_packages[0].buyer_ref']);
    const profile = { dialect: 'adcp' as const, form: '2.5' as const };
    const args = { media_buy_id: id, packages: [{ buyer_ref: 'a', paused: true }] };
    const read = must(task.readRequest(args, profile, new Map()));
    const mutation = { ...harness.change({ media_buy_id: id }), profile, request: read, args };
    const done = await updateMediaBuy(harness.ports, mutation);
    expect(done.ok ? [] : done.error.map(({ code, field }) => [code, field])).toEqual([
      ['INVALID_REQUEST', 'packages[0].buyer_ref'],
    ]);
    expect(updatesAt(harness, 'acme')).toEqual([]);
  });
});

describe('an update that is refused before any seller is called', () => {
  it('names all its errors at once', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme', 'bravo']);
    expect(
      await refusals(harness, {
        media_buy_id: id,
        end_time: '2020-01-01T00:00:00Z',
        packages: [
          { package_id: 'acme:their-1-p1', budget: 1.234 },
          { package_id: 'acme:nobody', budget: 5 },
        ],
        new_packages: [{ product_id: 'cargo:ctv', pricing_option_id: 'cpm', budget: 5 }],
      }),
    ).toEqual([
      'INVALID_REQUEST end_time',
      'INVALID_REQUEST packages[0].budget',
      'PACKAGE_NOT_FOUND packages[1].package_id',
      'UNSUPPORTED_FEATURE new_packages[0].product_id',
    ]);
    expect(await refusals(harness, { media_buy_id: 'mb_nobody', paused: true })).toEqual([
      'MEDIA_BUY_NOT_FOUND media_buy_id',
    ]);
    expect(await refusals(harness, { media_buy_id: id, revision: 7, paused: true })).toEqual([
      'CONFLICT revision',
    ]);
    expect([...updatesAt(harness, 'acme'), ...updatesAt(harness, 'bravo')]).toEqual([]);
  });

  it('of another principal is not found, like a missing one', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme']);
    const stranger = {
      ...harness.change({ media_buy_id: id, canceled: true }),
      principalId: 'somebody-else',
    };
    const done = await updateMediaBuy(harness.ports, stranger);
    expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['MEDIA_BUY_NOT_FOUND']);
    expect(updatesAt(harness, 'acme')).toEqual([]);
  });

  it('after the end is NOT_CANCELLABLE for a second cancellation, and INVALID_STATE for the rest', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme', 'cargo']);
    await change(harness, { media_buy_id: id, canceled: true });
    expect(await refusals(harness, { media_buy_id: id, canceled: true })).toEqual([
      'NOT_CANCELLABLE media_buy_id',
    ]);
    expect(await refusals(harness, { media_buy_id: id, paused: true })).toEqual([
      'INVALID_STATE media_buy_id',
    ]);
  });

  it.each(['completed', 'rejected'] as const)(
    'is INVALID_STATE if the buy is %s, for a cancellation as well: it was never canceled',
    async (status) => {
      const harness = await openBuyingHarness(three);
      const id = await bought(harness, ['acme']);
      const { legs } = harness.store.rowsOf(harness.scope);
      const [leg] = [...legs.values()];
      await harness.store.change(harness.scope, leg?.id ?? '', (state) => ({
        ...state,
        sellerBuys: state.sellerBuys.map((sellerBuy) => ({ ...sellerBuy, status })),
        ...(state.buy === undefined ? {} : { buy: { ...state.buy, status } }),
      }));
      for (const wish of [{ canceled: true }, { paused: true }])
        expect(await refusals(harness, { media_buy_id: id, ...wish })).toEqual([
          'INVALID_STATE media_buy_id',
        ]);
      expect(updatesAt(harness, 'acme')).toEqual([]);
    },
  );

  it('while another one is in progress at the same seller is a transient conflict', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme']);
    const store = crashingStore(harness.store, 'takeLeg');
    void updateMediaBuy(
      { ...harness.ports, store: store.store },
      harness.change({ media_buy_id: id, paused: true }),
    );
    await store.died;
    expect(await refusals(harness, { media_buy_id: id, canceled: true })).toEqual(['CONFLICT media_buy_id']);
  });
});

describe('an update with a lost answer at a seller without idempotency', () => {
  async function lost(args: JsonObject) {
    const harness = await openBuyingHarness({ acme: { isIdempotent: false } });
    const id = await bought(harness, ['acme']);
    harness.seller('acme').fate('update_media_buy', 'lose');
    const updating = updateMediaBuy(harness.ports, harness.change({ media_buy_id: id, ...args }));
    for (let turn = 0; turn < 40; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      harness.clock.advance(5_000);
      const [leg] = await harness.store.dueLegs(harness.scope, harness.clock.now() + 60_000, 1);
      const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
      if (leg !== undefined) await followLeg(harness.restarted(), harness.scope, leg.id, run);
    }
    const done = await updating;
    return {
      harness,
      id,
      leg: done.ok ? await harness.store.leg(harness.scope, done.value.state.legs[0]!.id) : undefined,
    };
  }

  it('is looked up, and never sent a second time', async () => {
    const { harness, id, leg } = await lost({ paused: true });
    expect(leg).toMatchObject({ status: 'completed', observedBy: 'read_back' });
    expect(updatesAt(harness, 'acme')).toHaveLength(1);
    expect((await harness.store.mediaBuy(harness.scope, id))?.buy.status).toBe('paused');
  });

  it("waits for a person if its effect cannot be read, and ends by that person's decision", async () => {
    const { harness, leg } = await lost({
      packages: [{ package_id: 'acme:their-1-p1', targeting_overlay: { geo_countries: ['DE'] } }],
    });
    expect(leg?.status).toBe('parked');
    const verdict = { legId: leg!.id, outcome: 'made' as const, reason: 'They say so.', by: 'Ann' };
    const settled = await settleParkedLeg(harness.ports, harness.scope, verdict);
    expect(settled.ok && settled.value.operation.status).toBe('completed');
    expect(settled.ok && settled.value.legs[0]?.findings.map(({ code }) => code)).toContain(
      'SETTLED_BY_PERSON',
    );
    const twice = await settleParkedLeg(harness.ports, harness.scope, verdict);
    expect(twice.ok ? '' : twice.error.code).toBe('INVALID_STATE');
  });
});

describe('all or nothing', () => {
  const wish = { ext: { switchyard: { all_or_nothing: true } } };

  async function failing(then: (harness: BuyingHarness) => void = () => undefined) {
    const harness = await openBuyingHarness(three);
    harness
      .seller('bravo')
      .fate('create_media_buy', { says: { errors: [{ code: 'BUDGET_TOO_LOW', message: 'x' }] } });
    then(harness);
    const made = must(await createMediaBuy(harness.ports, harness.request(['acme', 'bravo', 'cargo'], wish)));
    return { harness, state: made.state };
  }

  it('cancels the made parts when one seller refuses, each at its own seller, and each is recorded', async () => {
    const { harness, state } = await failing();
    expect(state.operation.status).toBe('failed');
    expect(state.buy?.status).toBe('canceled');
    expect(harness.seller('acme').buys[0]).toMatchObject({ media_buy_status: 'canceled' });
    expect(updatesAt(harness, 'cargo')[0]?.args).toMatchObject({
      media_buy_id: 'their-1',
      updates: { status: 'canceled' },
    });
    expect(updatesAt(harness, 'bravo')).toEqual([]);
    const changes = await harness.store.changesOf(harness.scope, state.buy!.id, 10);
    expect(changes.map(({ actor, action, seller }) => `${actor} ${action} ${seller}`).toSorted()).toEqual([
      'compensation cancel acme',
      'compensation cancel cargo',
    ]);
  });

  it('keeps everything when every seller accepts, and sends no cancellation', async () => {
    const harness = await openBuyingHarness(three);
    const made = await createMediaBuy(harness.ports, harness.request(['acme', 'bravo', 'cargo'], wish));
    expect(made.ok && made.value.state.operation.status).toBe('completed');
    for (const slug of ['acme', 'bravo', 'cargo']) expect(updatesAt(harness, slug)).toEqual([]);
  });

  it('names the seller that refuses the cancellation, and shows what still runs', async () => {
    const refusal = { errors: [{ code: 'NOT_CANCELLABLE', message: 'Too late.' }] };
    const { state } = await failing((harness) =>
      harness.seller('acme').fate('update_media_buy', { says: refusal }),
    );
    expect(state.operation.status).toBe('failed');
    expect(state.buy?.status).toBe('active');
    expect(state.legs.flatMap(({ errors }) => errors.map(({ code }) => code))).toContain('NOT_CANCELLABLE');
  });

  for (const at of ['change', 'takeLeg', 'releaseLeg'] as const) {
    it(`continues after a crash at the first or a later ${at}: nothing stays bought`, async () => {
      const harness = await openBuyingHarness({ ...three, bravo: { isIdempotent: true } });
      const refusal = { says: { errors: [{ code: 'BUDGET_TOO_LOW', message: 'x' }] } };
      harness.seller('bravo').fate('create_media_buy', refusal, refusal, refusal);
      if (at === 'releaseLeg') harness.seller('acme').fate('create_media_buy', 'lose');
      const dying = crashingStore(harness.store, at);
      void createMediaBuy(
        { ...harness.ports, store: dying.store },
        harness.request(['acme', 'bravo', 'cargo'], wish),
      );
      await dying.died;
      for (let turn = 0; turn < 30; turn += 1) {
        harness.clock.advance(60_000);
        for (const leg of await harness.store.dueLegs(harness.scope, harness.clock.now(), 10)) {
          const run = { connection: harness.connection(leg.seller), signal: new AbortController().signal };
          await followLeg(harness.restarted(), harness.scope, leg.id, run);
        }
      }
      const [operation] = harness.store.rowsOf(harness.scope).operations.values();
      expect(operation?.status).toBe('failed');
      for (const slug of ['acme', 'cargo']) {
        expect(harness.seller(slug).buys.map((buy) => buy['media_buy_status'])).toEqual(['canceled']);
      }
    });
  }
});

describe('a budget of the whole buy given as a difference', () => {
  const differing = async (harness: BuyingHarness, mediaBuyId: string, budgetDifference: string) => {
    const mutation = harness.change({ media_buy_id: mediaBuyId });
    return updateMediaBuy(harness.ports, {
      ...mutation,
      request: { ...mutation.request, budgetDifference },
    });
  };

  it('is sent as the new budget of the one package, and refused where nothing is left', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme']);
    const [before] = must(await differing(harness, id, '250.5')).state.packages;
    const sent = updatesAt(harness, 'acme').map(({ args }) => args['packages']);
    expect(sent).toMatchObject([[{ budget: 1_250.5 }]]);
    expect(before?.budgetMicros).toBe(1_250_500_000n);
    must(await differing(harness, id, '-50.5'));
    expect(updatesAt(harness, 'acme')[1]?.args['packages']).toMatchObject([{ budget: 1_200 }]);
    const refused = await differing(harness, id, '-1200');
    expect(refused.ok ? [] : refused.error).toMatchObject([
      { code: 'BUDGET_TOO_LOW', field: 'updates.budget_change.difference' },
    ]);
  });

  it('is refused for several packages, because the split is the decision of the buyer', async () => {
    const harness = await openBuyingHarness(three);
    const id = await bought(harness, ['acme', 'bravo']);
    const refused = await differing(harness, id, '10');
    expect(refused.ok ? [] : refused.error).toMatchObject([{ code: 'INVALID_REQUEST' }]);
  });
});
