import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import { startServer } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { jsonOf } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';
import { postUpdate } from './relay/seller-webhook.js';

/** A rights agent takes back what it has granted, and what runs with it stops at every seller, and nothing else. */
const folder = dataFolder();
const key = generateSigningKey('voices-2026');
let instance: Instance;
let catalogue: Catalogue;
let agent: PlainSeller;
let domain: string;
let lists: PlainSeller;
let listsDomain: string;
/** The list of the agent of governance; absent: it shows none. */
const owned: { places?: readonly string[] } = {};
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt', 'auction', 'deliberate'], 'paused');
  catalogue = await Catalogue.read(instance);
  agent = await plainSeller(() => ({ json: '{}' }));
  domain = await siteOf('rights', agent);
  lists = await plainSeller((tool) => {
    const { places } = owned;
    const isRead = tool === 'get_property_list' && places !== undefined;
    const identifiers = places?.map((value) => ({ type: 'domain', value }));
    return { json: JSON.stringify(isRead ? { list: { list_id: 'safe', name: 'Safe' }, identifiers } : {}) };
  });
  listsDomain = await siteOf('governance', lists);
});

/** The domain of a site whose brand.json lists the agent for what it decides, with its keys. */
async function siteOf(type: string, made: PlainSeller): Promise<string> {
  const site = await startServer((request, response) => {
    const documents: Readonly<Record<string, unknown>> = {
      '/.well-known/brand.json': {
        agents: [{ type, id: 'decides', url: made.agentUrl, jwks_uri: `${site.url}/jwks.json` }],
      },
      '/jwks.json': { keys: [publicJwk(key, ['adcp_use', 'ads_use'], 'webhook-signing')] },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  closers.push(
    () => made.close(),
    () => site.close(),
  );
  return `127.0.0.1:${String(site.port)}`;
}
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await instance.stop();
  await folder.remove();
});

const cli = (...args: readonly string[]): Promise<Json> => jsonOf<Json>([...args, '--data', folder.path]);
const cases = async (): Promise<readonly Json[]> =>
  list((await admin(instance, 'GET', '/v1/cases'))['cases']);
const eventsUrl = async (slug = 'voices'): Promise<string> =>
  String((await admin(instance, 'GET', `/v1/sellers/${slug}`))['events_url']);
const revoked = (more: Json = {}): Json => ({
  idempotency_key: `revoked-${randomUUID()}`,
  rights_id: 'grant-17',
  brand_id: 'speaker',
  reason: 'The contract with the speaker has ended.',
  effective_at: new Date().toISOString(),
  ...more,
});

describe('an agent that a brand.json names for rights', () => {
  it('is added like a seller, sells nothing, and gets an address for its events', async () => {
    const added = await cli('sellers', 'add', domain, '--slug', 'voices');
    expect(added).toMatchObject({ slug: 'voices', state: 'live' });
    const shown = await cli('sellers', 'show', 'voices');
    expect(shown).toMatchObject({ kinds: ['rights'], events_url: await eventsUrl() });
    expect(String(shown['events_url'])).toMatch(/\/webhooks\/\S{20,}$/);
    const { body } = await callTask('REST', instance, 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'wholesale',
    });
    expect(list(body['sellers']).map(({ seller }) => seller)).not.toContain('voices');
  });
});

