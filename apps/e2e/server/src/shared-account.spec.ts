import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { callTask, doorNames, post, type DoorReply, type Send } from './harness/doors.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market, marketTokens } from './harness/market.js';
import { waitUntil } from './harness/wait-until.js';

const folder = dataFolder();
let instance: Instance;
let market: Market;
/** Two organizations with one account at each of these sellers: the same token opens it to both. */
let ours: Send;
let theirs: Send;
let prompt: string;

const shared = ['prompt', 'signals-prompt'];

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--market', shared.join(',')]);
  ours = instance;
  market = Market.of(folder.path);
  const store = openStore(ownerUrlOf(folder.path));
  const { id } = await createOrganization(store);
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
}, 120_000);

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const modern = (more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'localhost' },
  ...more,
});
const findingsOf = ({ body }: DoorReply): readonly Json[] => {
  const ext = body['ext'] as { readonly switchyard?: { readonly findings?: unknown } } | undefined;
  return list(ext?.switchyard?.findings ?? body['findings']);
};

describe('creatives of two organizations in one library of a seller', () => {
  const banner = { agent_url: 'https://creatives.market.example', id: 'display_300x250' };
  const image = { asset_type: 'image', url: 'https://cdn.roaster.example/1.png', width: 300, height: 250 };
  const creative = (id: string, name: string): Json => ({
    creative_id: id,
    name,
    format_id: banner,
    assets: { main: image },
  });
  const sync = (of: Send, creatives: readonly Json[], more: Json = {}): Promise<DoorReply> =>
    callTask('REST', of, 'sync_creatives', modern({ creatives, ...more }));
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

  it.each(doorNames)('are seen by their own alone, at %s', async (door) => {
    const id = `ours-${door}`;
    await callTask(door, ours, 'sync_creatives', modern({ creatives: [creative(id, 'Ours')] }));
    await taken(ours, id);
    expect(await held()).toMatchObject({ [id]: 'Ours' });
    const { body, text } = await callTask(door, theirs, 'list_creatives', { adcp_version: '3.1' });
    expect(body).toMatchObject({ query_summary: { total_matching: 0 } });
    expect(text).not.toContain(id);
  });

  it('are not written over under the same id, and whose it is is not said', async () => {
    await sync(ours, [creative('spring', 'Ours')]);
    await taken(ours, 'spring');
    const answer = await sync(theirs, [creative('spring', 'Theirs'), creative('theirs', 'Theirs')]);
    expect(answer.errors).toEqual([]);
    expect(findingsOf(answer)).toMatchObject([
      { code: 'CREATIVE_ID_TAKEN', field: 'spring', seller: 'prompt' },
    ]);
    await taken(theirs, 'theirs');
    expect(await held()).toMatchObject({ spring: 'Ours', theirs: 'Theirs' });
    // Each goes on with what is its own.
    expect(findingsOf(await sync(ours, [creative('spring', 'Ours again')]))).toEqual([]);
    await waitUntil('the seller has the new version', async () =>
      (await held())['spring'] === 'Ours again' ? true : undefined,
    );
  });

  it('are not taken away by the other’s delete_missing, in either direction', async () => {
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
    expect(await held()).toEqual({ ...before, 'theirs-new': 'New', 'ours-new': 'New' });
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
  /** Under which names the seller was sent a creative with its buys, in order. */
  const namesSent = async (id: string): Promise<readonly unknown[]> => {
    const calls = (await market.calls()).find(({ slug }) => slug === 'prompt');
    return (calls?.recent ?? [])
      .filter(({ tool }) => tool === 'create_media_buy' || tool === 'update_media_buy')
      .flatMap(({ args }) => list(args['packages']).flatMap((item) => list(item['creatives'])))
      .filter((one) => one['creative_id'] === id)
      .map(({ name }) => name);
  };
  const bought = async (): Promise<number> => (await market.booksOf('prompt')).length;
  const buy = async (of: Send, more: Json, door: (typeof doorNames)[number] = 'REST'): Promise<DoorReply> => {
    const catalogue = await Catalogue.read(of, 2);
    return callTask(door, of, 'create_media_buy', buyRequest([catalogue.packageOf('prompt', more)]));
  };

  it.each(doorNames)('take nobody else’s place, and cost nobody a buy without them, at %s', async (door) => {
    const id = `brought-${door}`;
    expect((await buy(ours, { creatives: [creative(id, 'Ours')] }, door)).errors).toEqual([]);
    const before = await bought();
    const refused = await buy(theirs, { creatives: [creative(id, 'Theirs')] }, door);
    expect(refused.errors).toMatchObject([{ code: 'INVALID_REQUEST', field: 'packages[0].creatives' }]);
    const used = await buy(theirs, { creative_assignments: [{ creative_id: id }] }, door);
    expect(used.errors.map(({ code }) => code)).toEqual(['CREATIVE_NOT_FOUND']);
    // Of an id that nobody has they are told the same.
    const nobodys = await buy(theirs, { creative_assignments: [{ creative_id: `${id}-x` }] }, door);
    const plain = ({ httpStatus, errors }: DoorReply, of: string): string =>
      JSON.stringify([httpStatus, errors]).replaceAll(of, '<id>');
    expect(plain(nobodys, `${id}-x`)).toBe(plain(used, id));
    expect([await namesSent(id), await bought()]).toEqual([['Ours'], before]);
    // A buy of their own is changed no more than it is made with it.
    const own = await buy(theirs, {}, door);
    const [item] = list(own.body['packages']);
    const change = modern({
      media_buy_id: own.body['media_buy_id'],
      packages: [{ package_id: item?.['package_id'], creatives: [creative(id, 'Theirs')] }],
    });
    const changed = await callTask(door, theirs, 'update_media_buy', change);
    expect(changed.errors).toMatchObject([{ code: 'INVALID_REQUEST', field: 'packages[0].creatives' }]);
    expect((await buy(ours, { creatives: [creative(id, 'Ours again')] }, door)).errors).toEqual([]);
    expect(await namesSent(id)).toEqual(['Ours', 'Ours again']);
  });

  it('are one organization’s alone when both buy with one new id at once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const id = `at-once-${String(round)}`;
      const answers = await Promise.all([
        buy(ours, { creatives: [creative(id, 'Ours')] }),
        buy(theirs, { creatives: [creative(id, 'Theirs')] }),
      ]);
      const codes = answers.map(({ errors }) => errors.map(({ code }) => code));
      expect(codes.filter((one) => one.length === 0)).toHaveLength(1);
      expect(['CONFLICT', 'INVALID_REQUEST']).toContain(codes.flat()[0]);
      expect(await namesSent(id)).toEqual([codes[0]?.length === 0 ? 'Ours' : 'Theirs']);
    }
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
  const ask = (of: Send, id: string, more: Json = {}): Promise<DoorReply> => {
    const asked = { signal_agent_segment_id: id, destinations: [target()], ...more };
    return callTask('REST', of, 'activate_signal', modern(asked));
  };
  const key = (id: string): Json => ({ type: 'key_value', key: 'audience', value: id.split(':')[1] });
  const actions = async (): Promise<readonly unknown[]> => {
    const calls = (await market.calls()).find(({ slug }) => slug === 'signals-prompt');
    return (calls?.recent ?? [])
      .filter(({ tool }) => tool === 'activate_signal')
      .map(({ args }) => args['action'] ?? 'activate');
  };

  it('are each organization’s own: seen, used and taken back by nobody else', async () => {
    const { id } = await signalOf(ours);
    expect((await ask(ours, id)).body).toMatchObject({
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

    // Its agent says that it stands already: that is success, with the key.
    const own = await ask(theirs, id);
    expect(own.errors).toEqual([]);
    expect(own.body).toMatchObject({
      status: 'completed',
      deployments: [{ is_live: true, activation_key: key(id) }],
    });
    expect((await signalOf(theirs)).at).toMatchObject({ is_live: true });

    const back = await ask(theirs, id, { action: 'deactivate' });
    expect(back.body).toMatchObject({ status: 'completed', deployments: [{ ...target(), is_live: false }] });
    expect(findingsOf(back).map(({ code }) => code)).toContain('KEPT_FOR_OTHERS');
    expect((await signalOf(theirs)).at).toMatchObject({ is_live: false });
    expect((await signalOf(ours)).at).toMatchObject({ is_live: true, activation_key: key(id) });
    expect(await actions()).not.toContain('deactivate');

    const last = await ask(ours, id, { action: 'deactivate' });
    expect(last.body).toMatchObject({ status: 'completed', deployments: [{ ...target(), is_live: false }] });
    expect(findingsOf(last).map(({ code }) => code)).not.toContain('KEPT_FOR_OTHERS');
    expect((await actions()).at(-1)).toBe('deactivate');
    for (const each of [ours, theirs]) expect((await signalOf(each)).at).toMatchObject({ is_live: false });
  }, 60_000);
});

describe('media buys of two organizations in one account of a seller', () => {
  const month = { end_time: new Date(Date.now() + 30 * 86_400_000).toISOString() };
  /** One buy, with an address for its news, and its id at the seller. */
  const buyOf = async (of: Send, news: string) => {
    const before = new Set((await market.booksOf('prompt')).map(({ media_buy_id: id }) => id));
    const catalogue = await Catalogue.read(of, 2);
    const format = { agent_url: 'https://creatives.market.example', id: 'display_300x250' };
    // One id in the account is one organization's.
    const brought = { creative_id: randomUUID(), name: 'Spring', format_id: format, assets: {} };
    const address = (path: string): Json => ({ url: `${news}/${path}`, operation_id: randomUUID() });
    const { body } = await callTask(
      'REST',
      of,
      'create_media_buy',
      // The very same reference in both: what a seller echoes tells nobody whose it is.
      buyRequest(
        [catalogue.packageOf('prompt', { context: { buyer_ref: 'spring' }, creatives: [brought] })],
        {
          ...month,
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

  it('are shown, reported, listed and told to their own alone, and changed by nobody else', async () => {
    const receivers = await Promise.all([newsReceiver(), newsReceiver()]);
    const [ourNews, theirNews] = receivers;
    const mine = await buyOf(ours, ourNews.url);
    const foreign = await buyOf(theirs, theirNews.url);
    expect(new Set([mine.id, mine.atSeller, foreign.id, foreign.atSeller, '']).size).toBe(5);
    await waitUntil('both are told of a report', () =>
      receivers.every(({ heard }) => heard.some((one) => one.includes('media_buy_deliveries')))
        ? true
        : undefined,
    );
    for (const [of, own, other] of [
      [ours, mine, foreign],
      [theirs, foreign, mine],
    ] as const)
      for (const door of doorNames) {
        const everything = { status_filter: ['active', 'pending_start', 'pending_creatives', 'paused'] };
        const asked: readonly (readonly [string, Json, string])[] = [
          ['get_media_buys', { ...everything, include_snapshot: true, include_history: 100 }, own.id],
          ['get_media_buys', { ...everything, include_webhook_activity: true }, own.id],
          ['get_media_buy_delivery', { media_buy_ids: [own.id] }, own.id],
          ['get_media_buy_delivery', {}, own.id],
          ['tasks/list', {}, ''],
          ['list_creatives', {}, ''],
        ];
        for (const [task, args, shows] of asked) {
          const { text } = await callTask(door, of, task, { adcp_version: '3.1', ...args });
          expect([door, task, text.includes(shows)]).toEqual([door, task, true]);
          for (const secret of [other.id, other.atSeller, other.packageId])
            expect([door, task, text.includes(secret)]).toEqual([door, task, false]);
        }
        // Neither by our own name for it nor by the seller's.
        for (const id of [other.id, other.atSeller, `prompt:${other.atSeller}`]) {
          const paused = { media_buy_id: id, paused: true };
          const change = await callTask(door, of, 'update_media_buy', modern(paused));
          expect(change.errors.map(({ code }) => code)).toEqual(['MEDIA_BUY_NOT_FOUND']);
          const nobodys = { adcp_version: '3.1', media_buy_ids: [randomUUID()] };
          const none = await callTask(door, of, 'get_media_buys', nobodys);
          const read = await callTask(door, of, 'get_media_buys', { ...nobodys, media_buy_ids: [id] });
          const codes = ({ errors }: DoorReply): readonly unknown[] => errors.map(({ code }) => code);
          expect([list(read.body['media_buys']), codes(read)]).toEqual([[], codes(none)]);
        }
      }
    const books = await market.booksOf('prompt');
    for (const { atSeller } of [mine, foreign])
      expect(books.find(({ media_buy_id: id }) => id === atSeller)?.status).toBe('active');
    for (const [{ heard }, other] of [
      [ourNews, foreign],
      [theirNews, mine],
    ] as const)
      for (const secret of [other.id, other.atSeller, other.packageId])
        expect(heard.filter((one) => one.includes(secret))).toEqual([]);
    for (const who of [ours, theirs]) {
      const other = who === ours ? foreign : mine;
      for (const path of ['/v1/buys', '/v1/events', '/v1/alarms', '/v1/ledger/spend']) {
        const answer = await fetch(who.url + path, {
          headers: { authorization: `Bearer ${who.token ?? ''}` },
        });
        const text = await answer.text();
        expect([path, answer.status]).toEqual([path, 200]);
        for (const secret of [other.id, other.atSeller, other.packageId])
          expect([path, text.includes(secret)]).toEqual([path, false]);
      }
    }
    await Promise.all(receivers.map(({ close }) => close()));
  }, 90_000);
});

/** Where a buyer's news come in, as they stand. */
async function newsReceiver() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push(Buffer.concat(chunks).toString());
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url, heard, close: () => new Promise((resolve) => server.close(resolve)) };
}
