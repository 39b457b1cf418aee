import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import type { Json } from './harness/buy-request.js';
import { ownerUrlOf } from './harness/data-folder.js';
import { callTask, post, type Send } from './harness/call-task.js';
import { waitUntil } from './harness/wait-until.js';
import {
  everyTask,
  sharedRelayStage,
  untilSealed,
  type Brand,
  type RelayStage,
} from './relay/relay-stage.js';
import { creativeFormat, madeBuy, sealedBuy } from './relay/seller-answer.js';

let stage: RelayStage;
let brand: Brand;
/** Another organization with the same account at the same seller. */
let theirs: Send & { readonly organization: string };

const destination = { type: 'platform', platform: 'the-trade-desk', account: 'acc-1' };
const modern = (more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  ...more,
});
const image = { asset_type: 'image', url: 'https://cdn.bikes.example/1.png', width: 300, height: 250 };
const creative = (creative_id: string): Json => ({
  ...{ creative_id, name: 'A rectangle', format_id: creativeFormat },
  assets: { main: image },
});
/** Unassigned creatives are sent only to sellers that the request names. */
const broughtTo = (seller: string, creative: Json): Json =>
  modern({ creatives: [creative], ext: { switchyard: { sellers: [seller] } } });
const arrived = (): number => stage.seller('paper').received.filter(({ isSealed }) => isSealed).length;
const relayed = async (tool: string, args: Json) =>
  stage.relay(brand, 'paper', tool, { adcp_version: '3.1', ...args });

beforeAll(async () => {
  stage = await sharedRelayStage({ paper: { protocol: 'mcp' } });
  brand = await stage.brand('bikes', ['paper']);
  await stage.cli(
    ...['delegations', 'grant', '--principal', brand.id, '--seller', 'paper', '--until', '2100-01-01'],
    ...['--tasks', `${everyTask},list_creatives,get_media_buy_delivery`, '--evidence', 'letter'],
  );
  const store = openStore(ownerUrlOf(stage.folder.path));
  const { id } = await createOrganization(store);
  const principal = await createPrincipal(store, id, { permissions: allPermissions, transitional: true });
  theirs = { url: stage.instance().url, token: await createToken(store, principal), organization: id };
  await store.close();
});

afterAll(() => stage.close());

