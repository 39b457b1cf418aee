import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createPublisherStatements, type Egress, type SellerTransport } from '@switchyard/sellers';
import {
  alarmRepository,
  connectionDirectory,
  governanceCases,
  governedThings,
  inboxWork,
  noteThings,
  openStore,
  operationStore,
  principalDirectory,
} from '@switchyard/store';
import {
  createBookedBuy,
  createConnection,
  createScope,
  openTestStore,
  testClock,
} from '@switchyard/testing';
import { err, ok, type JsonObject } from '@switchyard/values';
import { actOnCases, type CaseWork } from './act-on-cases.js';
import { askAboutPublishers } from './ask-about-publishers.js';
import { askIfStopped } from './stopped-creatives.js';
import { watchRights } from './watch-rights.js';
import { watchThings } from './watch-things.js';

/** Cases that our own clock, or a state at a seller, makes: rights that end, publishers that take their leave back. */
const { store, stop } = await openTestStore(openStore);
afterAll(stop);
const dayMs = 86_400_000;
const iso = (at: number): string => new Date(at).toISOString();

/** A seller with two running packages, of these products. The buy is of nobody that is known, so that no change is sent. */
async function world(...products: readonly (readonly [id: string, publishers: readonly string[]])[]) {
  const scope = await createScope(store);
  const clock = testClock(Date.UTC(2026, 10, 21, 12));
  const packages = products.map(([id]) => id);
  const buy = await createBookedBuy(store, scope.organizationId, { packages });
  await store.inTenant(scope, async (client) => {
    for (const [id, publishers] of products) {
      await client.query('update buy_package set product_id = $1 where seller_package_id = $1', [id]);
      await client.query(
        `insert into offered_product (connection_id, product_id, organization_id, seller, offer, offered_at)
         values ($1, $2, $3, $4, $5::jsonb, now())`,
        [buy.connectionId, id, scope.organizationId, buy.seller, JSON.stringify({ publishers })],
      );
    }
  });
  const connections = connectionDirectory(store);
  const seller = (await connections.list(scope))[0]!;
  const documents: Record<string, JsonObject> = {};
  const egress = {
    request: ({ url }: { readonly url: string }) =>
      Promise.resolve(
        ok({
          status: documents[url] === undefined ? 404 : 200,
          headers: {},
          body: Buffer.from(JSON.stringify(documents[url] ?? {})),
        }),
      ),
  } as unknown as Egress;
  const cases = governanceCases(store);
  const things = governedThings(store);
  /** What the agent at an address answers to each of its tasks; absent: it is not there. */
  const agents = new Map<string, (task: string, args: JsonObject) => JsonObject>();
  const transport: Pick<SellerTransport, 'call'> = {
    call: ({ agentUrl }, { tool, args }) => {
      const payload = agents.get(agentUrl)?.(tool, args);
      return Promise.resolve(
        payload === undefined
          ? err({ code: 'unreachable', message: 'Nobody is there.', delivered: 'no' })
          : ok({ payload, isError: false }),
      );
    },
  };
  const ports = {
    lease: () => Promise.resolve(ok(new Map())),
    transport: transport as SellerTransport,
    clock,
    store: operationStore(store),
  };
  const alarms = alarmRepository(store, clock);
  const work = {
    ...{ cases, things, ports, connections, alarms, clock, inbox: inboxWork(store) },
    publishers: createPublisherStatements({ egress, clock }),
    principals: principalDirectory(store),
    tasks: { call: () => Promise.reject(new Error('No change can be sent.')) },
    onUnexpected: (error: unknown): never => {
      throw error;
    },
  } satisfies CaseWork;
  return {
    ...{ scope, clock, buy, seller, work },
    /** What a publisher's document says from now on: every copy is read again. */
    lists: (publisher: string, agentUrl: string) => {
      clock.advance(dayMs / 12);
      documents[`https://${publisher}/.well-known/adagents.json`] = {
        authorized_agents: [{ url: agentUrl, authorized_for: 'ads' }],
      };
    },
    /** Stores a creative, whose rights may end. */
    put: (id: string, body: JsonObject = {}, endsAt?: number) =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into creative (id, organization_id, creative_id, principal_id, operation_id, name, format_key,
             format_bare_key, format_name, form, body, body_hash, tags, status, created_at, updated_at, rights_end_at)
           values ($1, $2, $3, $1, $1, $3, '', '', '', '3.1', $4::jsonb, '', '{}', 'approved', now(), now(), $5)
           on conflict (organization_id, creative_id) do update set body = excluded.body, rights_end_at = excluded.rights_end_at`,
          [
            randomUUID(),
            scope.organizationId,
            id,
            JSON.stringify(body),
            endsAt === undefined ? null : new Date(endsAt),
          ],
        );
      }),
    /** From now on a package runs with a creative, which its seller has approved. */
    assign: (id: string, place: string) =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into creative_assignment (id, organization_id, creative_id, package_id, media_buy_id, seller, operation_id,
             created_at) values ($1, $2, $3, $4, $5, $6, $1, now())`,
          [randomUUID(), scope.organizationId, id, `${buy.seller}:${place}`, buy.mediaBuyId, buy.seller],
        );
        await client.query(
          `insert into creative_placement (id, organization_id, creative_id, connection_id, seller, leg_id, operation_id,
             status, created_at, updated_at) values ($1, $2, $3, $4, $5, $1, $1, 'approved', now(), now())
           on conflict do nothing`,
          [randomUUID(), scope.organizationId, id, buy.connectionId, buy.seller],
        );
      }),
    /** Nothing runs with a creative any more. */
    release: (id: string) =>
      store.inTenant(scope, async (client) => {
        await client.query('delete from creative_assignment where creative_id = $1', [id]);
      }),
    /** Cases like those that are there, so many times; the result takes them away again. */
    copyCases: async (times: number) => {
      await store.inTenant(scope, (client) =>
        client.query(
          `insert into governance_case (organization_id, id, kind, subject, owner, event_id, state, reason, deadline, buys, created_at, updated_at)
           select organization_id, gen_random_uuid(), kind, 'copy', owner, gen_random_uuid(), state, reason, deadline, buys, created_at + interval '1 s', updated_at
           from governance_case cross join generate_series(1, $1)`,
          [times],
        ),
      );
      return () =>
        store.inTenant(scope, async (client) => {
          await client.query(`delete from governance_case where subject = 'copy'`);
        });
    },
    /** What the buyer of the buy is told. */
    ofBuy: async () => (await cases.ofBuys(scope, [buy.mediaBuyId])).get(buy.mediaBuyId) ?? [],
    /** The seller says that a creative has another state there. */
    told: async (creativeId: string, to: string) => {
      await store.inTenant(scope, (client) =>
        client.query('update creative_placement set status = $1 where creative_id = $2', [to, creativeId]),
      );
      const event = { id: randomUUID(), connectionId: buy.connectionId };
      await askIfStopped({ cases, connections, clock }, scope, event, {
        ...{ notification_type: 'creative.status_changed', creative_id: creativeId, reason_code: 'policy' },
        transition: { to },
      });
    },
    ask: () => askAboutPublishers(work, scope, seller),
    agents,
    watch: () => watchRights(work, scope),
    /** A live agent of governance that owns what packages name. */
    decider: async (slug: string) => {
      const made = await createConnection(store, scope.organizationId, { slug });
      await connections.update(scope, made.id, { kinds: ['governance'] }, clock.now());
      return (await connections.byId(scope, made.id))!;
    },
    /** From now on a package names this in its targeting. */
    names: (id: string, targeting: JsonObject) =>
      store.inTenant(scope, async (client) => {
        await client.query('update buy_package set targeting = $2::jsonb where seller_package_id = $1', [
          id,
          JSON.stringify(targeting),
        ]);
        await noteThings(client, [targeting]);
        await client.query('update governed_thing set due_at = $1', [new Date(clock.now())]);
      }),
    readAgain: () => watchThings(work, scope),
    changes: async () =>
      (
        await store.inTenant(scope, (client) =>
          client.query<{ changes: JsonObject }>('select changes from governance_case order by created_at'),
        )
      ).rows.map(({ changes }) => changes),
    act: () => actOnCases(work),
    alarms: async () =>
      (await alarms.list(scope, { isOpen: true })).map(({ kind, subject }) => [kind, subject]),
    cases: async () => {
      const { rows } = await store.inTenant(scope, (client) =>
        client.query<{ id: string; state: string; packages: string[]; acts: string[] }>(
          `select id, state, array(select p ->> 'package_id' from jsonb_array_elements(buys) p) as packages,
             array(select a ->> 'act' from jsonb_array_elements(actions) a) as acts from governance_case order by created_at`,
        ),
      );
      return rows.map(({ state, packages: touched, acts }) => [
        state,
        touched.map((id) => id.replace(`${buy.seller}:`, '')),
        ...acts,
      ]);
    },
  };
}

