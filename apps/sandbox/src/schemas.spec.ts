import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
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
  sandbox = await startSandbox({ port: 0, seed: 'schemas', dayMs: 15, scale: 0.02 });
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
  const ajv = new Ajv({ strict: false, allErrors: true });
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

describe('the answers of a release agent conform to the public schemas', () => {
  const target = { type: 'platform', platform: 'dsp_one' };

  it.each(['prompt', 'courier', 'behind'])(
    'of %s: capabilities, products, formats, buys, delivery and reports',
    async (slug) => {
      const seller = agent(slug);
      const { form } = seller;
      const check = async (tool: string, schema: string, args: JsonObject): Promise<JsonObject> => {
        const { body } = await callAgent(seller, tool, args);
        // The schemas want https where a market on loopback has none.
        const secured = JSON.parse(
          JSON.stringify(body).replaceAll('http://127.', 'https://127.'),
        ) as JsonObject;
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
