import { describe, expect, it } from '@jest/globals';
import { getMediaBuys, type MediaBuyStatus } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { viewBuy } from '../read/buy-view.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { applyStatus } from './apply-status.js';
import type { OperationState } from '../model/operation-state.js';
import { readMediaBuys } from '../read/read-media-buys.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import { readPortsOf, readRequestOf } from '../testkit/read-requests.js';

const slugs = ['acme', 'bravo'];

async function bought(): Promise<{ readonly harness: BuyingHarness; readonly state: OperationState }> {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const packages = [...slugs, 'acme'].map((slug, line) => ({
    product_id: `${slug}:ctv`,
    pricing_option_id: 'cpm',
    budget: 1_000 + line,
    context: { line },
    start_time: '2026-12-01T00:00:00Z',
    end_time: '2026-12-20T00:00:00Z',
  }));
  const made = must(
    await createMediaBuy(
      harness.ports,
      harness.request(slugs, { packages, start_time: '2026-12-01T00:00:00Z' }),
    ),
  );
  return { harness, state: made.state };
}

/** What acme's list says of its part now, read as any list of 3.1 is. */
function looked(
  state: OperationState,
  packages: readonly JsonObject[],
  more: { readonly status?: MediaBuyStatus; readonly revision?: number; readonly after?: number } = {},
): OperationState {
  const { status = 'active', revision, after = 1_000 } = more;
  const read = must(
    getMediaBuys.readAnswer(
      {
        media_buys: [
          {
            media_buy_id: state.sellerBuys[0]!.sellerMediaBuyId!,
            status,
            currency: 'USD',
            total_budget: 1,
            ...(revision === undefined ? {} : { revision }),
            packages: packages.map((item, at) => ({ package_id: idAt(state, at), ...item })),
          },
        ],
      },
      { dialect: 'adcp', form: '3.1' },
      new Map(),
    ),
  );
  return applyStatus(
    state,
    state.sellerBuys[0]!.id,
    read.answer.mediaBuys[0]!,
    state.operation.updatedAt + after,
  );
}

const own = ({ packages }: OperationState) => packages.filter(({ seller }) => seller === 'acme');
const idAt = (state: OperationState, at: number): string => own(state)[at]?.sellerPackageId ?? '';
const update = (before: OperationState, after: OperationState) =>
  (after.changes ?? []).slice(before.changes?.length ?? 0);
const shownOf = (state: OperationState) =>
  viewBuy({ ...state, buy: state.buy! }).packages.filter(({ packageId }) => packageId.startsWith('acme:'));

