import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import type { Json } from './harness/buy-request.js';
import { ownerUrlOf } from './harness/data-folder.js';
import { callTask, post, type Send } from './harness/doors.js';
import { waitUntil } from './harness/wait-until.js';
import { everyTask, relayStage, untilSealed, type Brand, type RelayStage } from './relay/relay-stage.js';
import { madeBuy } from './relay/seller-answer.js';

let stage: RelayStage;
let brand: Brand;
/** Another organization, with the same account at the same seller. */
let theirs: Send;

const destination = { type: 'platform', platform: 'the-trade-desk', account: 'acc-1' };
const modern = (more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'localhost' },
  ...more,
});
const heard = (): number => stage.seller('paper').heard.filter(({ isSealed }) => isSealed).length;
const relayed = async (tool: string, args: Json) =>
  stage.relay(brand, 'paper', tool, { adcp_version: '3.1', ...args });

beforeAll(async () => {
  stage = await relayStage({ paper: { protocol: 'mcp' } });
  brand = await stage.brand('bikes', ['paper']);
  await stage.cli(
    ...['delegations', 'grant', '--principal', brand.id, '--seller', 'paper', '--until', '2100-01-01'],
    ...['--tasks', `${everyTask},list_creatives,get_media_buy_delivery`, '--evidence', 'letter'],
  );
  const store = openStore(ownerUrlOf(stage.folder.path));
  const { id } = await createOrganization(store);
  const principal = await createPrincipal(store, id, { permissions: allPermissions, transitional: true });
  theirs = { url: stage.instance().url, token: await createToken(store, principal) };
  await store.close();
}, 120_000);

afterAll(() => stage.close(), 60_000);

describe('a sealed request in an account that another organization uses as well', () => {
  it('lists freely while nobody else has the account', async () => {
    expect((await relayed('get_media_buys', {})).status).toBe(200);
    expect((await relayed('list_creatives', {})).status).toBe(200);
  });

  it('names none of the other’s buys, and lists nothing that may hold them', async () => {
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

    const before = heard();
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
    expect(heard()).toBe(before);
    for (const { text } of [...refused, ...open]) expect(text).not.toMatch(/sb_theirs|roaster|daily/);
    await untilSealed(
      stage,
      [...refused, ...open].map(({ record }) => record),
    );
    // An id that nobody here knows is the seller's to judge.
    expect((await relayed('get_media_buys', { media_buy_ids: ['sb_nobodys'] })).status).toBe(200);
  }, 60_000);

  it('takes back no signal that the other uses', async () => {
    const signal = { signal_agent_segment_id: 'seg_1', destinations: [destination] };
    await callTask(
      'REST',
      theirs,
      'activate_signal',
      modern({ ...signal, signal_agent_segment_id: 'daily:seg_1' }),
    );
    await waitUntil('it is theirs', async () => {
      const rows = await stage.database.rows(
        `select 1 as one from signal_activation where asked and state = 'live'`,
      );
      return rows[0];
    });
    const before = heard();
    const refused = await relayed('activate_signal', modern({ ...signal, action: 'deactivate' }));
    expect([refused.status, refused.code]).toEqual([409, 'RELAY_SIGNAL_IN_USE']);
    expect(heard()).toBe(before);
    const others = { ...signal, signal_agent_segment_id: 'seg_2', action: 'deactivate' };
    expect((await relayed('activate_signal', modern(others))).status).toBe(200);
  }, 60_000);
});
