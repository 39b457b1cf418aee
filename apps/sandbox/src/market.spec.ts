import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isObject, listOf, objectOf, textOf, type JsonObject } from './json.js';
import { startSandbox, type Sandbox } from './start-sandbox.js';
import { callAgent, queryA2aTask, listTools } from './testkit/call-agent.js';
import { startReceiver, type Receiver } from './testkit/receiver.js';
import { buyRequest, codesOf, productsRequest, withPackage } from './testkit/requests.js';

let sandbox: Sandbox;
let receiver: Receiver;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 'market', dayMs: 60_000, scale: 0.1 });
  receiver = await startReceiver();
});
afterAll(async () => {
  await sandbox.stop();
  await receiver.stop();
});

function agent(slug: string) {
  const found = sandbox.agents.find((each) => each.slug === slug);
  if (!found) throw new Error(`no agent ${slug}`);
  return found;
}

function products(body: JsonObject): readonly JsonObject[] {
  return (listOf(body['products']) ?? []).filter(isObject);
}

async function callsOf(slug: string): Promise<Record<string, number>> {
  const answer: unknown = await (await fetch(agent(slug).calls_url)).json();
  return isObject(answer) && isObject(answer['counts']) ? (answer['counts'] as Record<string, number>) : {};
}

const push = (operation: string) => ({ url: receiver.url, operation_id: operation });
const ofOperation = (operation: string) =>
  receiver.posts.map(({ body }) => body).filter((body) => body['operation_id'] === operation);

describe('the market', () => {
  it('has at least ten agents, among them both protocols, both dialects and three forms', () => {
    const kinds = (of: 'protocol' | 'dialect' | 'form') => new Set(sandbox.agents.map((each) => each[of]));
    expect(sandbox.agents.length).toBeGreaterThanOrEqual(10);
    expect(kinds('protocol')).toEqual(new Set(['mcp', 'a2a']));
    expect(kinds('dialect')).toEqual(new Set(['ads', 'adcp']));
    expect(kinds('form')).toEqual(new Set(['service', '3.0', '3.1']));
    expect(new Set(sandbox.agents.map((each) => each.token)).size).toBe(sandbox.agents.length);
    expect(new Set(sandbox.agents.map((each) => new URL(each.agent_url).origin)).size).toBe(
      sandbox.agents.length,
    );
  });

  it('shows no token at its control address', async () => {
    const text = await (await fetch(`${sandbox.url}/agents`)).text();
    for (const each of sandbox.agents) expect(text).not.toContain(each.token);
  });

  it('publishes each agent in a brand.json that names it byte for byte, and a public key without its private half', async () => {
    for (const each of sandbox.agents) {
      const brand = (await (await fetch(each.brand_json_url)).json()) as { agents: Record<string, string>[] };
      expect(brand.agents).toHaveLength(1);
      expect(brand.agents[0]).toMatchObject({
        url: each.agent_url,
        jwks_uri: each.jwks_uri,
        type: each.kinds[0],
      });
      const jwks = (await (await fetch(each.jwks_uri)).json()) as { keys: Record<string, unknown>[] };
      expect(jwks.keys).toHaveLength(1);
      expect(jwks.keys[0]).toMatchObject({
        ads_use: 'request-signing',
        adcp_use: 'request-signing',
        kty: 'OKP',
      });
      expect(jwks.keys[0]).not.toHaveProperty('d');
    }
  });

  it('answers capabilities of every agent, so that each can be onboarded', async () => {
    for (const each of sandbox.agents) {
      const { body } = await callAgent(each, `get_${each.dialect}_capabilities`, {});
      expect(body['identity']).toMatchObject({ brand_json_url: each.brand_json_url });
      expect(body['webhook_signing']).toMatchObject({ profile: `${each.dialect}/webhook-signing/v1` });
    }
  });

  it('lists the tasks of a sales agent', async () => {
    expect(await listTools(agent('prompt'))).toEqual(
      expect.arrayContaining(['get_adcp_capabilities', 'get_products', 'create_media_buy', 'tasks/get']),
    );
  });
});

