import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { alarmRepository, creativeStore } from '@switchyard/store';
import { makeOperation } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import { report, specInbox, type SpecSeller } from '../testkit/inbox.js';

/** Each kind of event: signed, posted over HTTP, and tested by its visible effect. */
let seller: SpecSeller;
let keys = 0;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
});

/** Posts and applies. Returns the rows of this seller, newest first. */
async function received(body: JsonObject) {
  inbox.clock.advance(1);
  const answer = await inbox.post(seller, body);
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  await applyInbox({ ...inbox.deps, creatives: creativeStore(inbox.store) }, inbox.scope);
  const rows = await inbox.admin.list(inbox.caller, { seller: seller.connection.slug });
  return rows.map(({ kind, state, reason }) => [kind, state, ...(reason === undefined ? [] : [reason])]);
}

/** A body with a key of its own and no envelope. */
function keyed(body: JsonObject): JsonObject {
  keys += 1;
  return { idempotency_key: `keyed-${String(keys).padStart(12, '0')}`, ...body };
}

const days = async () =>
  (await inbox.deps.ledger.deliveredBy(inbox.scope, seller.mediaBuyId)).map(
    (delivered) => delivered.spendMicros,
  );
const kindsOfEntries = async () =>
  (await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId)).map(({ kind }) => kind);

describe('a delivery report', () => {
  const applied = ['delivery_report', 'applied'];

  it('of type scheduled posts its figure', async () => {
    expect(await received(report(seller, { spend: 10 }))).toEqual([applied]);
    expect(await days()).toEqual([10_000_000n]);
  });

  it('of type adjusted replaces the figure of its period', async () => {
    await received(report(seller, { spend: 10 }));
    const later = { type: 'adjusted', spend: 7.5, sequence: 2, timestamp: '2026-11-21T11:30:00Z' };
    expect(await received(report(seller, later))).toEqual([applied, applied]);
    expect(await days()).toEqual([7_500_000n]);
    expect(await kindsOfEntries()).toHaveLength(2);
  });

  it('of type final posts its figure, and ends its stream', async () => {
    expect(await received(report(seller, { type: 'final', spend: 4 }))).toEqual([applied]);
    expect(await days()).toEqual([4_000_000n]);
    const after = report(seller, { day: '2026-11-02', sequence: 2, timestamp: '2026-11-21T11:30:00Z' });
    expect(await received(after)).toEqual([['delivery_report', 'quarantined', 'after_final'], applied]);
  });

  it('of type delayed posts nothing, is shown, and leaves its period open', async () => {
    const delayed = report(seller, {
      type: 'delayed',
      result: { media_buy_deliveries: [], next_expected_at: '2026-11-22T12:00:00Z' },
    });
    expect(await received(delayed)).toEqual([applied]);
    expect(await kindsOfEntries()).toEqual([]);
    expect(await received(report(seller, { spend: 9, sequence: 2 }))).toEqual([applied, applied]);
    expect(await days()).toEqual([9_000_000n]);
  });
});

describe('a webhook that says what is to be read again', () => {
  it.each([
    ['account.status_changed', 'account_status', 'look_due_at'],
    ['capabilities.changed', 'capabilities_changed', 'capabilities_due_at'],
  ])('%s makes that read due at once', async (notification, kind, column) => {
    const body = keyed({ notification_type: notification, fired_at: '2026-11-21T11:59:00Z' });
    expect(await received(body)).toEqual([[kind, 'applied']]);
    const { rows } = await inbox.store.inTenant(inbox.scope, (client) =>
      client.query<{ due: Date }>(`select ${column} as due from connection where id = $1`, [
        seller.connection.id,
      ]),
    );
    expect(rows[0]?.due.getTime()).toBe(inbox.clock.now());
  });
});

