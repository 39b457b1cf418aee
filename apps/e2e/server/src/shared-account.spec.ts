import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import {
  createOrganization,
  createPrincipal,
  createToken,
  seededRandom,
  type SeededRandom,
  startReceiver,
} from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { callTask, endpointNames, post, type TaskResponse, type Send } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { Market, marketTokens } from './harness/market.js';
import { openOrganization } from './harness/shared-instance.js';
import { waitUntil } from './harness/wait-until.js';
import { send } from './harness/http-answer.js';

const folder = dataFolder();
let instance: Instance;
let market: Market;
/** Two organizations with one account at each of these sellers: both have the same token. */
let ours: Send;
let theirs: Send;
let prompt: string;

const shared = ['prompt', 'signals-prompt'];

beforeAll(async () => {
  instance = await openOrganization(folder.path, shared, 'paused');
  ours = instance;
  market = Market.of(folder.path);
  const store = openStore(ownerUrlOf(folder.path));
  const { id } = await createOrganization(store, { domain: 'agency.example' });
  const principal = await createPrincipal(store, id, { permissions: allPermissions, transitional: true });
  theirs = { url: instance.url, token: await createToken(store, principal) };
  await store.close();
  const agents = await market.agents();
  prompt = agents.find(({ slug }) => slug === 'prompt')?.agent_url ?? '';
  const tokens = marketTokens(folder.path);
  const rows = agents
    .filter(({ slug }) => shared.includes(slug))
    .map(({ slug, agent_url }) => ({
      slug,
      agent_url,
      protocol: 'mcp',
      dialect: 'adcp',
      token: tokens[slug],
    }));
  const imported = await post('REST', theirs, '/v1/sellers/import', JSON.stringify(rows));
  expect(list(imported.body['imported'] ?? imported.body['sellers']).map(({ state }) => state)).toEqual([
    'live',
    'live',
  ]);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const modern = (more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  ...more,
});
const findingsOf = ({ body }: TaskResponse): readonly Json[] => {
  const ext = body['ext'] as { readonly switchyard?: { readonly findings?: unknown } } | undefined;
  return list(ext?.switchyard?.findings ?? body['findings']);
};

/** Returns our ids at a seller for a buyer's id, from what the seller stores or received. */
const idsOfOurs = (reported: unknown, id: string): readonly string[] => [
  ...new Set(
    [...JSON.stringify(reported).matchAll(new RegExp(`"(${id}-[0-9a-f]{24})"`, 'g'))].map(
      ([, value]) => value ?? '',
    ),
  ),
];
/** Names of creatives whose ids a seller has for this buyer's id. */
const namesUnder = (library: Readonly<Record<string, unknown>>, id: string): readonly unknown[] =>
  idsOfOurs(library, id).map((ownId) => library[ownId]);

/** Unassigned creatives are sent only to sellers that the request names. */
const atPrompt: Json = { ext: { switchyard: { sellers: ['prompt'] } } };

describe('creatives of two organizations in one library of a seller', () => {
  const banner = { agent_url: 'https://creatives.market.example', id: 'display_300x250' };
  const image = { asset_type: 'image', url: 'https://cdn.roaster.example/1.png', width: 300, height: 250 };
  const creative = (id: string, name: string): Json => ({
    creative_id: id,
    name,
    format_id: banner,
    assets: { main: image },
  });
  const sync = (of: Send, creatives: readonly Json[], more: Json = {}): Promise<TaskResponse> =>
    callTask('REST', of, 'sync_creatives', modern({ creatives, ...atPrompt, ...more }));
  const held = async (): Promise<Readonly<Record<string, unknown>>> => {
    const books = (await market.books()) as readonly Json[];
    const library = list(books.find(({ slug }) => slug === 'prompt')?.['creatives']);
    return Object.fromEntries(
      library
        .filter(({ status }) => status !== 'archived')
        .map(({ creative_id: id, name }): [string, unknown] => [String(id), name]),
    );
  };
  const taken = (of: Send, id: string): Promise<true> =>
    waitUntil('the seller has taken it', async () => {
      const { body } = await callTask('REST', of, 'list_creatives', {
        adcp_version: '3.1',
        filters: { creative_ids: [id] },
      });
      return list(body['creatives'])[0]?.['status'] === 'approved' ? true : undefined;
    });

  it.each(endpointNames)('are visible only to their own organization, at %s', async (endpoint) => {
    const id = `ours-${endpoint}`;
    await callTask(
      endpoint,
      ours,
      'sync_creatives',
      modern({ creatives: [creative(id, 'Ours')], ...atPrompt }),
    );
    await taken(ours, id);
    expect(namesUnder(await held(), id)).toEqual(['Ours']);
    const { body, text } = await callTask(endpoint, theirs, 'list_creatives', { adcp_version: '3.1' });
    expect(body).toMatchObject({ query_summary: { total_matching: 0 } });
    expect(text).not.toContain(id);
  });

  /** Returns an answer to a sync without its times. */
  const received = (answer: TaskResponse): string =>
    JSON.stringify([
      answer.httpStatus,
      answer.errors,
      findingsOf(answer),
      answer.body['creatives'],
    ]).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');

  it.each(endpointNames)(
    'are stored under one id, and each organization gets the answers that it would get alone, at %s',
    async (endpoint) => {
      const id = `spring-${endpoint}`;
      const reply = (of: Send, name: string, more: Json = {}): Promise<TaskResponse> =>
        callTask(
          endpoint,
          of,
          'sync_creatives',
          modern({ creatives: [creative(id, name)], ...atPrompt, ...more }),
        );
      const alone = received(await reply(theirs, 'Theirs', { dry_run: true }));
      const first = received(await reply(ours, 'Ours'));
      await taken(ours, id);
      expect(received(await reply(theirs, 'Theirs', { dry_run: true }))).toBe(alone);
      expect(received(await reply(theirs, 'Theirs'))).toBe(first);
      await taken(theirs, id);
      const library = await held();
      expect([...namesUnder(library, id)].sort()).toEqual(['Ours', 'Theirs']);
      expect(library).not.toHaveProperty(id);
      // Each updates its own creative, and sees no id but its own.
      for (const [of, before] of [
        [ours, 'Ours'],
        [theirs, 'Theirs'],
      ] as const) {
        const at = idsOfOurs(library, id).find((id) => library[id] === before) ?? '';
        const again = await reply(of, `${before} again`);
        expect([again.errors, findingsOf(again)]).toEqual([[], []]);
        await waitUntil('the seller has the new version', async () =>
          (await held())[at] === `${before} again` ? true : undefined,
        );
        const listed = await callTask(endpoint, of, 'list_creatives', { adcp_version: '3.1' });
        expect([again.text, listed.text].filter((text) => text.includes(`${id}-`))).toEqual([]);
        expect(listed.text).toContain(id);
      }
    },
  );

  it('are not deleted by the other’s delete_missing, in either direction', async () => {
    await sync(ours, [creative('ours-kept', 'Ours')]);
    await sync(theirs, [creative('theirs-kept', 'Theirs')]);
    await taken(ours, 'ours-kept');
    await taken(theirs, 'theirs-kept');
    const before = await held();
    for (const [of, id] of [
      [theirs, 'theirs-new'],
      [ours, 'ours-new'],
    ] as const) {
      const answer = await sync(of, [creative(id, 'New')], { delete_missing: true });
      expect(answer.errors).toEqual([]);
      expect(findingsOf(answer)).toMatchObject([{ code: 'DELETE_MISSING_NOT_SENT', seller: 'prompt' }]);
      await taken(of, id);
    }
    const after = await held();
    expect(after).toMatchObject(before);
    for (const id of ['theirs-new', 'ours-new']) expect(namesUnder(after, id)).toEqual(['New']);
    expect(Object.keys(after)).toHaveLength(Object.keys(before).length + 2);
  });
});

describe('creatives that come with the buys of two organizations', () => {
  const creative = (id: string, name: string): Json => ({
    creative_id: id,
    name,
    format_id: { agent_url: 'https://creatives.market.example', id: 'display_300x250' },
    assets: {
      main: { asset_type: 'image', url: 'https://cdn.roaster.example/1.png', width: 300, height: 250 },
    },
  });
  /** Returns the creatives that the seller received with buys, in order: our ids and the names. */
  const sentOf = async (id: string): Promise<readonly (readonly [unknown, unknown])[]> => {
    const calls = (await market.calls()).find(({ slug }) => slug === 'prompt');
    const sent = (calls?.recent ?? [])
      .filter(({ tool }) => tool === 'create_media_buy' || tool === 'update_media_buy')
      .flatMap(({ args }) => list(args['packages']).flatMap((item) => list(item['creatives'])));
    return sent.flatMap(({ creative_id: at, name }) =>
      String(at).startsWith(id) ? [[at, name] as const] : [],
    );
  };
  const bought = async (): Promise<number> => (await market.booksOf('prompt')).length;
  const buy = async (
    of: Send,
    more: Json,
    endpoint: (typeof endpointNames)[number] = 'REST',
  ): Promise<TaskResponse> => {
    const catalogue = await Catalogue.read(of, 2);
    // On a slow machine a flight of one day would end before the update.
    const end_time = '2099-01-01T00:00:00Z';
    return callTask(
      endpoint,
      of,
      'create_media_buy',
      buyRequest([catalogue.packageOf('prompt', more)], { end_time }),
    );
  };

  it.each(endpointNames)(
    'do not replace another organization’s, and cannot be named by it, at %s',
    async (endpoint) => {
      const id = `brought-${endpoint}`;
      expect((await buy(ours, { creatives: [creative(id, 'Ours')] }, endpoint)).errors).toEqual([]);
      const before = await bought();
      const used = await buy(theirs, { creative_assignments: [{ creative_id: id }] }, endpoint);
      expect(used.errors.map(({ code }) => code)).toEqual(['CREATIVE_NOT_FOUND']);
      // For an unknown id they get the same answer.
      const nobodys = await buy(theirs, { creative_assignments: [{ creative_id: `${id}-x` }] }, endpoint);
      const plain = ({ httpStatus, errors }: TaskResponse, of: string): string =>
        JSON.stringify([httpStatus, errors]).replaceAll(of, '<id>');
      expect(plain(nobodys, `${id}-x`)).toBe(plain(used, id));
      expect(await bought()).toBe(before);
      // Their own creative with the same id is created as if it were the only one.
      const own = await buy(theirs, { creatives: [creative(id, 'Theirs')] }, endpoint);
      expect(own.errors).toEqual([]);
      const named = await buy(theirs, { creative_assignments: [{ creative_id: id }] }, endpoint);
      expect(named.errors).toEqual([]);
      const [item] = list(own.body['packages']);
      const change = modern({
        media_buy_id: own.body['media_buy_id'],
        packages: [{ package_id: item?.['package_id'], creatives: [creative(id, 'Theirs again')] }],
      });
      const changed = await callTask(endpoint, theirs, 'update_media_buy', change);
      expect(changed.errors).toEqual([]);
      expect((await buy(ours, { creatives: [creative(id, 'Ours again')] }, endpoint)).errors).toEqual([]);
      const sent = await sentOf(id);
      expect(sent.map(([, name]) => name)).toEqual(['Ours', 'Theirs', 'Theirs again', 'Ours again']);
      const [first, second, third, last] = sent.map(([at]) => at);
      expect([third, last]).toEqual([second, first]);
      const other = String(second);
      expect([...idsOfOurs(sent, id)].sort()).toEqual([String(first), other].sort());
      const shown = await Promise.all(
        ['get_media_buys', 'get_media_buy_delivery', 'list_creatives', 'tasks/list'].map((task) =>
          callTask(endpoint, theirs, task, { adcp_version: '3.1' }),
        ),
      );
      for (const { text } of [own, named, changed, ...shown]) expect(text).not.toContain(other);
    },
  );

  it('belong to each organization when both buy with one new id at once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const id = `at-once-${String(round)}`;
      const answers = await Promise.all([
        buy(ours, { creatives: [creative(id, 'Ours')] }),
        buy(theirs, { creatives: [creative(id, 'Theirs')] }),
      ]);
      expect(answers.map(({ errors }) => errors)).toEqual([[], []]);
      const sent = await sentOf(id);
      expect(sent.map(([, name]) => name).sort()).toEqual(['Ours', 'Theirs']);
      expect(idsOfOurs(sent, id)).toHaveLength(2);
    }
  });
});

