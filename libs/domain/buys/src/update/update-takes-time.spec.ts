import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { followLeg } from '../run/follow-leg.js';
import type { Leg } from '../model/operation.js';
import { storeObservation } from '../run/store-observation.js';
import { updateMediaBuy } from './update-media-buy.js';
import { viewBuy } from '../read/buy-view.js';

/** A buy of two sellers, and a pause for which one of them wants a person's word. */
async function pausing(): Promise<{
  readonly harness: BuyingHarness;
  readonly id: string;
  readonly leg: Leg;
}> {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const made = await createMediaBuy(harness.ports, harness.request(['acme', 'bravo']));
  const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
  harness.seller('acme').fate('update_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
  const { state } = must(
    await updateMediaBuy(harness.ports, harness.change({ media_buy_id: id, paused: true })),
  );
  expect(state.operation.status).toBe('submitted');
  // What one seller did already is booked; what the other has not done is not.
  expect(state.sellerBuys.map(({ seller, status }) => [seller, status])).toEqual([
    ['acme', 'active'],
    ['bravo', 'paused'],
  ]);
  const leg = state.legs.find(({ seller }) => seller === 'acme');
  if (leg === undefined) throw new Error('There is no leg of acme.');
  return { harness, id, leg };
}

const paused: JsonObject = { media_buy_id: 'their-1', media_buy_status: 'paused', revision: 2 };

async function expectPaused(harness: BuyingHarness, id: string): Promise<void> {
  const record = await harness.store.mediaBuy(harness.scope, id);
  expect(record?.buy).toMatchObject({ status: 'paused', revision: 2 });
  expect(record?.sellerBuys.map(({ status }) => status)).toEqual(['paused', 'paused']);
  const changes = await harness.store.changesOf(harness.scope, id, 10);
  expect(changes.map(({ seller, action }) => `${seller} ${action}`).sort()).toEqual([
    'acme pause',
    'bravo pause',
  ]);
}

describe('an update that a seller completes later', () => {
  it('is applied when the webhook reports its end', async () => {
    const { harness, id, leg } = await pausing();
    const reply = { status: 'completed' as const, replayed: false, payload: paused, errors: [] };
    const at = harness.clock.now() + 1_000;
    const stored = await storeObservation(harness.ports, harness.scope, leg, {
      source: 'webhook',
      at,
      reply,
    });
    expect(stored?.state.operation.status).toBe('completed');
    await expectPaused(harness, id);
  });

  it('is applied when a poll reports its end, without a webhook', async () => {
    const { harness, id, leg } = await pausing();
    const task = { task_id: 'their-task', task_type: 'update_media_buy', protocol: 'media-buy' };
    const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
    harness
      .seller('acme')
      .fate('tasks/get', { says: { ...task, ...times, status: 'completed', result: paused } });
    harness.clock.advance(3_600_000);
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.restarted(), harness.scope, leg.id, run);
    expect(await harness.store.leg(harness.scope, leg.id)).toMatchObject({
      status: 'completed',
      observedBy: 'poll',
    });
    await expectPaused(harness, id);
  });

  it('that is refused in the end leaves the seller’s part and the others unchanged', async () => {
    const { harness, id, leg } = await pausing();
    const errors = [{ code: 'ACTION_NOT_ALLOWED', message: 'No.' }];
    const reply = { status: 'failed' as const, replayed: false, payload: {}, errors };
    const seen = { source: 'webhook' as const, at: harness.clock.now() + 1_000, reply };
    await storeObservation(harness.ports, harness.scope, leg, seen);
    const record = await harness.store.mediaBuy(harness.scope, id);
    expect(record?.sellerBuys.map(({ status }) => status)).toEqual(['active', 'paused']);
  });
});