describe('a sealed request in an account that another organization also uses', () => {
  it('lists freely while nobody else has the account, and sends unknown ids to the seller', async () => {
    expect((await relayed('get_media_buys', {})).status).toBe(200);
    expect((await relayed('get_media_buys', { media_buy_ids: ['sb_nobodys'] })).status).toBe(200);
    expect((await relayed('list_creatives', {})).status).toBe(200);
    const assigned = modern({
      creatives: [],
      assignments: [{ creative_id: 'nobodys', package_id: 'p_nobodys' }],
    });
    expect((await relayed('sync_creatives', assigned)).status).toBe(200);
    expect((await relayed('sync_creatives', modern({ creatives: [creative('cr_own')] }))).status).toBe(200);
  });

  it('cannot name the other’s buys, and cannot list objects that may include them', async () => {
    const { agentUrl, token, origin } = stage.seller('paper');
    const row = { slug: 'daily', agent_url: agentUrl, token, protocol: 'mcp', dialect: 'adcp' };
    const imported = await post(
      'REST',
      theirs,
      '/v1/sellers/import',
      JSON.stringify([{ ...row, jwks_uri: `${origin}/jwks.json` }]),
    );
    expect(imported.text).toContain('"live"');
    stage.seller('paper').says('create_media_buy', (args) => madeBuy('sb_theirs', args));
    await callTask('REST', theirs, 'get_products', modern({ buying_mode: 'brief', brief: 'x' }));
    const bought = await callTask(
      'REST',
      theirs,
      'create_media_buy',
      modern({
        brand: { domain: 'roaster.example' },
        start_time: 'asap',
        end_time: new Date(Date.now() + 30 * 86_400_000).toISOString(),
        packages: [{ product_id: 'daily:p1', pricing_option_id: 'cpm', budget: 100 }],
      }),
    );
    expect(bought.text).toContain('"media_buy_id"');

    const before = arrived();
    const refused = [
      await relayed('get_media_buys', { media_buy_ids: ['sb_theirs'] }),
      await relayed('get_media_buy_delivery', { media_buy_ids: ['sb_theirs'] }),
      await relayed('update_media_buy', modern({ media_buy_id: 'sb_theirs', paused: true })),
    ];
    expect(refused.map(({ status, code }) => [status, code])).toEqual(
      refused.map(() => [404, 'RELAY_BUY_NOT_FOUND']),
    );
    const open = [
      await relayed('get_media_buys', {}),
      await relayed('get_media_buy_delivery', {}),
      await relayed('list_creatives', {}),
    ];
    expect(open.map(({ status, code }) => [status, code])).toEqual(
      open.map(() => [403, 'RELAY_BUYS_NOT_NAMED']),
    );
    expect(arrived()).toBe(before);
    for (const { text } of [...refused, ...open]) expect(text).not.toMatch(/sb_theirs|roaster|daily/);
    await untilSealed(
      stage,
      [...refused, ...open].map(({ record }) => record),
    );
    // An unknown id gets the same answer.
    const nobodys = [
      await relayed('get_media_buys', { media_buy_ids: ['sb_nobodys'] }),
      await relayed('get_media_buy_delivery', { media_buy_ids: ['sb_nobodys'] }),
      await relayed('update_media_buy', modern({ media_buy_id: 'sb_nobodys', paused: true })),
    ];
    const received = ({ status, code, text, record }: (typeof nobodys)[number]) =>
      JSON.stringify([status, code, text.replaceAll(record, '<record>')]);
    expect(nobodys.map(received)).toEqual(refused.map(received));
    expect(arrived()).toBe(before);
  });

  it('can name its own buy once its id is known', async () => {
    for (const id of ['sb_own_1', 'sb_own_2', 'sb_own_3']) {
      stage.seller('paper').says('create_media_buy', (args) => madeBuy(id, args));
      expect((await relayed('create_media_buy', sealedBuy())).status).toBe(200);
      const changed = await relayed('update_media_buy', modern({ media_buy_id: id, paused: true }));
      expect([changed.status, changed.code]).toEqual([200, undefined]);
    }
  });

  it('cannot name another organization’s creative or package', async () => {
    const brought = await callTask(
      'REST',
      theirs,
      'sync_creatives',
      broughtTo('daily', creative('cr_theirs')),
    );
    expect(brought.errors).toEqual([]);
    // Sealed, another owner's id and an unknown one get the same refusal: only existing own ids are accepted.
    const bringing = async (id: string) => {
      const reply = await relayed('sync_creatives', modern({ creatives: [creative(id)] }));
      const { status, code, text, record } = reply;
      await untilSealed(stage, [record]);
      return JSON.stringify([status, code, text.replaceAll(record, '<record>').replaceAll(id, '<id>')]);
    };
    const theirsBrought = await bringing('cr_theirs');
    expect(theirsBrought).toContain('404,"RELAY_CREATIVE_NOT_FOUND"');
    expect(await bringing('cr_nobodys')).toBe(theirsBrought);
    for (const id of ['cr_nobodys', 'cr_theirs']) {
      const synced = await callTask(
        'REST',
        stage.instance(),
        'sync_creatives',
        broughtTo('paper', creative(id)),
      );
      expect(synced.errors).toEqual([]);
    }
    // A creative that existed before anybody else had the account can be updated as before.
    expect((await relayed('sync_creatives', modern({ creatives: [creative('cr_own')] }))).status).toBe(200);
    // The seller stores both under ids of ours, which the brand did not sign: even so their answers are equal.
    for (const id of ['cr_theirs', 'cr_nobodys']) expect(await bringing(id)).toBe(theirsBrought);
    const buyWith = (id: string): Json => {
      const { packages, ...rest } = sealedBuy() as Json & { packages: readonly Json[] };
      return {
        ...rest,
        packages: packages.map((item) => ({ ...item, creative_assignments: [{ creative_id: id }] })),
      };
    };
    const assigning = (creative_id: string, package_id: string): Json =>
      modern({ creatives: [creative('cr_own')], assignments: [{ creative_id, package_id }] });
    const [pack] = await stage.database.rows<{ id: string }>(
      `select p.seller_package_id as id from buy_package p join seller_buy s on s.leg_id = p.leg_id
       where s.seller_media_buy_id = 'sb_own_1'`,
    );
    const own = pack?.id ?? '';
    const requested = (creativeId: string, packageId: string) => [
      relayed('create_media_buy', buyWith(creativeId)),
      relayed('sync_creatives', assigning(creativeId, own)),
      relayed('sync_creatives', assigning('cr_own', packageId)),
    ];
    const before = arrived();
    const codes = async (replies: readonly ReturnType<typeof relayed>[]) =>
      (await Promise.all(replies)).map(({ status, code }) => [status, code]);
    const notThere = [
      [404, 'RELAY_CREATIVE_NOT_FOUND'],
      [404, 'RELAY_CREATIVE_NOT_FOUND'],
      [404, 'RELAY_BUY_NOT_FOUND'],
    ];
    expect(await codes(requested('cr_theirs', 'sb_theirs-p1'))).toEqual(notThere);
    expect(await codes(requested('cr_nobodys', 'nobodys-p1'))).toEqual(notThere);
    expect(arrived()).toBe(before);
    stage.seller('paper').says('create_media_buy', (args) => madeBuy('sb_own_4', args));
    expect(await codes(requested('cr_own', own))).toEqual([
      [200, undefined],
      [200, undefined],
      [200, undefined],
    ]);
  });

  it('cannot deactivate a signal that the other uses', async () => {
    const signal = { signal_agent_segment_id: 'seg_1', destinations: [destination] };
    await callTask(
      'REST',
      theirs,
      'activate_signal',
      modern({ ...signal, signal_agent_segment_id: 'daily:seg_1' }),
    );
    // The stage's view shows only its own organization.
    const owner = new pg.Client(ownerUrlOf(stage.folder.path));
    await owner.connect();
    await waitUntil('it is theirs', async () => {
      const { rowCount } = await owner.query(
        `select 1 from signal_activation where organization_id = $1 and is_requested and state = 'live'`,
        [theirs.organization],
      );
      return rowCount === 0 ? undefined : true;
    });
    await owner.end();
    const before = arrived();
    const refused = await relayed('activate_signal', modern({ ...signal, action: 'deactivate' }));
    expect([refused.status, refused.code]).toEqual([409, 'RELAY_SIGNAL_IN_USE']);
    expect(arrived()).toBe(before);
    const others = { ...signal, signal_agent_segment_id: 'seg_2', action: 'deactivate' };
    expect((await relayed('activate_signal', modern(others))).status).toBe(200);
  });
});