describe('a webhook about a creative', () => {
  const status = (to: string, more: JsonObject = {}): JsonObject =>
    keyed({
      notification_type: 'creative.status_changed',
      notification_id: 'n-1',
      fired_at: '2026-11-21T11:59:00Z',
      creative_id: `spot-${seller.legId}`,
      transition: { from: 'processing', to, observed_at: '2026-11-21T11:58:00Z' },
      ...more,
    });
  const placement = async () => {
    const id = `spot-${seller.legId}`;
    const found = await creativeStore(inbox.store).byIds(inbox.scope, [id]);
    const [item] = found.get(id)?.placements ?? [];
    return [item?.status, item?.reason];
  };

  /** A creative in the library that this seller accepted an hour ago and is reviewing. */
  async function syncIt(): Promise<void> {
    const { id: connectionId, slug } = seller.connection;
    const creativeId = `spot-${seller.legId}`;
    const made = makeOperation(inbox.scope, {
      sellers: [slug],
      connectionIds: { [slug]: connectionId },
      createdAt: inbox.clock.now(),
    });
    const legId = made.legs[0]?.id ?? '';
    const placements = [{ creativeId, connectionId, seller: slug, legId }];
    const original = { form: '3.1', value: { creative_id: creativeId, name: 'Spot' } } as const;
    const creatives = [{ creative: { creativeId, assets: {}, tags: [], original }, bodyHash: 'h' }];
    await inbox.deps.ports.store.begin(inbox.scope, {
      ...made,
      creatives: { creatives, placements, archived: [] },
    });
    const seen = {
      creativeId,
      connectionId,
      seller: slug,
      legId,
      status: 'processing',
      isAccepted: true,
    } as const;
    await creativeStore(inbox.store).observe(
      inbox.scope,
      [{ ...seen, source: 'inline' }],
      inbox.clock.now() - 3_600_000,
    );
  }

  it('sets its state at the seller at once, with the reason', async () => {
    await syncIt();
    expect(await received(status('rejected', { reason_detail: 'Too loud.' }))).toEqual([
      ['creative_status', 'applied'],
    ]);
    expect(await placement()).toEqual(['rejected', 'Too loud.']);
  });

  it('with a purge archives it at the seller', async () => {
    await syncIt();
    const purged = { notification_type: 'creative.purged', purged_at: '2026-11-21T11:58:00Z' };
    expect(await received(status('approved', purged))).toEqual([['creative_status', 'applied']]);
    expect(await placement()).toEqual(['archived', 'The seller deleted it.']);
  });

  it('with an illegal transition is quarantined, and raises an alarm', async () => {
    await syncIt();
    const before = await placement();
    const odd = { transition: { from: 'rejected', to: 'approved' } };
    expect(await received(status('approved', odd))).toEqual([
      ['creative_status', 'quarantined', 'illegal_transition'],
    ]);
    expect(await placement()).toEqual(before);
    const alarms = await alarmRepository(inbox.store, inbox.clock).list(inbox.scope, {});
    expect(alarms).toMatchObject([
      { kind: 'illegal_transition', subject: `creative_status ${seller.connection.id}`, count: 1 },
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['that we did not send to this seller', { creative_id: 'somebody-elses' }, 'unknown_creative'],
    ['without a state', { transition: {} }, 'unreadable_creative_event'],
  ])('%s is quarantined', async (_what, more, reason) => {
    await syncIt();
    expect(await received(status('approved', more))).toEqual([['creative_status', 'quarantined', reason]]);
    expect(await placement()).toEqual(['processing', undefined]);
  });
});

describe('an event without an effect', () => {
  it.each<[string, JsonObject]>([
    ['collection_list_changed', { event: 'collection_list_changed', list_id: 'l' }],
    ['property_list_changed', { event: 'property_list_changed', list_id: 'l' }],
    ['artifacts', { media_buy_id: 'm', batch_id: 'b', artifacts: [{ artifact_id: 'a' }] }],
    ['rights_revoked', { rights_id: 'r', brand_id: 'b', reason: 'over' }],
    ['feed_changed', { notification_type: 'product.priced', fired_at: '2026-11-21T11:59:00Z' }],
    ['other', { notification_type: 'something.new', fired_at: '2026-11-21T11:59:00Z' }],
  ])('%s is stored once, and shown with its kind and reason', async (kind, body) => {
    const event = keyed(body);
    expect(await received(event)).toEqual([[kind, 'applied', `known_without_effect:${kind}`]]);
    expect(await received(event)).toContainEqual([kind, 'duplicate']);
    expect(await kindsOfEntries()).toEqual([]);
  });
});
