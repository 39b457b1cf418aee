import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

const folder = dataFolder();
let instance: Instance;
let catalogue: Catalogue;
let clientId: string;
let campaignId: string;

const get = (path: string) => admin(instance, 'GET', path);
const post = (path: string, body: Json) => admin(instance, 'POST', path, body);

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt', 'behind']);
  catalogue = await Catalogue.read(instance);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

/** Creates a buy of roaster.example and returns its id. */
async function bought(more: Json, request = buyRequest([catalogue.packageOf('prompt')])): Promise<string> {
  const { body, text } = await callTask('REST', instance, 'create_media_buy', { ...request, ...more });
  if (typeof body['media_buy_id'] !== 'string') throw new Error(text);
  return body['media_buy_id'];
}

/** The same in a form that identifies a buy by its buyer's reference. */
function older(reference: string): Json {
  const { creatives: _creatives, context: _context, ...part } = catalogue.packageOf('prompt');
  return {
    buyer_ref: reference,
    brand_manifest: { url: 'https://roaster.example', name: 'Roaster' },
    start_time: { type: 'asap' },
    end_time: new Date(Date.now() + 43_200_000).toISOString(),
    packages: [{ ...part, buyer_ref: `part of ${reference}`, creative_ids: [] }],
  };
}

describe('the client of a media buy', () => {
  it('is unknown until its brand is entered, which also assigns earlier buys', async () => {
    const early = await bought({});
    expect(await get(`/v1/buys/${early}`)).toMatchObject({
      client: null,
      brand: 'roaster.example',
      campaign: null,
    });
    const client = await post('/v1/clients', { name: 'Roaster Group', codes: { finance: 'C-7' } });
    clientId = String(client['client_id']);
    const brand = await post('/v1/brands', {
      domain: 'Roaster.example',
      client_id: clientId,
      name: 'Roaster',
    });
    expect(brand).toMatchObject({ domain: 'roaster.example', client: 'Roaster Group', buys_left: false });
    expect(brand['buys_assigned']).toBeGreaterThanOrEqual(1);
    expect(await get(`/v1/buys/${early}`)).toMatchObject({
      client: 'Roaster Group',
      client_id: clientId,
      brand_name: 'Roaster',
      account: 'roaster.example by agency.example',
      campaign: null,
    });
    const waiting = list((await get('/v1/buys?campaign=none'))['media_buys']);
    expect(waiting.map((buy) => buy['media_buy_id'])).toContain(early);
  });

  it('is set by the members of each version, and by Switchyard’s own, which must name an open campaign', async () => {
    const campaign = await post('/v1/campaigns', {
      name: 'Launch',
      client_id: clientId,
      brand: 'roaster.example',
      budget: '30000',
      currency: 'USD',
      from: '2026-11-01',
      to: '2099-12-31',
      po_number: 'PO-42',
      reference: 'launch',
      plan: { '2026-11': '10000' },
    });
    campaignId = String(campaign['campaign_id']);
    const made = [
      await bought({ po_number: 'PO-42' }),
      await bought({ adcp_version: '3.0', context: { buyer_campaign_ref: 'launch' } }),
      await bought({ ext: { switchyard: { campaign_id: campaignId } } }),
      await bought({}, older('launch')),
    ];
    for (const id of made)
      expect(await get(`/v1/buys/${id}`)).toMatchObject({ campaign: 'Launch', campaign_id: campaignId });
    const listed = list((await get(`/v1/buys?campaign=${campaignId}`))['media_buys']);
    expect(listed.map((buy) => buy['media_buy_id']).toSorted()).toEqual(made.toSorted());
    const some = made.slice(0, 2);
    const named = list((await get(`/v1/buys?ids=${some.join(',')},mb_nobody`))['media_buys']);
    expect(named.map((buy) => buy['media_buy_id']).toSorted()).toEqual(some.toSorted());
    await expect(get(`/v1/buys?ids=${'mb_1,'.repeat(101)}`)).rejects.toThrow('At most 100 ids');
    const wrong = buyRequest([catalogue.packageOf('prompt')], {
      ext: { switchyard: { campaign_id: 'nothing' } },
    });
    const refused = await callTask('REST', instance, 'create_media_buy', wrong);
    expect(refused.errors).toMatchObject([
      { code: 'REFERENCE_NOT_FOUND', field: 'ext.switchyard.campaign_id' },
    ]);
  });

  it('is set by a rule or a person if the request names none, and the ledger records each change', async () => {
    const id = await bought({ context: { buyer_ref: 'tv-1' } });
    expect(await get(`/v1/buys/${id}`)).toMatchObject({ client: 'Roaster Group', campaign: null });
    await post(`/v1/campaigns/${campaignId}/rules`, { reference_start: 'tv-' });
    const ruled = await bought({ context: { buyer_ref: 'tv-2' } });
    expect(await get(`/v1/buys/${ruled}`)).toMatchObject({ campaign: 'Launch' });
    expect(
      await post(`/v1/campaigns/${campaignId}/assign`, { media_buy_id: id, reason: 'a TV buy' }),
    ).toEqual({
      media_buy_id: id,
      campaign_id: campaignId,
      previous_campaign_id: null,
    });
    const entries = list((await get(`/v1/ledger/entries/${id}`))['entries']);
    expect(entries.map(({ kind }) => kind).filter((kind) => kind === 'assignment')).toHaveLength(2);
    await post(`/v1/campaigns/${campaignId}/unassign`, { media_buy_id: id });
    expect(await get(`/v1/buys/${id}`)).toMatchObject({ client: 'Roaster Group', campaign: null });
    expect(await get('/v1/ledger/verify?from_start=true')).toMatchObject({ ok: true });
  });

  it('is shown beside the spend of the buy', async () => {
    const id = await bought({ po_number: 'PO-42' });
    const line = await waitUntil('a report of the buy', async () =>
      list((await get('/v1/ledger/spend?by=buy,seller'))['spend']).find((row) => row['media_buy_id'] === id),
    );
    expect(line).toMatchObject({
      client: 'Roaster Group',
      brand: 'roaster.example',
      campaign: 'Launch',
      seller: 'prompt',
    });
  });

  it('hides sellers that it does not use from the market, and their buys', async () => {
    await post(`/v1/clients/${clientId}`, { sellers: ['behind'] });
    const question = {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'x',
      brand: { domain: 'roaster.example' },
    };
    const { body } = await callTask('REST', instance, 'get_products', question);
    const rows = list(body['sellers']);
    expect(rows.filter(({ code }) => code !== 'CLIENT_NOT_ALLOWED').map(({ seller }) => seller)).toEqual([
      'behind',
    ]);
    const refused = await callTask(
      'REST',
      instance,
      'create_media_buy',
      buyRequest([catalogue.packageOf('prompt')]),
    );
    expect(refused.errors).toMatchObject([{ code: 'AGENT_ACCESS_DENIED', details: { sellers: ['prompt'] } }]);
    // A caller that sees no sellers cannot tell one that its client may not use from one that does not exist.
    const made = await post('/v1/principals', { name: 'Roaster desk', kind: 'buyer', transitional: true });
    await post('/v1/grants', {
      ...{ principal: made['principal_id'], role: 'trader', scope: 'brand:roaster.example' },
    });
    const agent = { url: instance.url, token: String(made['token']) };
    const hidden = await callTask('REST', agent, 'get_products', question);
    expect(list(hidden.body['sellers']).map(({ seller }) => seller)).toEqual(['behind']);
    const part = catalogue.packageOf('prompt');
    for (const product_id of [part['product_id'], 'nobody:p-1']) {
      const request = buyRequest([{ ...part, product_id }]);
      const { errors } = await callTask('REST', agent, 'create_media_buy', request);
      expect(errors).toMatchObject([{ code: 'AGENT_NOT_FOUND', field: 'packages[0].product_id' }]);
      expect(JSON.stringify(errors)).not.toContain('prompt');
    }
  });

  it('is found by the id of its brand alone, and an id that nobody entered buys for nobody else', async () => {
    const house = await post('/v1/clients', { name: 'Tea House' });
    for (const [domain, brand_id] of [
      ['tea.example', 'green'],
      ['tea.example', 'twice'],
      ['coffee.example', 'twice'],
    ])
      await post('/v1/brands', {
        domain,
        wire_brand_id: brand_id,
        client_id: house['client_id'],
        name: `${domain} ${brand_id}`,
      });
    const named = (reference: string, brand_id: string) => {
      const { brand_manifest: _url, ...request } = older(reference);
      return callTask('REST', instance, 'create_media_buy', { ...request, brand: { brand_id } });
    };
    const { body, text } = await named('green-1', 'green');
    if (typeof body['media_buy_id'] !== 'string') throw new Error(text);
    expect(await get(`/v1/buys/${body['media_buy_id']}`)).toMatchObject({
      client: 'Tea House',
      brand: 'tea.example',
    });
    const refusals = [await named('green-2', 'nobodys'), await named('green-3', 'twice')];
    expect(refusals.map(({ errors }) => [errors[0]?.code, errors[0]?.field])).toEqual([
      ['REFERENCE_NOT_FOUND', 'brand.brand_id'],
      ['INVALID_REQUEST', 'brand.brand_id'],
    ]);
  });
});