describe('a publisher that takes its leave back', () => {
  const news = ['news', ['news.com']] as const;
  const both = ['both', ['news.com', 'other.com']] as const;

  it('is asked about what runs there and nowhere else, and what runs is paused where nobody answers in a day', async () => {
    const { lists, ask, act, cases, alarms, seller, clock } = await world(news, both);
    lists('news.com', seller.agentUrl);
    lists('other.com', seller.agentUrl);
    await ask();
    expect(await cases()).toEqual([]);
    lists('news.com', 'https://another.com/mcp');
    await ask();
    await ask();
    await act();
    // A product of which one publisher still lets the seller sell goes on.
    expect(await cases()).toEqual([['asked', ['news']]]);
    expect(await alarms()).toEqual([['publisher_withdrew', 'news.com']]);
    clock.advance(dayMs);
    await act();
    await act();
    const [[state, , ...acts] = []] = await cases();
    expect([state, ...acts]).toEqual(['acting', 'nobody answered: what runs is paused', 'pause']);
  });

  it('and gives it again before that leaves what runs alone, until it takes it back once more', async () => {
    const { lists, ask, act, cases, seller, clock } = await world(news);
    lists('news.com', 'https://another.com/mcp');
    await ask();
    await act();
    expect(await cases()).toEqual([['asked', ['news']]]);
    lists('news.com', seller.agentUrl);
    clock.advance(dayMs);
    await act();
    const over = ['done', ['news'], 'nothing runs with it'];
    expect(await cases()).toEqual([over]);
    lists('news.com', 'https://another.com/mcp');
    await ask();
    await act();
    expect(await cases()).toEqual([over, ['asked', ['news']]]);
  });
});

