import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPublisherStatements, type Egress } from '@switchyard/sellers';
import {
  alarmRepository,
  connectionDirectory,
  creativeStore,
  governanceCases,
  governedThings,
  principalDirectory,
} from '@switchyard/store';
import { createConnection, makeOperation } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { actOnCases, type CaseWork } from '../../sellers/index.js';
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

describe('content that a seller pushed', () => {
  const { deps, store, scope, clock } = inbox;
  const cases = governanceCases(store);
  const work = {
    ...{ cases, clock, ports: deps.ports, inbox: deps.inbox, onUnexpected: deps.onUnexpected },
    things: governedThings(store),
    connections: connectionDirectory(store),
    alarms: alarmRepository(store, clock),
    publishers: createPublisherStatements({ egress: {} as Egress, clock }),
    principals: principalDirectory(store),
    tasks: { call: () => Promise.reject(new Error('No change can be sent.')) },
  } satisfies CaseWork;
  const artifact = (id: string): JsonObject => ({
    ...{ property_rid: 'news', artifact_id: id },
    assets: [
      { type: 'text', content: 'News.' },
      {
        type: 'image',
        url: 'https://cdn.example/a.png',
        access: { method: 'bearer_token', token: 'k3y-of-a' },
      },
    ],
  });
  const batch = (...ids: readonly string[]): JsonObject =>
    keyed({
      ...{ media_buy_id: seller.sellerMediaBuyId, batch_id: 'b', timestamp: '2026-11-21T11:59:00Z' },
      artifacts: ids.map((id) => ({ artifact: artifact(id), delivered_at: '2026-11-21T11:00:00Z' })),
    });
  const failsFirst = (policy: string): JsonObject => ({
    summary: { total_records: 2, passed_records: 1, failed_records: 1 },
    results: [
      {
        record_id: 'r0',
        verdict: 'fail',
        features: [{ feature_id: 'f', status: 'failed', policy_id: policy }],
      },
    ],
  });
  const rows = async () =>
    (
      await store.inTenant(scope, (client) =>
        client.query<{ state: string; changes: { checked?: JsonObject; problem?: string }; acts: string[] }>(
          `select state, changes, array(select a ->> 'act' from jsonb_array_elements(actions) a) as acts
           from governance_case order by created_at, id`,
        ),
      )
    ).rows;
  const took = async (event: JsonObject): Promise<readonly (string | undefined)[]> => {
    clock.advance(1);
    expect((await inbox.post(seller, event)).status).toBe(200);
    await applyInbox({ ...deps, governance: cases, governedThings: work.things }, scope);
    const [row] = await inbox.admin.list(inbox.caller, { seller: seller.connection.slug });
    return [row?.state, row?.reason];
  };
  beforeEach(async () => {
    inbox.sellerCalls.length = 0;
    await store.inTenant(scope, (client) => client.query('delete from governance_case'));
  });

  /** The package of the buy names content standards, with a policy that binds and one that advises. */
  async function standards(isConnected = true, more: readonly string[] = []): Promise<void> {
    const made = await createConnection(store, scope.organizationId);
    await work.connections.update(scope, made.id, { kinds: isConnected ? ['governance'] : [] }, clock.now());
    const thing = { kind: 'content_standards', subject: 'family', agentUrl: made.agentUrl } as const;
    const entries = ['calm (must, 0123456789ab)', 'quiet (may, 0123456789ab)'];
    await work.things.save(scope, thing, { entries, version: 'v' }, { at: clock.now(), nextAt: clock.now() });
    const named = ['family', ...more].map((id) => ({ agent_url: made.agentUrl, standards_id: id }));
    const targeting = { content_standards: named };
    await store.inTenant(scope, (client) =>
      client.query('update buy_package set targeting = $1::jsonb where media_buy_id = $2', [
        JSON.stringify(targeting),
        seller.mediaBuyId,
      ]),
    );
  }

  it('is checked by the agent of the standards without what opens it, and paused unanswered against a policy that binds', async () => {
    await standards();
    inbox.answerWith((tool) => (tool === 'validate_content_delivery' ? failsFirst('calm') : undefined));
    expect(await took(batch('a', 'b'))).toEqual(['applied', undefined]);
    await actOnCases(work);
    const [{ args } = { args: {} }] = inbox.sellerCalls;
    expect(args).toMatchObject({
      standards_id: 'family',
      records: [{ media_buy_id: seller.mediaBuyId }, {}],
    });
    expect(JSON.stringify(args)).not.toMatch(/k3y-of-a|secret|access/);
    expect(await rows()).toMatchObject([
      {
        state: 'asked',
        changes: { checked: { sent: 2, failed: 1, binding: 1, failures: [{ policies: ['calm'] }] } },
      },
    ]);
    const alarms = await work.alarms.list(scope, { isOpen: true, kind: 'content_failed' });
    expect(alarms).toMatchObject([{ subject: 'family', detail: { packages: 1 } }]);
    // A second batch on the same day is checked, and asks nobody again.
    await took(batch('a', 'b'));
    await actOnCases(work);
    expect((await rows()).map(({ state }) => state)).toEqual(['asked', 'done']);
    clock.advance(86_400_000);
    await actOnCases(work);
    const [{ acts } = { acts: [] }] = await rows();
    expect(acts).toEqual(['checked: a person is asked', 'nobody answered: what runs is paused', 'pause']);
  });

  it('above a tenth is asked about and runs on unanswered, and none that failed is on record', async () => {
    await standards();
    inbox.answerWith(() => failsFirst('quiet'));
    await took(batch('a', 'b'));
    await actOnCases(work);
    clock.advance(86_400_000);
    await actOnCases(work);
    inbox.answerWith(() => ({
      ...failsFirst(''),
      summary: { total_records: 2, failed_records: 0 },
      results: [],
    }));
    await took(batch('a', 'b'));
    await actOnCases(work);
    expect((await rows()).map(({ state, acts }) => [state, acts.at(-1)])).toEqual([
      ['done', 'nobody answered: what runs goes on'],
      ['done', 'checked'],
    ]);
  });

  it('is checked by all standards that its packages name, ten in a round', async () => {
    const more = Array.from({ length: 24 }, (_, at) => `standards-${String(at)}`);
    await standards(true, more);
    inbox.answerWith(() => ({ summary: { total_records: 1, failed_records: 0 }, results: [] }));
    expect(await took(batch('a'))).toEqual(['applied', undefined]);
    expect(await rows()).toHaveLength(25);
    for (let round = 0; round < 3; round += 1) await actOnCases(work);
    const asked = new Set(inbox.sellerCalls.map(({ args }) => args['standards_id']));
    expect(asked).toEqual(new Set(['family', ...more]));
    expect((await rows()).every(({ state }) => state === 'done')).toBe(true);
  });

  it('is tried again for a day where its agent does not answer, and says so', async () => {
    await standards();
    inbox.answerWith(() => undefined);
    await took(batch('a', 'b'));
    await actOnCases(work);
    expect(await rows()).toMatchObject([{ state: 'open', changes: { problem: 'Nobody answers.' } }]);
    clock.advance(86_400_000);
    await actOnCases(work);
    expect((await rows()).map(({ state, acts }) => [state, acts.at(-1)])).toEqual([
      ['done', 'could not be checked'],
    ]);
  });

  it('has no effect without standards or their agent, and for a buy of another seller is quarantined', async () => {
    const without = ['applied', 'known_without_effect:artifacts'];
    expect(await took(batch('a'))).toEqual(without);
    await standards(false);
    expect(await took(batch('a'))).toEqual(without);
    const event = batch('a');
    seller = await inbox.seller();
    expect(await took(event)).toEqual(['quarantined', 'unknown_buy']);
    expect(await rows()).toEqual([]);
  });

  it('and a list whose owner ends every copy: new buys are held at once, and no longer once it was read', async () => {
    const { id, agentUrl } = seller.connection;
    await work.connections.update(scope, id, { kinds: ['governance'] }, clock.now());
    const safe = { kind: 'property_list', subject: 'safe', agentUrl } as const;
    const targeting = { property_list: { agent_url: agentUrl, list_id: 'safe' } };
    await store.inTenant(scope, (client) =>
      client.query('update buy_package set targeting = $1::jsonb where media_buy_id = $2', [
        JSON.stringify(targeting),
        seller.mediaBuyId,
      ]),
    );
    const ended = {
      event: 'property_list_changed',
      list_id: 'safe',
      cache_valid_until: '2026-11-21T11:00:00Z',
    };
    expect(await took(keyed(ended))).toEqual(['applied', undefined]);
    expect(await work.things.ended(scope, [safe])).toHaveLength(1);
    inbox.answerWith(() => ({
      list: { list_id: 'safe' },
      identifiers: [{ type: 'domain', value: 'a.com' }],
    }));
    await actOnCases(work);
    expect(await work.things.ended(scope, [safe])).toEqual([]);
  });
});