describe('revoked rights', () => {
  const format = (seller: string): unknown =>
    list(catalogue.packageOf(seller)['creatives'])[0]?.['format_id'];
  const assets = (seller: string): unknown => list(catalogue.packageOf(seller)['creatives'])[0]?.['assets'];
  const spoken = {
    rights: [{ rights_id: 'grant-17', rights_agent: { url: '', id: 'voices' }, uses: ['voice'] }],
  };

  /** A package with these creatives, of which those called voice use the rights. */
  function packageWith(seller: string, ids: readonly string[], place = 0): Json {
    const creatives = ids.map((id) => ({
      ...{ creative_id: id, name: id, format_id: format(seller), assets: assets(seller) },
      ...(id.startsWith('voice') && {
        rights: spoken.rights.map((right) => ({
          ...right,
          rights_agent: { url: agent.agentUrl, id: 'voices' },
        })),
      }),
    }));
    return { ...catalogue.packageOf(seller, {}, place), budget: 5000, creatives };
  }

  it('stop exactly the packages that run with them, at three sellers, one of which answers late', async () => {
    const request = buyRequest(
      [
        packageWith('prompt', ['voice-p']),
        packageWith('prompt', ['plain-p']),
        packageWith('auction', ['voice-a', 'plain-a']),
        packageWith('deliberate', ['voice-d']),
      ],
      { end_time: '2099-01-01T00:00:00Z' },
    );
    const { body } = await callTask('REST', instance, 'create_media_buy', request);
    const id = String(body['media_buy_id']);
    const packages = async (): Promise<readonly Json[]> => {
      const read = await callTask('REST', instance, 'get_media_buys', {
        adcp_version: '3.1',
        media_buy_ids: [id],
      });
      return list(list(read.body['media_buys'])[0]?.['packages']);
    };
    const stateOf = async (rows: readonly Json[]): Promise<readonly unknown[]> => {
      const database = await ownerView(folder.path);
      const assigned = await database.rows<{ at: string; id: string }>(
        'select package_id as at, creative_id as id from creative_assignment order by 1, 2',
      );
      await database.close();
      return rows.map(({ paused, package_id: at }) => [
        paused === true,
        assigned.filter((row) => row.at === at).map((row) => row.id),
      ]);
    };
    await waitUntil('every seller has the buy', async () => {
      const rows = await packages();
      return rows.length === 4 && rows.every(({ package_id: at }) => at !== undefined) ? true : undefined;
    });
    expect(await postUpdate(await eventsUrl(), key, revoked())).toBe(200);
    const done = await waitUntil('the case is done', async () => {
      const [found] = await cases();
      return found?.['state'] === 'done' ? found : undefined;
    });
    expect(done).toMatchObject({ kind: 'rights_revoked', subject: 'grant-17', owner: 'voices' });
    expect(
      list(done['buys'])
        .map(({ seller, creative_ids: ids }) => [seller, ids])
        .toSorted(),
    ).toEqual([
      ['auction', ['plain-a', 'voice-a']],
      ['deliberate', ['voice-d']],
      ['prompt', ['voice-p']],
    ]);
    expect(list(done['actions']).map(({ act }) => act)).toContain('confirmed by every seller');
    expect(await stateOf(await packages())).toEqual([
      [true, ['voice-p']],
      [false, ['plain-p']],
      [false, ['plain-a']],
      [true, ['voice-d']],
    ]);
    const alarms = list((await admin(instance, 'GET', '/v1/alarms'))['alarms']);
    expect(alarms).toContainEqual(expect.objectContaining({ kind: 'rights_revoked', subject: 'grant-17' }));
  }, 120_000);

  it('of a later day wait, and a person may act at once or open the case again', async () => {
    const before = (await cases()).length;
    const later = new Date(Date.now() + 48 * 3_600_000).toISOString();
    expect(await postUpdate(await eventsUrl(), key, revoked({ effective_at: later }))).toBe(200);
    const waiting = await waitUntil('there is a case', async () => {
      const found = await cases();
      return found.length > before ? found.find(({ state }) => state === 'open') : undefined;
    });
    expect(waiting).toMatchObject({ state: 'open', deadline: later, actions: [] });
    const id = String(waiting['case_id']);
    const closed = await cli('cases', 'act', id, '--do', 'close', '--reason', 'no');
    expect(closed).toMatchObject({ code: 'CONFLICT' });
    await cli('cases', 'act', id, '--do', 'withdraw', '--reason', 'The client asks for it.');
    await waitUntil('it is done', async () =>
      (await cli('cases', 'show', id))['state'] === 'done' ? true : undefined,
    );
    expect(await cli('cases', 'act', id, '--do', 'reopen', '--reason', 'Look again.')).toMatchObject({
      state: 'acting',
    });
  });

  it('have no effect from anybody else, about an unknown grant, or without a signature', async () => {
    const before = (await cases()).length;
    const url = await eventsUrl();
    expect(await postUpdate(url, generateSigningKey('voices-2026'), revoked())).toBe(401);
    const plain = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(revoked()),
    });
    expect(plain.status).toBe(401);
    expect(await postUpdate(url, key, revoked({ rights_id: 'grant-of-nobody' }))).toBe(200);
    const held = await waitUntil('the event is held', async () => {
      const events = list(
        (await admin(instance, 'GET', '/v1/events?seller=voices&state=quarantined'))['events'],
      );
      return events.length > 0 ? events : undefined;
    });
    expect(held).toMatchObject([{ kind: 'rights_revoked', reason: 'unknown_rights' }]);
    expect(await cases()).toHaveLength(before);
  });
});