describe('rights that end', () => {
  it('are one case seven days before, and what runs with them stops an hour before; those that were extended stay', async () => {
    const { clock, put, assign, watch, act, cases, alarms } = await world(['p1', []], ['p2', []]);
    const ends = clock.now() + 3 * dayMs;
    const until = (endsAt: number): JsonObject => ({
      rights: [{ rights_id: 'grant-1', uses: ['voice'], valid_until: iso(endsAt) }],
    });
    for (const [id, place] of [
      ['spoken', 'p1'],
      ['sung', 'p2'],
    ] as const) {
      await put(id, until(ends), ends);
      await assign(id, place);
    }
    await put('late', until(clock.now() + 30 * dayMs), clock.now() + 30 * dayMs);
    expect([await watch(), await watch()]).toEqual([2, 0]);
    expect(await cases()).toEqual([['open', ['p1', 'p2']]]);
    expect(await alarms()).toEqual([['rights_ending', 'grant-1']]);
    await put('sung', until(ends + 90 * dayMs), ends + 90 * dayMs);
    clock.advance(3 * dayMs - 3_600_000);
    await act();
    const [[state, touched, ...acts] = []] = await cases();
    expect([state, touched, ...acts]).toEqual(['acting', ['p1'], 'withdraw']);
  });

  it('are looked for again after everything has stopped, so that nobody runs with them anew', async () => {
    const { clock, put, assign, release, watch, act, cases, ofBuy, copyCases } = await world(['p1', []]);
    const ends = clock.now() + dayMs;
    await put('spoken', { rights: [{ rights_id: 'grant-1', valid_until: iso(ends) }] }, ends);
    await assign('spoken', 'p1');
    await watch();
    expect(await ofBuy()).toMatchObject([{ kind: 'rights_ended', subject: 'grant-1', state: 'open' }]);
    // A buyer is told how many more cases there are than are shown.
    const undo = await copyCases(101);
    const many = await ofBuy();
    expect([many.length, many.at(-1)]).toEqual([101, { more: 2 }]);
    await undo();
    clock.advance(dayMs - 3_600_000);
    await act();
    await release('spoken');
    clock.advance(10_000);
    await act();
    const stopped = ['withdraw', 'confirmed by every seller'];
    expect(await cases()).toEqual([['done', ['p1'], ...stopped]]);
    expect(await ofBuy()).toEqual([]);
    await assign('spoken', 'p1');
    clock.advance(15 * 60_000);
    await act();
    expect(await cases()).toEqual([['acting', ['p1'], ...stopped, 'runs again', 'withdraw']]);
  });
});