describe('requests of two organizations with the same ids', () => {
  const format = { agent_url: 'https://creatives.market.example', id: 'display_300x250' };
  const image = { asset_type: 'image', url: 'https://cdn.roaster.example/1.png', width: 300, height: 250 };
  /** Returns an answer without fresh ids, times, time-dependent figures and the state of the seller's review. */
  const plain = ({ httpStatus, body, errors }: TaskResponse): string =>
    JSON.stringify([httpStatus, errors, body])
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/(?:mb|pkg|op|task)[_-][A-Za-z0-9_-]+/g, '<id>')
      .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
      .replaceAll(/"elapsed_ms":\d+/g, '"elapsed_ms":0')
      .replaceAll(/"(?:processing|pending_review|approved)"/g, '"<seen>"');

  interface Walker {
    readonly of: Send;
    readonly answers: string[];
    buy?: { readonly id: unknown; readonly packageId: unknown };
  }

  /** Takes one step of a walk. The same dice give the same step for each walker. */
  async function take(walker: Walker, dice: SeededRandom, prefix: string): Promise<void> {
    const { of, answers, buy } = walker;
    const [kind, which, version] = [dice.between(0, 6), dice.between(0, 2), dice.between(0, 1)];
    const id = `${prefix}-${String(which)}`;
    const name = `Version ${String(version)}`;
    const creative = { creative_id: id, name, format_id: format, assets: { main: image } };
    const buyWith = async (more: Json): Promise<TaskResponse> => {
      const catalogue = await Catalogue.read(of, 2);
      // No flight ends during the walk.
      const flight = { end_time: '2099-01-01T00:00:00Z' };
      return callTask(
        'REST',
        of,
        'create_media_buy',
        buyRequest([catalogue.packageOf('prompt', more)], flight),
      );
    };
    const calls: readonly (() => Promise<TaskResponse>)[] = [
      () => callTask('REST', of, 'sync_creatives', modern({ creatives: [creative], ...atPrompt })),
      () =>
        callTask('REST', of, 'sync_creatives', modern({ creatives: [creative], ...atPrompt, dry_run: true })),
      () => callTask('REST', of, 'list_creatives', { adcp_version: '3.1', filters: { creative_ids: [id] } }),
      () => buyWith({ creatives: [creative] }),
      () => buyWith({ creative_assignments: [{ creative_id: id }] }),
      () =>
        callTask(
          'REST',
          of,
          'update_media_buy',
          modern({
            media_buy_id: buy?.id ?? 'none',
            packages: [{ package_id: buy?.packageId ?? 'prompt:none', creatives: [creative] }],
          }),
        ),
      () =>
        callTask(
          'REST',
          of,
          'sync_creatives',
          modern({
            creatives: [creative],
            assignments: [{ creative_id: id, package_id: buy?.packageId ?? 'prompt:none' }],
          }),
        ),
    ];
    const answer = await calls[kind]?.();
    if (answer === undefined) throw new Error(`There is no step ${String(kind)}.`);
    // The list has the seller's current decisions; whose creatives it contains does not depend on time.
    const listed = list(answer.body['creatives']).map((row) => [
      row['creative_id'],
      row['name'],
      row['assets'],
    ]);
    const reported = kind === 2 ? JSON.stringify([answer.httpStatus, listed]) : plain(answer);
    answers.push(`${String(kind)} ${id} ${reported}`);
    const [item] = list(answer.body['packages']);
    if ((kind === 3 || kind === 4) && answer.errors.length === 0)
      walker.buy = { id: answer.body['media_buy_id'], packageId: item?.['package_id'] };
  }

  it.each([1, 2, 3])('get the answers that each would get alone, in either order (%s)', async (seed) => {
    const order = seededRandom(seed);
    const [one, other]: readonly [Walker, Walker] = [
      { of: ours, answers: [] },
      { of: theirs, answers: [] },
    ];
    const walks = [one, other].map((walker) => ({ walker, dice: seededRandom(seed * 100) }));
    const steps = 14;
    while (walks.some(({ walker }) => walker.answers.length < steps)) {
      const open = walks.filter(({ walker }) => walker.answers.length < steps);
      const turn = open[order.between(0, open.length - 1)];
      if (turn !== undefined) await take(turn.walker, turn.dice, `walk-${String(seed)}`);
    }
    expect(other.answers).toEqual(one.answers);
  });
});