describe('a change of a package by its seller', () => {
  it('is stored when it pauses one and resumes it, each with a record, and a new revision of the buy', async () => {
    const { state } = await bought();
    const paused = looked(state, [{ paused: true }]);
    expect(own(paused).map((item) => item.paused)).toEqual([true, undefined]);
    expect(shownOf(paused)[0]).toMatchObject({ paused: true });
    expect(update(state, paused)).toEqual([
      expect.objectContaining({
        actor: 'seller',
        action: 'update_packages',
        packageId: idAt(state, 0),
        detail: { paused: true },
        revision: state.buy!.revision + 1,
      }),
    ]);
    expect(paused.buy?.revision).toBe(state.buy!.revision + 1);
    const resumed = looked(paused, [{ paused: false }]);
    expect(own(resumed)[0]?.paused).toBe(false);
    expect(update(paused, resumed)).toMatchObject([{ action: 'update_packages', detail: { paused: false } }]);
  });

  it('is a cancellation with the reported time and reason, as the seller’s own', async () => {
    const { state } = await bought();
    const words = { canceled_at: '2020-01-01T00:00:00Z', canceled_by: 'seller', reason: 'The site closed.' };
    const ended = looked(state, [{ canceled: true, cancellation: words }]);
    expect(own(ended)[0]?.canceledAt).toBe(Date.parse(words.canceled_at));
    expect(shownOf(ended)[0]).toMatchObject({
      canceled: true,
      reportedTerms: { cancellation: { ...words, canceled_at: '2020-01-01T00:00:00.000Z' } },
    });
    expect(update(state, ended)).toMatchObject([
      { actor: 'seller', action: 'remove_packages', detail: { canceled: true } },
    ]);
    // What is canceled counts no more, and is not taken back.
    expect(viewBuy({ ...ended, buy: ended.buy! }).totalBudget).toBe('2003');
    const back = looked(ended, [{ canceled: false, paused: false }]);
    expect(own(back)[0]?.canceledAt).toBe(own(ended)[0]?.canceledAt);
    expect(update(ended, back)).toMatchObject([
      { actor: 'seller', action: 'refused_transition', detail: { from: 'canceled', to: 'active' } },
    ]);
    expect(back.buy?.revision).toBe(ended.buy?.revision);
    expect(back.legs[0]?.findings.map(({ code }) => code)).toContain('ILLEGAL_TRANSITION');
    // However often it says so.
    expect(update(back, looked(back, [{ canceled: false }]))).toEqual([]);
  });

  it('is never in the future, with any clock of the seller', async () => {
    const { state } = await bought();
    const ended = looked(state, [
      { canceled: true, cancellation: { canceled_at: '2090-01-01T00:00:00Z', canceled_by: 'seller' } },
    ]);
    expect(own(ended)[0]?.canceledAt).toBe(ended.sellerBuys[0]?.statusAsOf);
  });

  it('is another budget, other dates or another pace: the reported value is shown, beside the requested one', async () => {
    const { state } = await bought();
    const changed = looked(
      state,
      [{ budget: 700, end_time: '2026-12-15T00:00:00Z', start_time: '2026-12-01T00:00:00Z' }],
      { revision: 7 },
    );
    expect(shownOf(changed)[0]).toMatchObject({
      budget: '700',
      reportedTerms: { end_time: '2026-12-15T00:00:00Z', start_time: '2026-12-01T00:00:00Z' },
      asked: { budget: 1_000, end_time: '2026-12-20T00:00:00Z' },
    });
    // The ledger holds spend against what the buyer has agreed to.
    expect(own(changed)[0]?.budgetMicros).toBe(1_000_000_000n);
    expect(viewBuy({ ...changed, buy: changed.buy! }).totalBudget).toBe('2703');
    const fields = changed.legs[0]?.findings
      .filter(({ code }) => code === 'TERMS_DIFFER')
      .map(({ field }) => field);
    expect(fields).toEqual([`${idAt(state, 0)}.budget`, `${idAt(state, 0)}.end_time`]);
    expect(update(state, changed).filter(({ action }) => action === 'update_packages')).toMatchObject([
      { detail: { budget: '700', end_time: '2026-12-15T00:00:00Z' }, packageId: idAt(state, 0) },
    ]);
    // Said again it is no news, and taken back it is.
    const again = looked(changed, [{ budget: 700, end_time: '2026-12-15T00:00:00Z' }]);
    expect(again.packages).toEqual(changed.packages);
    expect(update(changed, again)).toEqual([]);
    const back = looked(again, [{ budget: 1_000, end_time: '2026-12-20T00:00:00Z' }]);
    expect(shownOf(back)[0]).not.toHaveProperty('asked');
    expect(update(again, back)).toMatchObject([
      { detail: { budget: '1000', end_time: '2026-12-20T00:00:00Z' } },
    ]);
  });

  it('is ignored if the whole part is paused or canceled, or if nothing is reported', async () => {
    const { state } = await bought();
    const paused = looked(state, [{ paused: true }, { paused: true }], { status: 'paused' });
    expect(paused.packages).toEqual(state.packages);
    const canceled = looked(state, [{ canceled: true }, { canceled: true }], { status: 'canceled' });
    expect(canceled.packages).toEqual(state.packages);
    const silent = looked(looked(state, [{ paused: true }]), [{}]);
    expect(own(silent)[0]?.paused).toBe(true);
  });

  it('does not affect other sellers’ packages with the same id', async () => {
    const { state } = await bought();
    const [first, ...others] = state.packages;
    const alike = {
      ...state,
      packages: [first!, ...others.map((item) => ({ ...item, sellerPackageId: first!.sellerPackageId! }))],
    };
    const paused = looked(alike, [{ paused: true }]);
    expect(paused.packages.filter(({ seller }) => seller === 'bravo').map((item) => item.paused)).toEqual([
      undefined,
    ]);
  });

  it('offers no actions for packages of a part that has none left, while another part has some', async () => {
    const { state } = await bought();
    const actions = (of: OperationState) =>
      viewBuy({ ...of, buy: of.buy! }).actions?.map(({ action }) => action) ?? [];
    const current = looked(state, [{ canceled: true }, { canceled: true }]);
    expect(actions(current)).toEqual(
      expect.arrayContaining(['pause', 'cancel', 'add_packages', 'increase_budget']),
    );
    const none = { ...current, packages: current.packages.map((item) => ({ ...item, canceledAt: 1 })) };
    expect(actions(none)).toEqual([
      'pause',
      'cancel',
      'add_packages',
      'extend_flight',
      'shorten_flight',
      'update_flight_dates',
    ]);
  });
});