describe('a creative that its seller stops', () => {
  it('is asked about where a package there has no other approved one, until one is approved', async () => {
    const { put, assign, told, act, cases, alarms, clock } = await world(['p1', []], ['p2', []]);
    for (const id of ['a', 'b']) await put(id);
    await assign('a', 'p1');
    await assign('a', 'p2');
    await assign('b', 'p2');
    await told('b', 'suspended');
    expect(await cases()).toEqual([]);
    await told('b', 'approved');
    await told('a', 'suspended');
    await act();
    expect(await cases()).toEqual([['asked', ['p1']]]);
    expect(await alarms()).toEqual([['creative_stopped', 'a']]);
    await told('a', 'approved');
    clock.advance(dayMs);
    await act();
    expect(await cases()).toEqual([['done', ['p1'], 'nothing runs with it']]);
  });
});

describe('what an agent of governance owns', () => {
  const list = (...values: readonly string[]): JsonObject => ({
    list: { list_id: 'safe', name: 'Safe places' },
    identifiers: values.map((value) => ({ type: 'domain', value })),
  });

  it('is read once a package names it and each day after, and a list that shrank untold is asked about, with its names', async () => {
    const { agents, decider, names, readAgain, act, cases, changes, alarms, clock } = await world(
      ['p1', []],
      ['p2', []],
    );
    const { agentUrl } = await decider('lists');
    const asked: JsonObject[] = [];
    let now = list('a.com', 'b.com');
    agents.set(agentUrl, (task, args) => {
      asked.push({ task, ...args });
      // Its second page.
      const { cursor } = args['pagination'] as JsonObject;
      if (cursor === 'more') return list('c.com');
      return { ...now, pagination: { has_more: true, cursor: 'more' } };
    });
    await names('p1', { property_list: { agent_url: agentUrl, list_id: 'safe' } });
    await names('p2', { property_list: { agent_url: 'https://another.example/mcp', list_id: 'safe' } });
    expect(await readAgain()).toBe(2);
    expect(asked.map(({ task, list_id: id }) => [task, id])).toEqual(
      Array(2).fill(['get_property_list', 'safe']),
    );
    expect([await readAgain(), await cases()]).toEqual([0, []]);
    now = list('a.com', 'd.com');
    clock.advance(dayMs);
    await readAgain();
    await act();
    expect(await cases()).toEqual([['asked', ['p1']]]);
    expect(await alarms()).toEqual([['list_changed', 'safe']]);
    const read = {
      added: 1,
      removed: 1,
      total: 3,
      added_entries: ['domain:d.com'],
      removed_entries: ['domain:b.com'],
    };
    expect(await changes()).toMatchObject([{ read }]);
    // It may be out of reach for a day: then nothing is taken for changed.
    agents.delete(agentUrl);
    clock.advance(dayMs - 1);
    await readAgain();
    expect(await cases()).toHaveLength(1);
  });

  it('whose copies were ended may be named by new buys once it was read again, also where nothing runs with it', async () => {
    const { agents, decider, readAgain, scope, work, clock } = await world(['p1', []]);
    const { agentUrl } = await decider('lists');
    const safe = { kind: 'property_list', subject: 'safe', agentUrl } as const;
    const ended = async () => (await work.things.ended(scope, [safe])).map(({ subject }) => subject);
    expect(await ended()).toEqual([]);
    await work.things.save(
      scope,
      safe,
      { entries: [], version: 'v' },
      { at: clock.now(), nextAt: clock.now() + dayMs },
    );
    clock.advance(60_000);
    expect(await ended()).toEqual([]);
    await work.things.end(scope, safe, clock.now());
    expect(await ended()).toEqual(['safe']);
    await readAgain();
    expect(await ended()).toEqual(['safe']);
    agents.set(agentUrl, () => ({ ...list('a.com'), cache_valid_until: iso(clock.now() + dayMs) }));
    clock.advance(3_600_000);
    await readAgain();
    expect(await ended()).toEqual([]);
    // Its time may be over before the next read.
    clock.advance(2 * dayMs);
    expect(await ended()).toEqual([]);
  });

  it.each([
    ['binds is paused', 'must', 'nobody answered: what runs is paused'],
    ['only advises goes on', 'may', 'nobody answered: what runs goes on'],
  ] as const)(
    'what runs against standards of which a policy that %s where nobody answers',
    async (_what, enforcement, act) => {
      const { agents, decider, names, readAgain, act: work, cases, alarms, clock } = await world(['p1', []]);
      const { agentUrl } = await decider('standards');
      let policy = 'No violence.';
      agents.set(agentUrl, () => ({
        standards_id: 'family',
        policies: [{ policy_id: 'calm', enforcement, policy }],
      }));
      await names('p1', { content_standards: { agent_url: agentUrl, standards_id: 'family' } });
      await readAgain();
      policy = 'No violence and no news.';
      clock.advance(dayMs);
      await readAgain();
      await work();
      expect(await cases()).toEqual([['asked', ['p1']]]);
      expect(await alarms()).toEqual([['content_standards_changed', 'family']]);
      clock.advance(dayMs);
      await work();
      const [[, , ...acts] = []] = await cases();
      expect(acts[0]).toBe(act);
    },
  );

  it('content of a buy is asked for each day at a seller that offers it, once more for a day that it did not answer, and checked by the agent of its standards', async () => {
    const { agents, buy, scope, seller, decider, names, readAgain, act, changes, clock, work } = await world([
      'p1',
      [],
    ]);
    await store.inTenant(scope, (client) =>
      client.query(`update connection set tools = '{"get_media_buy_artifacts": []}' where id = $1`, [
        seller.id,
      ]),
    );
    const { agentUrl } = await decider('standards');
    const asked: JsonObject[] = [];
    agents.set(agentUrl, (task) =>
      task === 'get_content_standards'
        ? { standards_id: 'family', policies: [] }
        : { summary: { total_records: 1, failed_records: 0 }, results: [] },
    );
    const answers = (task: string, args: JsonObject): JsonObject => {
      asked.push({ task, ...args });
      const access = { method: 'bearer_token', token: 'k3y-of-a' };
      const artifact = {
        ...{ property_rid: 'news', artifact_id: 'a' },
        assets: [{ type: 'image', url: 'https://cdn.example/a.png', access }],
      };
      return {
        media_buy_id: args['media_buy_id'] ?? '',
        artifacts: [{ record_id: 'r', timestamp: iso(clock.now()), package_id: 'p1', artifact }],
        collection_info: { total_collected: 40 },
      };
    };
    agents.set(seller.agentUrl, answers);
    await names('p1', { content_standards: { agent_url: agentUrl, standards_id: 'family' } });
    await readAgain();
    const from = iso(clock.now());
    agents.delete(seller.agentUrl);
    clock.advance(dayMs);
    await readAgain();
    agents.set(seller.agentUrl, answers);
    clock.advance(dayMs);
    await readAgain();
    await act();
    const now = iso(clock.now());
    clock.advance(dayMs);
    await readAgain();
    await act();
    expect(asked).toMatchObject([
      { task: 'get_media_buy_artifacts', media_buy_id: buy.sellerMediaBuyId },
      { media_buy_id: buy.sellerMediaBuyId, time_range: { start: from, end: now } },
      { media_buy_id: buy.sellerMediaBuyId, time_range: { start: now } },
    ]);
    const found = await changes();
    expect(found).toMatchObject([
      { batch: { media_buy_id: buy.mediaBuyId, pushed: 40 }, checked: { sent: 1, failed: 0 } },
      { checked: { sent: 1 } },
      { checked: { sent: 1 } },
    ]);
    const [{ batch } = { batch: {} }] = found as unknown as readonly { batch: JsonObject }[];
    const stored = await work.inbox.bodyOf(scope, batch['event_id'] as string);
    expect(String(stored)).not.toContain('k3y-of-a');
  });
});