describe('activations of two organizations at one signals agent', () => {
  const target = (): Json => ({ type: 'agent', agent_url: prompt });
  const signalOf = async (
    of: Send,
  ): Promise<{ readonly id: string; readonly at: Json | undefined; text: string }> => {
    const { body, text } = await callTask('REST', of, 'get_signals', {
      adcp_version: '3.1',
      signal_spec: 'sports fans',
      destinations: [target()],
    });
    const [signal] = list(body['signals']);
    const id = String(signal?.['signal_agent_segment_id']);
    return { id, at: list(signal?.['deployments'])[0], text };
  };
  const query = (of: Send, id: string, more: Json = {}): Promise<TaskResponse> => {
    const requested = { signal_agent_segment_id: id, destinations: [target()], ...more };
    return callTask('REST', of, 'activate_signal', modern(requested));
  };
  const key = (id: string): Json => ({ type: 'key_value', key: 'audience', value: id.split(':')[1] });
  const actions = async (): Promise<readonly unknown[]> => {
    const calls = (await market.calls()).find(({ slug }) => slug === 'signals-prompt');
    return (calls?.recent ?? [])
      .filter(({ tool }) => tool === 'activate_signal')
      .map(({ args }) => args['action'] ?? 'activate');
  };

  it('belong to each organization: the other can neither see, use nor deactivate them', async () => {
    const { id } = await signalOf(ours);
    expect((await query(ours, id)).body).toMatchObject({
      status: 'completed',
      deployments: [{ is_live: true, activation_key: key(id) }],
    });

    const seen = await signalOf(theirs);
    expect(seen).toMatchObject({ id, at: { ...target(), is_live: false } });
    expect(seen.text).not.toContain('activation_key');
    expect(seen.text).not.toContain('deployed_at');
    const catalogue = await Catalogue.read(theirs, 2);
    const targeting = { axe_include_segment: id };
    const wanted = catalogue.packageOf('prompt', { targeting_overlay: targeting });
    const bought = await callTask('REST', theirs, 'create_media_buy', buyRequest([wanted]));
    expect(findingsOf(bought).map(({ code }) => code)).toContain('SIGNAL_NOT_LIVE');

    // Its agent answers that it is already active: that is a success, with the key.
    const own = await query(theirs, id);
    expect(own.errors).toEqual([]);
    expect(own.body).toMatchObject({
      status: 'completed',
      deployments: [{ is_live: true, activation_key: key(id) }],
    });
    expect((await signalOf(theirs)).at).toMatchObject({ is_live: true });

    const back = await query(theirs, id, { action: 'deactivate' });
    expect(back.body).toMatchObject({ status: 'completed', deployments: [{ ...target(), is_live: false }] });
    expect(findingsOf(back).map(({ code }) => code)).toContain('KEPT_FOR_OTHERS');
    expect((await signalOf(theirs)).at).toMatchObject({ is_live: false });
    expect((await signalOf(ours)).at).toMatchObject({ is_live: true, activation_key: key(id) });
    expect(await actions()).not.toContain('deactivate');

    const last = await query(ours, id, { action: 'deactivate' });
    expect(last.body).toMatchObject({ status: 'completed', deployments: [{ ...target(), is_live: false }] });
    expect(findingsOf(last).map(({ code }) => code)).not.toContain('KEPT_FOR_OTHERS');
    expect((await actions()).at(-1)).toBe('deactivate');
    for (const each of [ours, theirs]) expect((await signalOf(each)).at).toMatchObject({ is_live: false });
  });
});