describe('dates and packages that a seller accepts later', () => {
  const later = '2027-03-01T00:00:00.000Z';
  const done: JsonObject = {
    media_buy_id: 'their-1',
    media_buy_status: 'active',
    revision: 2,
    affected_packages: [
      {
        package_id: 'their-1-p2',
        product_id: 'ctv',
        pricing_option_id: 'cpm',
        budget: 500,
        context: { line: 'new' },
      },
    ],
  };

  /** A later end and one package more, which acme looks at. */
  async function growing() {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const made = await createMediaBuy(
      harness.ports,
      harness.request(['acme'], { end_time: '2027-01-01T00:00:00Z' }),
    );
    const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
    harness.seller('acme').fate('update_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
    const change = {
      media_buy_id: id,
      end_time: later,
      new_packages: [
        { product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 500, context: { line: 'new' } },
      ],
    };
    const begun = must(await updateMediaBuy(harness.ports, harness.change(change)));
    const [leg] = begun.state.legs;
    if (leg === undefined) throw new Error('Nobody was asked.');
    return { harness, id, leg };
  }

  async function shown(harness: BuyingHarness, id: string) {
    const record = await harness.store.mediaBuy(harness.scope, id);
    if (record === undefined) throw new Error('There is no buy.');
    const { endTime, totalBudget, revision, packages } = viewBuy(record);
    return {
      endTime: Date.parse(endTime ?? ''),
      totalBudget,
      revision,
      ids: packages.map(({ packageId }) => packageId),
    };
  }

  const before = {
    endTime: Date.parse('2027-01-01T00:00:00Z'),
    totalBudget: '1000',
    revision: 1,
    ids: ['acme:their-1-p1'],
  };
  const after = {
    endTime: Date.parse(later),
    totalBudget: '1500',
    revision: 2,
    ids: ['acme:their-1-p1', 'acme:their-1-p2'],
  };

  it.each(['webhook', 'poll'] as const)(
    'do not count until a %s reports the end, and count from then on',
    async (source) => {
      const { harness, id, leg } = await growing();
      expect(await shown(harness, id)).toEqual(before);
      const reply = { status: 'completed' as const, replayed: false, payload: done, errors: [] };
      await storeObservation(harness.ports, harness.scope, leg, {
        source,
        at: harness.clock.now() + 1_000,
        reply,
      });
      expect(await shown(harness, id)).toEqual(after);
      const changes = await harness.store.changesOf(harness.scope, id, 10);
      expect(changes.map(({ action, detail }) => [action, detail]).toSorted()).toEqual([
        ['add_packages', { packages: 1 }],
        ['update_dates', { end_time: later }],
      ]);
    },
  );

  it.each(['failed', 'rejected', 'canceled'] as const)('do not count if the end is %s', async (status) => {
    const { harness, id, leg } = await growing();
    const errors = [{ code: 'ACTION_NOT_ALLOWED', message: 'No.' }];
    const reply = { status, replayed: false, payload: {}, errors };
    await storeObservation(harness.ports, harness.scope, leg, {
      source: 'poll',
      at: harness.clock.now() + 1_000,
      reply,
    });
    expect(await shown(harness, id)).toEqual(before);
    expect(await harness.store.changesOf(harness.scope, id, 10)).toEqual([]);
  });

  it('allow another update of the same part: an urgent one does not wait for a person', async () => {
    const { harness, id, leg } = await growing();
    const paused = await updateMediaBuy(harness.ports, harness.change({ media_buy_id: id, paused: true }));
    expect(paused.ok && paused.value.state.buy?.status).toBe('paused');
    const { media_buy_status: _unsaid, ...payload } = done;
    const reply = { status: 'completed' as const, replayed: false, payload, errors: [] };
    const seen = { source: 'webhook' as const, at: harness.clock.now() + 1_000, reply };
    await storeObservation(harness.ports, harness.scope, leg, seen);
    expect(await shown(harness, id)).toEqual({ ...after, revision: 3 });
    expect((await harness.store.mediaBuy(harness.scope, id))?.buy.status).toBe('paused');
  });
});