describe('credentials', () => {
  it.each(['prompt', 'courier', 'seed'])(
    'are refused by %s when wrong, with the challenge and the code',
    async (slug) => {
      const response = await fetch(agent(slug).agent_url, {
        method: 'POST',
        headers: {
          authorization: 'Bearer wrong',
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: '{}',
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await response.json()).toMatchObject({ error: { code: 'AUTH_INVALID' } });
    },
  );

  it.each(['prompt', 'courier', 'seed', 'behind'])(
    'show the prices of %s, which are absent without them',
    async (slug) => {
      const request = productsRequest(agent(slug), 'sports');
      const open = products((await callAgent(agent(slug), 'get_products', request, { token: null })).body);
      const full = products((await callAgent(agent(slug), 'get_products', request)).body);
      const prices = /"(fixed_price|floor_price|price|floor|min_spend_per_package)"/;
      expect(open.length).toBeGreaterThan(0);
      expect(JSON.stringify(open)).not.toMatch(prices);
      expect(JSON.stringify(full)).toMatch(prices);
    },
  );

  it('are required for buying', async () => {
    const before = await callsOf('prompt');
    await expect(callAgent(agent('prompt'), 'create_media_buy', {}, { token: null })).rejects.toThrow(
      'AUTH_REQUIRED',
    );
    expect((await callsOf('prompt'))['create_media_buy']).toBe(before['create_media_buy']);
  });

  it('in the arguments end the request at any depth', async () => {
    const request = { ...productsRequest(agent('prompt'), 'x'), ext: { a: [{ api_key: 'k' }] } };
    const { body, isError } = await callAgent(agent('prompt'), 'get_products', request);
    expect(isError).toBe(true);
    expect(body['errors']).toMatchObject([
      { code: 'CREDENTIAL_IN_ARGS', field: 'ext.a[0].api_key', recovery: 'terminal' },
    ]);
  });
});

describe('buying', () => {
  it.each(['prompt', 'courier', 'auction', 'behind'])('of %s is active at once', async (slug) => {
    const { body, isError } = await callAgent(agent(slug), 'create_media_buy', await buyRequest(agent(slug)));
    expect(isError).toBe(false);
    expect(body['media_buy_id']).toMatch(/^mb_/);
    expect(body['media_buy_status'] ?? body['status']).toBe('active');
    expect(listOf(body['packages'])).toHaveLength(1);
  });

  it('replays the same key with the same body, and refuses it with another', async () => {
    const request = await buyRequest(agent('prompt'));
    const first = await callAgent(agent('prompt'), 'create_media_buy', request);
    const again = await callAgent(agent('prompt'), 'create_media_buy', request);
    expect(again.body).toEqual({ ...first.body, replayed: true });
    const other = await callAgent(
      agent('prompt'),
      'create_media_buy',
      withPackage(request, { budget: 2000 }),
    );
    expect(codesOf(other.body)).toEqual(['IDEMPOTENCY_CONFLICT']);
  });

  it('uses the buyer_ref as the key in the service form', async () => {
    const request = await buyRequest(agent('auction'));
    const first = await callAgent(agent('auction'), 'create_media_buy', request);
    const again = await callAgent(agent('auction'), 'create_media_buy', request);
    expect(again.body['media_buy_id']).toBe(first.body['media_buy_id']);
    expect(again.body['replayed']).toBe(true);
  });

  it('runs twice at the one agent that keeps no idempotency records', async () => {
    const request = await buyRequest(agent('slow'));
    const first = await callAgent(agent('slow'), 'create_media_buy', request);
    const again = await callAgent(agent('slow'), 'create_media_buy', request);
    expect(again.body['media_buy_id']).not.toBe(first.body['media_buy_id']);
  });

  it.each([
    ['an unknown product', { product_id: 'nothing' }, 'PRODUCT_NOT_FOUND', 'packages[0].product_id'],
    ['an unknown option', { pricing_option_id: 'x' }, 'INVALID_REQUEST', 'packages[0].pricing_option_id'],
    ['a budget of 0', { budget: 0 }, 'INVALID_REQUEST', 'packages[0].budget'],
    ['a negative budget', { budget: -5 }, 'INVALID_REQUEST', 'packages[0].budget'],
    ['a budget as text', { budget: '500' }, 'INVALID_REQUEST', 'packages[0].budget'],
    ['a budget below the minimum', { budget: 1 }, 'BUDGET_TOO_LOW', 'packages[0].budget'],
    [
      'a creative of another format',
      {
        creatives: [{ creative_id: 'a', format_id: { agent_url: 'https://x.example', id: 'y' }, assets: {} }],
      },
      'CREATIVE_REJECTED',
      'packages[0].creatives[0].format_id',
    ],
  ])('refuses %s and names the field', async (_name, change, code, field) => {
    const request = withPackage(await buyRequest(agent('prompt')), change);
    const { body, isError } = await callAgent(agent('prompt'), 'create_media_buy', request);
    expect(isError).toBe(true);
    expect(body['errors']).toMatchObject([{ code, field }]);
    expect(body).not.toHaveProperty('media_buy_id');
  });

  it('by auction requires a bid above the floor', async () => {
    const request = await buyRequest(agent('auction'));
    const refusals = await Promise.all(
      [null, 0.01].map((bid_price) =>
        callAgent(agent('auction'), 'create_media_buy', withPackage(request, { bid_price })),
      ),
    );
    for (const { body } of refusals) {
      expect(body['errors']).toMatchObject([{ code: 'INVALID_REQUEST', field: 'packages[0].bid_price' }]);
    }
  });

  it('refuses a flight that ends before it starts, and a webhook address outside this machine', async () => {
    const late = await buyRequest(agent('prompt'), { end_time: '2020-01-01T00:00:00Z' });
    expect((await callAgent(agent('prompt'), 'create_media_buy', late)).body['errors']).toMatchObject([
      { field: 'end_time' },
    ]);
    const out = await buyRequest(agent('prompt'), { reporting_webhook: { url: 'https://example.com/x' } });
    expect((await callAgent(agent('prompt'), 'create_media_buy', out)).body['errors']).toMatchObject([
      { field: 'reporting_webhook.url' },
    ]);
  });

  it('can be canceled only once', async () => {
    const { body } = await callAgent(
      agent('prompt'),
      'create_media_buy',
      await buyRequest(agent('prompt'), {}, 14),
    );
    const cancel = { media_buy_id: body['media_buy_id'] ?? '', canceled: true };
    expect((await callAgent(agent('prompt'), 'update_media_buy', cancel)).body['media_buy_status']).toBe(
      'canceled',
    );
    expect(codesOf((await callAgent(agent('prompt'), 'update_media_buy', cancel)).body)).toEqual([
      'NOT_CANCELLABLE',
    ]);
  });
});

describe('asking a human', () => {
  it('answers submitted, then reports working and completed, and only then has a buy', async () => {
    const request = await buyRequest(agent('human'), {
      push_notification_config: push('op-human'),
      context: { mine: 1 },
    });
    const { body } = await callAgent(agent('human'), 'create_media_buy', request);
    expect(body).toMatchObject({ status: 'submitted', ads_version: '3.1' });
    expect(body).not.toHaveProperty('media_buy_id');
    await receiver.until(() => ofOperation('op-human').length === 2);
    const received = ofOperation('op-human');
    expect(received.map((each) => each['status'])).toEqual(['working', 'completed']);
    expect(received[0]).toMatchObject({
      task_id: body['task_id'],
      context: { mine: 1 },
      result: { percentage: 50 },
    });
    expect(received[1]).toMatchObject({
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      result: {
        media_buy_id: expect.stringMatching(/^mb_/),
        media_buy_status: 'active',
        context: { mine: 1 },
      },
    });
    const polled = await callAgent(agent('human'), 'tasks/get', {
      task_id: body['task_id'] ?? '',
      include_result: true,
    });
    expect(polled.body).toMatchObject({ status: 'completed', result: received[1]?.['result'] });
  });

  it('in the seed form answers a pending buy with a task, which completes by webhook', async () => {
    const request = await buyRequest(agent('seed'), { push_notification_config: push('op-seed') });
    const { body } = await callAgent(agent('seed'), 'create_media_buy', request);
    expect(body).toMatchObject({ status: 'pending', buyer_ref: request['buyer_ref'] });
    await receiver.until(() => ofOperation('op-seed').length === 1);
    expect(ofOperation('op-seed')[0]).toMatchObject({
      status: 'completed',
      domain: 'media-buy',
      task_id: body['task_id'],
      result: { media_buy_id: body['media_buy_id'], status: 'active', buyer_ref: request['buyer_ref'] },
    });
  });
});

describe('misbehaving agents', () => {
  it('flap: every third call is HTTP 500', async () => {
    const outcomes: string[] = [];
    for (let call = 0; call < 6; call += 1) {
      const requested = callAgent(
        agent('flapping'),
        'get_products',
        productsRequest(agent('flapping'), 'news'),
      );
      outcomes.push(
        await requested.then(
          ({ body }) => (products(body).length > 0 ? 'ok' : 'empty'),
          () => 'failed',
        ),
      );
    }
    expect(outcomes).toEqual(['ok', 'ok', 'failed', 'ok', 'ok', 'failed']);
  });

  it('hang: a call is accepted and never answered', async () => {
    const given = new AbortController();
    let answered = false;
    const call = fetch(agent('hanging').agent_url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${agent('hanging').token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_products', arguments: {} },
      }),
      signal: given.signal,
    }).finally(() => (answered = true));
    while ((await callsOf('hanging'))['get_products'] !== 1) void 0;
    // Whoever asks after it is answered before it.
    await callAgent(agent('slow'), 'get_products', productsRequest(agent('slow'), 'news'));
    expect(answered).toBe(false);
    given.abort();
    await expect(call).rejects.toThrow(/aborted/);
  });

  it('garble: one good product among bad ones, then text that is no JSON, wrong types, false values, a truncated end', async () => {
    const request = productsRequest(agent('malformed'), 'news');
    const answers = [];
    for (let call = 0; call < 5; call += 1)
      answers.push(await callAgent(agent('malformed'), 'get_products', request));
    const [mixed, page, wrong, lie, torn] = answers;
    expect(listOf(mixed?.body['products'])?.length).toBeGreaterThan(5);
    expect(() => JSON.parse(page?.text ?? '{}') as unknown).toThrow();
    expect(wrong?.body['products']).toBe('as discussed');
    expect(lie?.body['task_id']).toBe('task_of_somebody_else');
    expect(() => JSON.parse(torn?.text ?? '{}') as unknown).toThrow();
  });

  it('are slow by the stated time', async () => {
    const before = performance.now();
    await callAgent(agent('slow'), 'get_products', productsRequest(agent('slow'), 'news'));
    expect(performance.now() - before).toBeGreaterThanOrEqual(145);
  });
});

