import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { AgentInfo } from './agent/agent-info.js';
import { startSandbox, type Sandbox } from './start-sandbox.js';
import { callAgent } from './testkit/call-agent.js';
import { startReceiver, type Receiver } from './testkit/receiver.js';
import { buyRequest, productsRequest } from './testkit/requests.js';
import { listOf, objectOf, textOf, type JsonObject } from './json.js';

/** The public message schemas, where the checkout has them beside it. The dialect's names are theirs: `adcp`. */
const cache = join(process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-', 'schemas');
const releases: Readonly<Record<string, string>> = { '3.1': '3.1.19', '3.0': '3.0.26' };

let sandbox: Sandbox;
let receiver: Receiver;
beforeAll(async () => {
  const agents = ['prompt', 'courier', 'slow', 'behind', 'human', 'signals-later', 'exacting'];
  sandbox = await startSandbox({ port: 0, seed: 'schemas', dayMs: 15, scale: 0.02, agents });
  receiver = await startReceiver();
});
afterAll(async () => {
  if (unchecked > 0)
    console.warn(`no public schemas beside this checkout: ${String(unchecked)} messages went unchecked`);
  await sandbox.stop();
  await receiver.stop();
});

function agent(slug: string) {
  const found = sandbox.agents.find((each) => each.slug === slug);
  if (!found) throw new Error(`no agent ${slug}`);
  return found;
}

const present = existsSync(cache);
let unchecked = 0;
const validators = new Map<string, Ajv>();

/** What the release's schema has against this message; nothing, and counted, where the schemas are absent. */
function complaints(form: string, schema: string, message: JsonObject): unknown[] {
  if (!present) {
    unchecked += 1;
    return [];
  }
  const release = releases[form] ?? '';
  const ajv = validators.get(release) ?? loaded(release);
  validators.set(release, ajv);
  const validate = ajv.getSchema(`/schemas/${release}/${schema}`);
  if (!validate) throw new Error(`no schema ${schema}`);
  return validate(message) === true
    ? []
    : (validate.errors ?? []).map(({ instancePath, message: text, params }) => ({
        instancePath,
        text,
        params,
      }));
}

function loaded(release: string): Ajv {
  // Most schemas are used for few messages: without the optimizer they are compiled in half the time.
  const ajv = new Ajv({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
  (formats as unknown as (to: Ajv) => void)(ajv);
  const folder = join(cache, release);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    const schema = JSON.parse(readFileSync(join(folder, name), 'utf8')) as JsonObject;
    // A release's own listings are not draft-07, and no message refers to them.
    if (textOf(schema['$schema'])?.includes('draft-07') !== true) continue;
    delete schema['$id'];
    ajv.addSchema(schema, `/schemas/${release}/${name}`);
  }
  return ajv;
}

/** Arguments that name the release of a seller of 3.1: to a buyer that names none it also answers in the words of 3.0. */
const naming = ({ form, dialect }: AgentInfo, args: JsonObject): JsonObject =>
  form === '3.1' ? { ...args, [dialect === 'ads' ? 'ads_version' : 'adcp_version']: '3.1' } : args;

describe('the answers of a release agent conform to the public schemas', () => {
  const target = { type: 'platform', platform: 'dsp_one' };

  it.each(['prompt', 'courier', 'slow', 'behind'])(
    'of %s: capabilities, products, formats, buys, delivery and reports',
    async (slug) => {
      const seller = agent(slug);
      const { form } = seller;
      const check = async (tool: string, schema: string, args: JsonObject): Promise<JsonObject> => {
        const { body } = await callAgent(seller, tool, naming(seller, args));
        // The schemas want https where a market on loopback has none.
        const secured = secure(body);
        expect({ tool, complaints: complaints(form, schema, secured) }).toEqual({ tool, complaints: [] });
        return body;
      };
      await check('get_adcp_capabilities', 'protocol/get-adcp-capabilities-response.json', {});
      await check('get_products', 'media-buy/get-products-response.json', productsRequest(seller, 'sports'));
      await check('list_creative_formats', 'media-buy/list-creative-formats-response.json', {});
      const request = await buyRequest(seller, { reporting_webhook: { url: receiver.url } });
      const bought = await check('create_media_buy', 'media-buy/create-media-buy-response.json', request);
      const ids = { media_buy_ids: [bought['media_buy_id'] ?? ''] };
      await check('get_media_buys', 'media-buy/get-media-buys-response.json', {
        ...ids,
        include_snapshot: true,
      });
      const own = () =>
        receiver.posts.filter(({ bytes }) => bytes.includes(textOf(bought['media_buy_id']) ?? '-'));
      await receiver.until(() => own().some(({ bytes }) => bytes.includes('"final"')));
      await check('get_media_buy_delivery', 'media-buy/get-media-buy-delivery-response.json', {
        ...ids,
        include_window_breakdown: true,
        time_granularity: 'daily',
      });
      for (const { body } of own()) {
        const report = objectOf(body['result']) ?? {};
        expect(complaints(form, 'media-buy/get-media-buy-delivery-response.json', report)).toEqual([]);
        // Release 3.0 has no word for a report in its list of task types, though its reports come in the same envelope.
        const known = form === '3.0' ? { ...body, task_type: 'create_media_buy' } : body;
        expect(complaints(form, 'core/mcp-webhook-payload.json', known)).toEqual([]);
      }
    },
  );

  it('of the signals agent: signals and activation', async () => {
    const seller = agent('signals-later');
    const found = await callAgent(seller, 'get_signals', { signal_spec: 'sports', destinations: [target] });
    expect(complaints('3.1', 'signals/get-signals-response.json', found.body)).toEqual([]);
    const args = {
      signal_agent_segment_id: 'signals_later_gamers',
      destinations: [target],
      push_notification_config: { url: receiver.url, operation_id: 'op' },
    };
    const requested = await callAgent(seller, 'activate_signal', args);
    await receiver.until((posts) => posts.some(({ body }) => body['operation_id'] === 'op'));
    const polled = await callAgent(seller, 'tasks/get', {
      task_id: requested.body['task_id'] ?? '',
      include_result: true,
    });
    expect(complaints('3.1', 'core/tasks-get-response.json', polled.body)).toEqual([]);
    const result = polled.body['result'];
    expect(complaints('3.1', 'signals/activate-signal-response.json', result as JsonObject)).toEqual([]);
  });

  it('of creative events: the verdict of a review, and a purge', async () => {
    const seller = agent('prompt');
    const request = await buyRequest(seller);
    const [bought] = listOf(request['packages']) as readonly JsonObject[];
    const [inline] = listOf(bought?.['creatives']) as readonly JsonObject[];
    const named = (id: string, name: string): JsonObject => ({ ...inline, creative_id: id, name });
    await callAgent(seller, 'sync_creatives', {
      idempotency_key: 'news-of-creatives-1',
      account: request['account'] ?? {},
      creatives: [named('cr_no', 'reject me'), named('cr_gone', 'review and purge me')],
      push_notification_config: { url: receiver.url, operation_id: 'op-creatives' },
    });
    const update = () => receiver.posts.map(({ body }) => body).filter((body) => 'creative_id' in body);
    await receiver.until(() => update().length === 3);
    const of = (type: string) => update().filter((body) => body['notification_type'] === type);
    // News of two creatives come in any order.
    const verdicts = new Map(of('creative.status_changed').map((body) => [body['creative_id'], body]));
    expect(verdicts.get('cr_no')).toMatchObject({ transition: { from: 'pending_review', to: 'rejected' } });
    expect(verdicts.get('cr_gone')).toMatchObject({ transition: { from: 'pending_review', to: 'approved' } });
    expect(verdicts.size).toBe(2);
    expect(of('creative.purged')).toMatchObject([{ creative_id: 'cr_gone', purge_kind: 'soft' }]);
    for (const [type, schema] of [
      ['creative.status_changed', 'creative/creative-status-changed-webhook.json'],
      ['creative.purged', 'creative/creative-purged-webhook.json'],
    ] as const)
      for (const body of of(type)) expect(complaints('3.1', schema, body)).toEqual([]);
  });

  it('of an agent that asks a human: submitted, refused', async () => {
    const { body } = await callAgent(agent('human'), 'create_media_buy', await buyRequest(agent('human')));
    expect(complaints('3.1', 'media-buy/create-media-buy-response.json', body)).toEqual([]);
    const refused = await callAgent(
      agent('human'),
      'create_media_buy',
      await buyRequest(agent('human'), { packages: [] }),
    );
    expect(complaints('3.1', 'media-buy/create-media-buy-response.json', refused.body)).toEqual([]);
  });
});

describe('the sellers of release 3.1 have every part of it, called without anybody between', () => {
  const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' };
  const askOf =
    (slug: string) =>
    async (tool: string, schema: string, args: JsonObject): Promise<JsonObject> => {
      const { body } = await callAgent(agent(slug), tool, naming(agent(slug), args));
      const secured = secure(body);
      expect({ tool, complaints: complaints('3.1', schema, secured) }).toEqual({ tool, complaints: [] });
      return body;
    };
  const asked = askOf('exacting');
  const products = (args: JsonObject, of = asked) =>
    of('get_products', 'media-buy/get-products-response.json', {
      buying_mode: 'wholesale',
      brand: account.brand,
      ...args,
    });
  const first = (body: JsonObject, list: string): JsonObject => objectOf(listOf(body[list])?.[0]) ?? {};

  /** The first product that is sold by price and by bid. */
  const openProduct = (body: JsonObject): JsonObject =>
    (listOf(body['products']) as readonly JsonObject[]).find(
      (product) => product['delivery_type'] === 'non_guaranteed',
    ) ?? {};

  it.each([
    ['prompt', 'USD', false],
    ['courier', 'USD', false],
    ['slow', 'EUR', true],
    ['human', 'USD', false],
    ['exacting', 'EUR', true],
  ])(
    '%s shows format options, guidance for bids, viewability, provenance and prices in %s',
    async (slug, currency, provenance_required) => {
      const read = (args: JsonObject) => products(args, askOf(slug));
      expect(openProduct(await read({}))).toMatchObject({
        format_options: [{ format_kind: expect.any(String), v1_format_ref: [{}] }, {}],
        performance_standards: [{ metric: 'viewability', standard: 'mrc' }],
        creative_policy: { provenance_required },
        pricing_options: [
          { currency, fixed_price: expect.any(Number) },
          { currency, floor_price: expect.any(Number), price_guidance: { p50: expect.any(Number) } },
        ],
      });
      const seen = await read({ filters: { required_metrics: ['viewability'] } });
      expect(listOf(seen['products'])).not.toEqual([]);
      const sold = await read({ filters: { required_metrics: ['units_sold'] } });
      expect(sold['products']).toEqual([]);
    },
  );

  it.each([
    ['human', []],
    ['exacting', [{ proposal_status: 'committed', insertion_order: { requires_signature: true } }]],
  ])('%s takes a search in, and sends its products and proposals later', async (slug, proposals) => {
    const asked = askOf(slug);
    const operation = `op-search-${slug}`;
    const taken = await asked('get_products', 'media-buy/get-products-async-response-submitted.json', {
      buying_mode: 'brief',
      brief: 'sports',
      brand: account.brand,
      push_notification_config: { url: receiver.url, operation_id: operation },
    });
    const news = () => receiver.posts.find(({ body }) => body['operation_id'] === operation)?.body;
    await receiver.until(() => news() !== undefined);
    expect(complaints('3.1', 'core/mcp-webhook-payload.json', news() ?? {})).toEqual([]);
    const polled = await asked('tasks/get', 'core/tasks-get-response.json', {
      task_id: taken['task_id'] ?? '',
      include_result: true,
    });
    const result = objectOf(polled['result']) ?? {};
    expect(complaints('3.1', 'media-buy/get-products-response.json', result)).toEqual([]);
    expect(result).toEqual(news()?.['result']);
    expect(result['proposals'] ?? []).toMatchObject(proposals);
  });

  it('sells by bid and by price, asks for provenance, and counts how much was seen', async () => {
    const product = openProduct(await products({}));
    const creative = (provenance: JsonObject) => ({
      ...{ creative_id: 'cr_1', name: 'One', assets: { main: {} } },
      format_id: first(product, 'format_ids'),
      ...provenance,
    });
    const [fixed, bid] = listOf(product['pricing_options']) as readonly JsonObject[];
    const part = (option: JsonObject | undefined, provenance: JsonObject) => ({
      product_id: product['product_id'] ?? '',
      pricing_option_id: option?.['pricing_option_id'] ?? '',
      budget: 1000,
      ...(option?.['floor_price'] === undefined ? {} : { bid_price: Number(option['floor_price']) * 2 }),
      creatives: [creative(provenance)],
    });
    const buy = (packages: JsonObject[], key: string) =>
      asked('create_media_buy', 'media-buy/create-media-buy-response.json', {
        ...{ idempotency_key: key, account, brand: account.brand, start_time: 'asap', packages },
        end_time: new Date(Date.now() + 2 * 86_400_000).toISOString(),
      });
    const source = { provenance: { digital_source_type: 'digital_capture' } };
    const code = async (provenance: JsonObject, key: string) =>
      first(await buy([part(fixed, provenance)], key), 'errors')['code'];
    expect(await code({}, 'exacting-buy-of-nothing')).toBe('PROVENANCE_REQUIRED');
    expect(await code({ provenance: {} }, 'exacting-buy-of-half')).toBe(
      'PROVENANCE_DIGITAL_SOURCE_TYPE_MISSING',
    );
    const bought = await buy([part(fixed, source), part(bid, source)], 'exacting-buy-of-all');
    const delivered = await asked(
      'get_media_buy_delivery',
      'media-buy/get-media-buy-delivery-response.json',
      {
        media_buy_ids: [bought['media_buy_id'] ?? ''],
      },
    );
    expect(first(delivered, 'media_buy_deliveries')).toMatchObject({
      totals: { viewability: { standard: 'mrc' } },
    });
  });

  it.each(['prompt', 'courier', 'slow', 'exacting'])(
    '%s tells the subscribers of an account once they sent its challenge back, and no other address',
    async (slug) => {
      const asked = askOf(slug);
      const [told, paused] = [`told-${slug}`, `paused-${slug}`];
      const subscriber = (id: string, event_types: string[], more: JsonObject = {}): JsonObject => ({
        ...{ subscriber_id: id, url: `${receiver.url}/${id}`, event_types },
        ...more,
      });
      const sync = (key: string, configs: JsonObject[]) =>
        asked('sync_accounts', 'account/sync-accounts-response.json', {
          idempotency_key: key,
          accounts: [{ ...account, billing: 'operator', notification_configs: configs }],
        });
      const wrong = first(await sync('exacting-accounts-1', [subscriber('w', ['final'])]), 'accounts');
      expect(wrong).toMatchObject({ action: 'failed', errors: [{ code: 'INVALID_REQUEST' }] });
      const configs = [
        subscriber(told, ['creative.status_changed']),
        subscriber(paused, ['creative.status_changed'], { active: false }),
      ];
      const made = first(await sync('exacting-accounts-2', configs), 'accounts');
      expect(made).toMatchObject({
        action: 'created',
        notification_configs: [{ active: false }, { active: false }],
      });
      const at = (id: string) => receiver.posts.filter(({ url }) => url.endsWith(`/hooks/${id}`));
      await receiver.until(() => at(told).length === 1);
      const challenge = at(told)[0]?.body ?? {};
      expect(complaints('3.1', 'core/webhook-challenge.json', secure(challenge))).toEqual([]);
      const shown = async () =>
        first(await asked('list_accounts', 'account/list-accounts-response.json', {}), 'accounts');
      // The seller writes that it was proved once it has read the answer.
      while (first(await shown(), 'notification_configs')['active'] !== true) await turn();
      const creative = {
        ...{ creative_id: 'cr_told', name: 'reject me', assets: { main: {} } },
        format_id: first(first(await products({}, asked), 'products'), 'format_ids'),
        provenance: { digital_source_type: 'digital_capture' },
      };
      await asked('sync_creatives', 'creative/sync-creatives-response.json', {
        ...{ idempotency_key: 'exacting-creatives-1', account, creatives: [creative] },
      });
      await receiver.until(() => at(told).length === 2);
      const news = at(told)[1]?.body ?? {};
      expect(complaints('3.1', 'creative/creative-status-changed-webhook.json', news)).toEqual([]);
      expect(news).toMatchObject({ subscriber_id: told, account_id: made['account_id'] });
      expect(at(paused)).toEqual([]);
      expect(first(await sync('exacting-accounts-3', []), 'accounts')).toMatchObject({
        action: 'updated',
        notification_configs: [],
      });
    },
  );
});

const secure = (body: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(body).replaceAll('http://127.', 'https://127.')) as JsonObject;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