describe('a package that its seller cancels in the answer that makes it', () => {
  const words = { canceled_at: '2020-01-01T00:00:00Z', canceled_by: 'seller', reason: 'Sold out.' };
  const made = async (status: MediaBuyStatus, more: JsonObject = {}) => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const packages = [0, 1].map((line) => ({
      package_id: `p${line}`,
      product_id: 'ctv',
      context: { line },
      ...(line === 0 ? { canceled: true, cancellation: words } : {}),
    }));
    const says = {
      media_buy_id: 'b1',
      media_buy_status: status,
      confirmed_at: '2020-01-01T00:00:00Z',
      packages,
    };
    harness.seller('acme').fate('create_media_buy', { says });
    const done = must(await createMediaBuy(harness.ports, harness.request(['acme', 'acme', 'bravo'], more)));
    return { harness, state: done.state };
  };

  it('is canceled from the start: shown, reported and recorded as the seller’s own, and not counted', async () => {
    const { harness, state } = await made('active');
    expect(shownOf(state)).toMatchObject([
      {
        packageId: 'acme:p0',
        canceled: true,
        reportedTerms: { cancellation: { canceled_by: 'seller', reason: 'Sold out.' } },
      },
      { packageId: 'acme:p1' },
    ]);
    expect(shownOf(state)[1]).not.toHaveProperty('canceled');
    expect(viewBuy({ ...state, buy: state.buy! }).totalBudget).toBe('2003');
    expect(state.legs[0]?.findings).toContainEqual(
      expect.objectContaining({ code: 'PACKAGE_CANCELED', field: 'p0' }),
    );
    const changes = await harness.store.changesOf(harness.scope, state.buy!.id, 10);
    expect(changes.filter(({ actor }) => actor === 'seller')).toMatchObject([
      { action: 'remove_packages', packageId: 'p0', seller: 'acme', detail: { canceled: true } },
    ]);
    // A later poll that says the same is no news.
    const again = looked(state, [{ canceled: true, cancellation: words }, {}]);
    expect(again.packages).toEqual(state.packages);
    expect(update(state, again)).toEqual([]);
  });

  it('is not reported separately if the whole part is canceled', async () => {
    const { state } = await made('canceled');
    expect(own(state).map(({ canceledAt }) => canceledAt)).toEqual([undefined, undefined]);
  });
});

describe('a poll of the sellers', () => {
  const acmeSays = (harness: BuyingHarness, state: OperationState, more: JsonObject) => {
    const buys = harness.seller('acme').buys as JsonObject[];
    const known = buys.find((buy) => buy['media_buy_id'] === state.sellerBuys[0]?.sellerMediaBuyId);
    if (known === undefined) throw new Error('acme has no such buy.');
    Object.assign(known, { packages: [{ package_id: idAt(state, 0), ...more }] });
  };

  it('shows the buyer a change by a seller, stores it, and adds it to the history', async () => {
    const { harness, state } = await bought();
    acmeSays(harness, state, { canceled: true });
    const request = { mediaBuyIds: [state.buy!.id], includeHistory: 1 };
    const read = await readMediaBuys(readPortsOf(harness.ports), readRequestOf(harness), request);
    const [mediaBuy] = read.mediaBuys;
    expect(mediaBuy?.packages[0]).toMatchObject({
      canceled: true,
      reportedTerms: { cancellation: { canceled_by: 'seller' } },
    });
    expect(mediaBuy?.history).toMatchObject([{ action: 'package_canceled', actor: 'seller acme' }]);
    const record = await harness.store.mediaBuy(harness.scope, state.buy!.id);
    expect(record?.packages[0]?.canceledAt).toBe(harness.clock.now());
  });

  it('ignores what may be an update of ours in progress', async () => {
    const { harness, state } = await bought();
    harness.seller('acme').fate('update_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
    const packageId = shownOf(state)[0]?.packageId ?? '';
    await updateMediaBuy(
      harness.ports,
      harness.change({ media_buy_id: state.buy!.id, packages: [{ package_id: packageId, paused: true }] }),
    );
    acmeSays(harness, state, { paused: true });
    const read = await readMediaBuys(readPortsOf(harness.ports), readRequestOf(harness), {
      mediaBuyIds: [state.buy!.id],
    });
    expect(read.mediaBuys[0]?.packages[0]?.paused).toBeUndefined();
  });
});