describe('media buys of two organizations in one account of a seller', () => {
  // Longer than the tests take on a slow machine: a day of the flight is about two seconds.
  const year = { end_time: new Date(Date.now() + 365 * 86_400_000).toISOString() };
  /** Creates a buy with a webhook URL. Returns it with its id at the seller. */
  const buyOf = async (of: Send, update: string) => {
    const before = new Set((await market.booksOf('prompt')).map(({ media_buy_id: id }) => id));
    const catalogue = await Catalogue.read(of, 2);
    const format = { agent_url: 'https://creatives.market.example', id: 'display_300x250' };
    // An id in the account belongs to one organization.
    const brought = { creative_id: randomUUID(), name: 'Spring', format_id: format, assets: {} };
    const address = (path: string): Json => ({ url: `${update}/${path}`, operation_id: randomUUID() });
    const { body } = await callTask(
      'REST',
      of,
      'create_media_buy',
      // The same reference in both buys: a reference that a seller echoes does not identify the owner.
      buyRequest(
        [catalogue.packageOf('prompt', { context: { buyer_ref: 'spring' }, creatives: [brought] })],
        {
          ...year,
          context: { buyer_ref: 'spring' },
          push_notification_config: address('task'),
          reporting_webhook: { ...address('reports'), reporting_frequency: 'daily' },
        },
      ),
    );
    const made = (await market.booksOf('prompt')).find(({ media_buy_id: id }) => !before.has(id));
    const [packed] = list(body['packages']);
    return {
      id: String(body['media_buy_id']),
      atSeller: made?.media_buy_id ?? '',
      packageId: String(packed?.['package_id']),
    };
  };

  it('are shown, reported, listed and sent only to their own organization, and changed only by it', async () => {
    const receivers = await Promise.all([startReceiver(), startReceiver()]);
    const [ourNews, theirNews] = receivers;
    const mine = await buyOf(ours, ourNews.url);
    const foreign = await buyOf(theirs, theirNews.url);
    expect(new Set([mine.id, mine.atSeller, foreign.id, foreign.atSeller, '']).size).toBe(5);
    await market.days('second');
    await waitUntil('both are told of a report', () =>
      receivers.every(({ received }) => JSON.stringify(received).includes('media_buy_deliveries'))
        ? true
        : undefined,
    );
    await market.days('paused');
    for (const [of, own, other] of [
      [ours, mine, foreign],
      [theirs, foreign, mine],
    ] as const)
      for (const endpoint of endpointNames) {
        const everything = { status_filter: ['active', 'pending_start', 'pending_creatives', 'paused'] };
        const requested: readonly (readonly [string, Json, string])[] = [
          ['get_media_buys', { ...everything, include_snapshot: true, include_history: 100 }, own.id],
          ['get_media_buys', { ...everything, include_webhook_activity: true }, own.id],
          ['get_media_buy_delivery', { media_buy_ids: [own.id] }, own.id],
          ['get_media_buy_delivery', {}, own.id],
          ['tasks/list', {}, ''],
          ['list_creatives', {}, ''],
        ];
        for (const [task, args, shows] of requested) {
          const { text } = await callTask(endpoint, of, task, { adcp_version: '3.1', ...args });
          expect([endpoint, task, text.includes(shows)]).toEqual([endpoint, task, true]);
          for (const secret of [other.id, other.atSeller, other.packageId])
            expect([endpoint, task, text.includes(secret)]).toEqual([endpoint, task, false]);
        }
        // Neither by our id nor by the seller's.
        for (const id of [other.id, other.atSeller, `prompt:${other.atSeller}`]) {
          const paused = { media_buy_id: id, paused: true };
          const change = await callTask(endpoint, of, 'update_media_buy', modern(paused));
          expect(change.errors.map(({ code }) => code)).toEqual(['MEDIA_BUY_NOT_FOUND']);
          const nobodys = { adcp_version: '3.1', media_buy_ids: [randomUUID()] };
          const none = await callTask(endpoint, of, 'get_media_buys', nobodys);
          const read = await callTask(endpoint, of, 'get_media_buys', { ...nobodys, media_buy_ids: [id] });
          const codes = ({ errors }: TaskResponse): readonly unknown[] => errors.map(({ code }) => code);
          expect([list(read.body['media_buys']), codes(read)]).toEqual([[], codes(none)]);
        }
      }
    const books = await market.booksOf('prompt');
    for (const { atSeller } of [mine, foreign])
      expect(books.find(({ media_buy_id: id }) => id === atSeller)?.status).toBe('active');
    for (const [{ received }, other] of [
      [ourNews, foreign],
      [theirNews, mine],
    ] as const)
      for (const secret of [other.id, other.atSeller, other.packageId])
        expect(JSON.stringify(received)).not.toContain(secret);
    for (const who of [ours, theirs]) {
      const other = who === ours ? foreign : mine;
      for (const path of ['/v1/buys', '/v1/events', '/v1/alarms', '/v1/ledger/spend']) {
        const { status, text } = await send(who, 'GET', path);
        expect([path, status]).toEqual([path, 200]);
        for (const secret of [other.id, other.atSeller, other.packageId])
          expect([path, text.includes(secret)]).toEqual([path, false]);
      }
    }
    await Promise.all(receivers.map(({ close }) => close()));
  });
});