describe('signals', () => {
  const target = { type: 'platform', platform: 'dsp_one' };
  const ids = (body: JsonObject) =>
    (listOf(body['signals']) ?? [])
      .filter(isObject)
      .map((each) => textOf(each['signal_agent_segment_id']) ?? '');

  it('overlap: the same segments under other ids and prices', async () => {
    const now = await callAgent(agent('signals-now'), 'get_signals', {
      signal_spec: 'sports',
      deliver_to: { deployments: [target], countries: ['US'] },
    });
    const later = await callAgent(agent('signals-later'), 'get_signals', {
      signal_spec: 'sports',
      destinations: [target],
    });
    const bare = (id: string) => id.replace(/^signals_(now|later)_/, '');
    const shared = ids(now.body)
      .map(bare)
      .filter((id) => ids(later.body).map(bare).includes(id));
    expect(shared).toContain('sports_fans');
    expect(ids(now.body).filter((id) => ids(later.body).includes(id))).toEqual([]);
  });

  it('are live at once at one agent, with a key', async () => {
    const activate = { signal_agent_segment_id: 'signals_now_sports_fans', deployments: [target] };
    const { body } = await callAgent(agent('signals-now'), 'activate_signal', activate);
    expect(body['deployments']).toMatchObject([{ is_live: true, activation_key: { type: 'segment_id' } }]);
    expect(codesOf((await callAgent(agent('signals-now'), 'activate_signal', activate)).body)).toEqual([
      'ALREADY_ACTIVATED',
    ]);
  });

  it('are live later at the other: an estimate in the answer, then a webhook, over both channels of A2A', async () => {
    const args = {
      signal_agent_segment_id: 'signals_later_sports_fans',
      destinations: [target],
      push_notification_config: push('op-signal'),
    };
    const native = { url: receiver.url, id: 'op-native' };
    const { body, a2a } = await callAgent(agent('signals-later'), 'activate_signal', args, { push: native });
    expect(a2a?.state).toBe('submitted');
    expect(body).toMatchObject({
      status: 'submitted',
      deployments: [{ is_live: false, estimated_activation_duration_minutes: 1 }],
    });
    const natives = () =>
      receiver.posts.filter((post) => objectOf(post.body['metadata'])?.['operation_id'] === 'op-native');
    await receiver.until(() => ofOperation('op-signal').length === 1 && natives().length === 1);
    expect(ofOperation('op-signal')[0]).toMatchObject({
      protocol: 'signals',
      result: { deployments: [{ is_live: true }] },
    });
    expect(natives()[0]?.body).toMatchObject({ id: a2a?.taskId, status: { state: 'completed' } });
    const polled = await queryA2aTask(agent('signals-later'), a2a?.taskId ?? '');
    expect(polled).toMatchObject({ a2a: { state: 'completed' }, body: { deployments: [{ is_live: true }] } });
  });

  it('are deactivated if they were live or in progress', async () => {
    const later = agent('signals-later');
    const shown = async (segment: string): Promise<JsonObject | undefined> => {
      const { body } = await callAgent(later, 'get_signals', {
        signal_spec: segment,
        destinations: [target],
      });
      return (listOf(body['signals']) ?? [])
        .filter(isObject)
        .find((each) => each['signal_agent_segment_id'] === `signals_later_${segment}`);
    };
    for (const [segment, waits] of [
      ['gamers', true],
      ['new_parents', false],
    ] as const) {
      const operation = `op-back-${segment}`;
      const args = { signal_agent_segment_id: `signals_later_${segment}`, destinations: [target] };
      await callAgent(later, 'activate_signal', { ...args, push_notification_config: push(operation) });
      if (waits) await receiver.until(() => ofOperation(operation).length === 1);
      const { body } = await callAgent(later, 'activate_signal', { ...args, action: 'deactivate' });
      expect(body['deployments']).toEqual([{ ...target, is_live: false }]);
      await receiver.until(() => ofOperation(operation).length === 1);
      expect(await shown(segment)).toMatchObject({ deployments: [{ ...target, is_live: false }] });
    }
  });
});

describe('A2A', () => {
  it.each(['1.0', '0.3'] as const)('is spoken in generation %s', async (generation) => {
    const request = productsRequest(agent('courier'), 'sports');
    const { body, a2a } = await callAgent(agent('courier'), 'get_products', request, { generation });
    expect(a2a?.state).toBe('completed');
    expect(products(body).length).toBeGreaterThan(0);
  });

  it('answers an error as a failed task', async () => {
    const request = withPackage(await buyRequest(agent('courier')), { product_id: 'nothing' });
    const { body, a2a } = await callAgent(agent('courier'), 'create_media_buy', request);
    expect(a2a?.state).toBe('failed');
    expect(codesOf(body)).toEqual(['PRODUCT_NOT_FOUND']);
  });
});