describe('a list of properties that its owner changes', () => {
  const changed = (listId: string, more: Json = {}): Json => ({
    event: 'property_list_changed',
    idempotency_key: `changed-${randomUUID()}`,
    list_id: listId,
    list_name: 'Safe places',
    change_summary: { properties_added: 0, properties_removed: 40, total_properties: 60 },
    resolved_at: new Date().toISOString(),
    cache_valid_until: new Date(Date.now() + 3_600_000).toISOString(),
    ...more,
  });
  const caseOf = (kind: string, state: string): Promise<Json> =>
    waitUntil(`there is a case that is ${state}`, async () =>
      (await cases()).find((row) => row['kind'] === kind && row['state'] === state),
    );

  it('asks a person about what runs with it, who pauses exactly that; what only grew asks nobody', async () => {
    expect(await cli('sellers', 'add', listsDomain, '--slug', 'lists')).toMatchObject({ state: 'live' });
    const on = (list_id: string, agentUrl: string): Json => ({
      ...catalogue.packageOf('prompt'),
      budget: 5000,
      targeting_overlay: { property_list: { agent_url: agentUrl, list_id } },
    });
    const request = buyRequest(
      [on('safe', lists.agentUrl), on('other', lists.agentUrl), on('safe', 'https://another.example/mcp')],
      { end_time: '2099-01-01T00:00:00Z' },
    );
    const { body } = await callTask('REST', instance, 'create_media_buy', request);
    const id = String(body['media_buy_id']);
    const read = async (): Promise<Json> => {
      const named = { adcp_version: '3.1', media_buy_ids: [id] };
      return list((await callTask('REST', instance, 'get_media_buys', named)).body['media_buys'])[0] ?? {};
    };
    const paused = async (): Promise<readonly unknown[]> =>
      list((await read())['packages']).map((row) => row['paused'] === true);
    const url = await eventsUrl('lists');
    const grown = { change_summary: { properties_added: 3, properties_removed: 0, total_properties: 103 } };
    expect(await postUpdate(url, key, changed('safe', grown))).toBe(200);
    expect(await caseOf('property_list_changed', 'done')).toMatchObject({ subject: 'safe', owner: 'lists' });
    expect(await postUpdate(url, key, changed('safe'))).toBe(200);
    const asked = await waitUntil('the packages are known', async () => {
      const found = await caseOf('property_list_changed', 'asked');
      return list(found['buys']).length > 0 ? found : undefined;
    });
    expect(asked).toMatchObject({
      reason: expect.stringContaining('40 of its entries'),
      buys: [{ seller: 'prompt' }],
    });
    expect(await paused()).toEqual([false, false, false]);
    // Whoever bought it is told, with the day until which somebody may answer.
    const [touched] = list(asked['buys']);
    expect(await read()).toMatchObject({
      ext: {
        switchyard: {
          cases: [
            {
              ...{
                case_id: asked['case_id'],
                kind: 'property_list_changed',
                subject: 'safe',
                owner: 'lists',
              },
              ...{ state: 'asked', reason: asked['reason'], deadline: asked['deadline'] },
              package_ids: [touched?.['package_id']],
            },
          ],
        },
      },
    });
    const alarms = list((await admin(instance, 'GET', '/v1/alarms'))['alarms']);
    expect(alarms).toContainEqual(expect.objectContaining({ kind: 'list_changed', subject: 'safe' }));
    const caseId = String(asked['case_id']);
    const wrong = await cli('cases', 'act', caseId, '--do', 'withdraw', '--reason', 'no');
    expect(wrong).toMatchObject({ code: 'CONFLICT' });
    await cli('cases', 'act', caseId, '--do', 'pause', '--reason', 'The client wants to see the list first.');
    await waitUntil('exactly that package is paused', async () =>
      JSON.stringify(await paused()) === '[true,false,false]' ? true : undefined,
    );
    await waitUntil('it is done', async () =>
      (await cli('cases', 'show', caseId))['state'] === 'done' ? true : undefined,
    );
    expect(await read()).not.toHaveProperty('ext.switchyard.cases');
  }, 120_000);

  it('is read again from its owner, and the case names what was taken out, whatever the event says', async () => {
    const url = await eventsUrl('lists');
    const read = async (): Promise<Json> => {
      const before = (await cases()).length;
      expect(await postUpdate(url, key, changed('safe'))).toBe(200);
      return waitUntil('the list was read', async () => {
        const all = await cases();
        return all.length > before && all[0]?.['state'] !== 'open' ? all[0] : undefined;
      });
    };
    owned.places = ['a.example', 'b.example', 'c.example'];
    expect(await read()).toMatchObject({ changes: { told: { removed: 40 }, read: { total: 3 } } });
    owned.places = ['a.example', 'c.example', 'd.example'];
    expect(await read()).toMatchObject({
      reason: '1 of its entries were taken out, 3 are left.',
      changes: {
        told: { removed: 40, total: 60 },
        read: { added_entries: ['domain:d.example'], removed_entries: ['domain:b.example'] },
      },
    });
  }, 60_000);

  it('has no effect from an agent that does not own it, and none about a list that no package names', async () => {
    const before = (await cases()).length;
    expect(await postUpdate(await eventsUrl('voices'), key, changed('safe'))).toBe(200);
    expect(await postUpdate(await eventsUrl('lists'), key, changed('of-nobody'))).toBe(200);
    const held = async (slug: string) =>
      waitUntil(`the event of ${slug} is held`, async () =>
        list((await admin(instance, 'GET', `/v1/events?seller=${slug}&state=quarantined`))['events']).find(
          ({ kind }) => kind === 'property_list_changed',
        ),
      );
    expect(await held('voices')).toMatchObject({ reason: 'not_its_owner' });
    expect(await held('lists')).toMatchObject({ reason: 'unknown_list' });
    expect(await cases()).toHaveLength(before);
  });
});
