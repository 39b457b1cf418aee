import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import { canonicalJson, type JsonValue } from '@switchyard/values';
import { badBuys, canary, goodsOf, type Goods } from './bad-input/bad-buys.js';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { callTask, endpointNames, post, type EndpointName, type TaskResponse } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { postSigned, taskAddressOf, taskUpdate } from './harness/signed-webhook.js';
import { waitUntil } from './harness/wait-until.js';
import { send } from './harness/http-answer.js';

const folder = dataFolder();
let instance: Instance;
let database: OwnerView;
let market: Market;
let catalogue: Catalogue;
let goods: Goods;
/** A principal of another organization, with all permissions there. */
let stranger: { readonly url: string; readonly token: string };
/** Items of the first organization. */
let owned: { readonly mediaBuyId: string; readonly taskId: string };

beforeAll(async () => {
  instance = await startInstance(folder.path);
  database = await ownerView(folder.path);
  market = Market.of(folder.path);
  stranger = { url: instance.url, token: await tokenOfAnotherOrganization() };
  catalogue = await Catalogue.read(instance);
  goods = goodsOf(catalogue);
  owned = await buyAndWaitForItsEnd();
});

afterAll(async () => {
  await database.close();
  await instance.stop();
  await folder.remove();
});

async function tokenOfAnotherOrganization(): Promise<string> {
  const store = openStore(ownerUrlOf(folder.path));
  try {
    const { id } = await createOrganization(store);
    return await createToken(store, await createPrincipal(store, id, { permissions: allPermissions }));
  } finally {
    await store.close();
  }
}

async function buyAndWaitForItsEnd(): Promise<{ mediaBuyId: string; taskId: string }> {
  const { body } = await callTask(
    'REST',
    instance,
    'create_media_buy',
    buyRequest([catalogue.packageOf('prompt')]),
  );
  const mediaBuyId = String(body['media_buy_id']);
  await waitUntil('the final report is booked', async () => {
    const [row] = await database.rows<{ over: boolean }>(
      'select status = $2 as over from media_buy where id = $1',
      [mediaBuyId, 'completed'],
    );
    return row?.over === true ? true : undefined;
  });
  const [row] = await database.rows<{ task_id: string }>('select task_id from operation');
  return { mediaBuyId, taskId: row?.task_id ?? '' };
}

const stored = [
  'operation',
  'leg',
  'media_buy',
  'seller_buy',
  'buy_package',
  'offered_product',
  'principal_account',
  'webhook_registration',
  'webhook_claim',
  'inbox_event',
  'report_version',
  'ledger_entry',
  'journal_block',
] as const;

/** Runs `send`, and expects that it stores no row and that no seller is requested to change anything. */
async function withoutEffect<T>(send: () => Promise<T>): Promise<T> {
  const before = [await database.counts(stored), await market.mutations()];
  const answer = await send();
  expect([await database.counts(stored), await market.mutations()]).toEqual(before);
  return answer;
}

describe.each(endpointNames)(
  'a media buy with bad input over %s leaves no trace and is refused with the reason:',
  (endpoint) => {
    it.each(badBuys)('$what', async ({ args, status, code, field }) => {
      const answer = await withoutEffect(() => callTask(endpoint, instance, 'create_media_buy', args(goods)));
      const [error] = answer.errors;
      expect(error?.code).toBe(code);
      // JSON-RPC has its error in the body where REST has a status, except for faults of the body itself.
      if (endpoint === 'REST' || status === 413) expect(answer.httpStatus).toBe(status);
      else expect([200, 400]).toContain(answer.httpStatus);
      if (field !== undefined) expect(error?.field).toBe(field);
      expect(error?.message).toMatch(/^.{10,}/);
      if (code !== 'PAYLOAD_TOO_LARGE') expect(error?.suggestion).toMatch(/^.{10,}/);
      expect(answer.text).not.toContain(canary);
      expect(answer.text).not.toMatch(/node_modules|\.js:|\bat .+:\d+/);
    });

    it('and the same request without the fault is accepted, so the fault was the reason for the refusal', async () => {
      const before = await database.counts(['media_buy']);
      const answer = await callTask(
        endpoint,
        instance,
        'create_media_buy',
        goods.buy({ context: { note: 'fine' } }),
      );
      expect(answer.errors).toEqual([]);
      expect(answer.body).toMatchObject({ status: 'completed', context: { note: 'fine' } });
      expect(await database.counts(['media_buy'])).toEqual({ media_buy: (before['media_buy'] ?? 0) + 1 });
      await quiet();
    });
  },
);

/** Waits until every buy has its last report, so that rows can be counted. */
async function quiet(): Promise<void> {
  await waitUntil('all buys are over and booked', async () => {
    const [row] = await database.rows<{ open: number }>(
      "select count(*)::int as open from media_buy where status <> 'completed'",
    );
    return row?.open === 0 ? true : undefined;
  });
}

describe.each(endpointNames)('over %s', (endpoint) => {
  it('an unknown task is not found, and the nearest one is named', async () => {
    const answer = await withoutEffect(() => callTask(endpoint, instance, 'create_media_bye', {}));
    const field = { REST: 'task', MCP: 'params.name', A2A: 'skill' }[endpoint];
    expect(answer.errors).toEqual([
      expect.objectContaining({
        code: 'NOT_FOUND',
        field,
        suggestion: expect.stringContaining('create_media_buy'),
      }),
    ]);
    if (endpoint === 'REST') expect(answer.httpStatus).toBe(404);
  });

  it.each([
    ['get_products', { brief: 7 }, 'brief'],
    ['get_signals', { signal_spec: { not: 'a text' } }, 'signal_spec'],
    ['activate_signal', { signal_agent_segment_id: 7, deployments: [] }, 'signal_agent_segment_id'],
    ['list_creative_formats', { format_types: 'video' }, 'format_types'],
    ['get_media_buys', { adcp_version: '3.1', media_buy_ids: 'all' }, 'media_buy_ids'],
  ])('%s refuses wrong types and names the field', async (task, args, field) => {
    const answer = await withoutEffect(() => callTask(endpoint, instance, task, args));
    expect(answer.errors[0]).toMatchObject({
      code: 'VALIDATION_ERROR',
      field,
      suggestion: expect.any(String),
    });
  });

  it('a signal of an unknown agent is not found', async () => {
    const args = {
      signal_agent_segment_id: 'nobody:all',
      deployments: [{ type: 'platform', platform: 'x' }],
    };
    const answer = await withoutEffect(() => callTask(endpoint, instance, 'activate_signal', args));
    expect(answer.errors[0]).toMatchObject({
      code: 'SIGNAL_AGENT_SEGMENT_NOT_FOUND',
      field: 'signal_agent_segment_id',
    });
  });

  it('a body without a JSON content type is refused', async () => {
    const answer = await withoutEffect(() =>
      callTask(
        endpoint,
        { ...instance, headers: { 'content-type': 'text/plain' } },
        'create_media_buy',
        goods.buy(),
      ),
    );
    expect([answer.httpStatus, answer.errors[0]?.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe('the ids of another organization', () => {
  const own = [
    ['get_media_buys', (): Json => ({ adcp_version: '3.1', media_buy_ids: [owned.mediaBuyId] })],
    ['get_media_buy_delivery', (): Json => ({ adcp_version: '3.1', media_buy_ids: [owned.mediaBuyId] })],
    ['get_task_status', (): Json => ({ adcp_version: '3.1', task_id: owned.taskId, include_result: true })],
  ] as const;
  const refused = async (
    endpoint: EndpointName,
    send: () => Promise<TaskResponse>,
    like: TaskResponse,
  ): Promise<void> => {
    const answer = await withoutEffect(send);
    expect(answer.errors[0]?.code).toMatch(/_NOT_FOUND$/);
    if (endpoint === 'REST') expect(answer.httpStatus).toBe(404);
    expect(answer.errors).toEqual(like.errors);
    expect(answer.text).not.toContain('roaster');
  };

  describe.each(endpointNames)('over %s', (endpoint) => {
    it.each(own)('%s answers its owner', async (task, args) => {
      expect((await callTask(endpoint, instance, task, args())).errors).toEqual([]);
    });

    it.each(own)(
      '%s gives another organization the same answer as for ids that do not exist',
      async (task, args) => {
        const nobody = JSON.stringify(args())
          .replace(owned.mediaBuyId, 'mb_of_nobody')
          .replace(owned.taskId, 'task_of_nobody');
        const like = await callTask(endpoint, stranger, task, nobody);
        await refused(endpoint, () => callTask(endpoint, stranger, task, args()), like);
      },
    );

    it('a product of another organization’s seller cannot be bought', async () => {
      const answer = await withoutEffect(() => callTask(endpoint, stranger, 'create_media_buy', goods.buy()));
      expect(answer.errors[0]).toMatchObject({ code: 'PRODUCT_NOT_FOUND', field: 'packages[0].product_id' });
    });

    it('a list contains only objects of the caller', async () => {
      const { body } = await callTask(endpoint, stranger, 'get_media_buys', { adcp_version: '3.1' });
      expect(list(body['media_buys'])).toEqual([]);
    });

    it('an idempotency key that another organization has used is free here', async () => {
      const [row] = await database.rows<{ idempotency_key: string }>(
        'select idempotency_key from operation limit 1',
      );
      const args = goods.buy({ idempotency_key: row?.idempotency_key });
      const answer = await withoutEffect(() => callTask(endpoint, stranger, 'create_media_buy', args));
      expect(answer.errors[0]?.code).toBe('PRODUCT_NOT_FOUND');
    });
  });

  it('none of them is visible at the administrative addresses', async () => {
    const get = async (path: string): Promise<[number, unknown]> => {
      const { status, text } = await send(stranger, 'GET', path);
      return [status, JSON.parse(text)];
    };
    expect((await get(`/v1/buys/${owned.mediaBuyId}`))[0]).toBe(404);
    expect(await get('/v1/buys')).toEqual([200, { media_buys: [] }]);
    expect(await get('/v1/sellers')).toEqual([200, { sellers: [] }]);
    expect(await get('/v1/ledger/spend')).toEqual([200, { spend: [] }]);
    expect(await get('/v1/credentials')).toEqual([200, { credentials: [] }]);
    expect(await get('/v1/accounts')).toEqual([200, { accounts: [] }]);
  });

  it('a credential of another organization cannot be replaced', async () => {
    const [row] = await database.rows<{ credential_id: string }>(
      'select credential_id from credential limit 1',
    );
    const answer = await post(
      'REST',
      stranger,
      `/v1/credentials/${row?.credential_id ?? ''}/rotate`,
      '{"secret":"x"}',
    );
    expect(answer.httpStatus).toBe(404);
  });

  it('an account of another organization cannot be suspended', async () => {
    const [row] = await database.rows<{ id: string }>('select id from principal_account limit 1');
    const query = JSON.stringify({ status: 'suspended', reason: 'x' });
    for (const id of [row?.id ?? '', randomUUID()]) {
      const answer = await post('REST', stranger, `/v1/accounts/${id}/status`, query);
      expect([answer.httpStatus, answer.errors.map(({ code }) => code)]).toEqual([404, ['NOT_FOUND']]);
    }
  });

  it('A2A’s own tasks/get finds none of their tasks', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: owned.taskId } };
    const received = async (to: { url: string; token: string }): Promise<unknown> =>
      JSON.parse((await post('A2A', to, '/a2a', JSON.stringify(body))).text);
    expect(await received(instance)).toMatchObject({ result: { status: { state: 'completed' } } });
    expect(await received(stranger)).toMatchObject({ error: { code: -32001 } });
  });
});

describe('a webhook address', () => {
  const send = async (
    registration: string,
    body: string | Buffer,
    headers = {},
  ): Promise<[number, string]> => {
    const answer = await withoutEffect(() =>
      fetch(`${instance.url}/webhooks/${registration}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
    );
    return [answer.status, await answer.text()];
  };
  const ours = async (): Promise<string> => {
    const [row] = await database.rows<{ id: string }>('select id from webhook_registration limit 1');
    return row?.id ?? '';
  };

  it.each(['nobody', '%00', '..%2f..%2fv1', 'x'.repeat(90)])(
    'that was never issued is not found: %s',
    async (id) => {
      expect((await send(id, '{}'))[0]).toBe(404);
    },
  );

  it('refuses unsigned webhooks with a challenge', async () => {
    const answer = await fetch(`${instance.url}/webhooks/${await ours()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"status":"completed"}',
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Signature error="webhook_[a-z_]+"$/);
  });

  it('refuses other types, bodies over one megabyte, and pages of another origin', async () => {
    const id = await ours();
    expect((await send(id, '{}', { 'content-type': 'text/plain' }))[0]).toBe(415);
    expect((await send(id, Buffer.alloc(1024 * 1024 + 1, 32)))[0]).toBe(413);
    expect((await send(id, '{}', { origin: 'https://elsewhere.example' }))[0]).toBe(403);
  });
});

describe('an authentic webhook with U+0000 in it', () => {
  it('is acknowledged and stored, and later webhooks are still applied', async () => {
    const made = await callTask(
      'REST',
      instance,
      'create_media_buy',
      buyRequest([catalogue.packageOf('human', { budget: 5000 })]),
    );
    expect(made.body).toMatchObject({ status: 'submitted' });
    const address = await taskAddressOf(database, 'human');
    const [bad, good] = [randomUUID(), randomUUID()];
    const update = { message: 'a\0b', result: { note: 'c\0d', percentage: 10 } };
    expect(await postSigned(instance, address, taskUpdate(address, bad, update))).toBe(200);
    expect(await postSigned(instance, address, taskUpdate(address, good))).toBe(200);
    const [state] = await waitUntil('the one after it has left the inbox', async () => {
      const rows = await database.rows<{ state: string }>(
        "select state from inbox_event where idempotency_key = $1 and state <> 'received'",
        [good],
      );
      return rows.length > 0 ? rows : undefined;
    });
    expect(['applied', 'stale']).toContain(state?.state);
    expect(await database.rows('select 1 from inbox_event where idempotency_key = $1', [bad])).toHaveLength(
      1,
    );
  });
});

describe('administrative requests', () => {
  it.each([
    [
      '/v1/sellers',
      { slug: 'UPPER', agent_url: 'https://a.example', protocol: 'mcp', dialect: 'ads' },
      'slug',
    ],
    [
      '/v1/sellers',
      { slug: 'a', agent_url: 'file:///etc/passwd', protocol: 'mcp', dialect: 'ads' },
      'agent_url',
    ],
    [
      '/v1/sellers',
      { slug: 'a', agent_url: 'https://a.example', protocol: 'SM TP', dialect: 'ads' },
      'protocol',
    ],
    [
      '/v1/sellers',
      { slug: 'a', agent_url: 'https://a.example', protocol: 'mcp', dialect: 'ads', admin: true },
      'admin',
    ],
    ['/v1/sellers/import', [{ slug: 'a' }], '[0].agent_url'],
    ['/v1/tokens', { ttl_seconds: -1 }, 'ttl_seconds'],
  ])('%s names the field that is wrong in %j', async (path, body, field) => {
    const before = await database.counts(['connection', 'credential', 'principal_token']);
    const answer = await post('REST', instance, path, JSON.stringify(body));
    expect(answer.httpStatus).toBe(422);
    expect(answer.errors[0]).toMatchObject({ field, suggestion: expect.any(String) });
    expect(await database.counts(['connection', 'credential', 'principal_token'])).toEqual(before);
  });

  it('answers a path that no text column can store with 404', async () => {
    const headers = { authorization: `Bearer ${instance.token}` };
    expect((await fetch(`${instance.url}/v1/buys/a%00b`, { headers })).status).toBe(404);
    expect((await post('REST', instance, '/v1/credentials/%00/rotate', '{"secret":"x"}')).httpStatus).toBe(
      404,
    );
  });
});

describe('a cursor that a caller made up', () => {
  const headers = () => ({ authorization: `Bearer ${instance.token}` });
  const read = async (path: string) => (await fetch(`${instance.url}${path}`, { headers: headers() })).json();
  const cursorOf = (body: object, bound: object) => {
    const text = canonicalJson(JSON.parse(JSON.stringify(bound)) as JsonValue);
    const mark = createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 22);
    return Buffer.from(JSON.stringify({ ...body, h: mark })).toString('base64url');
  };
  interface Me {
    readonly principal_id: string;
    readonly organization: { readonly organization_id: string };
  }
  interface Operation {
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string; readonly required?: boolean }[];
  }

  it('is refused by every list of /v1 if its values do not fit, and never causes a server error', async () => {
    const me = (await read('/v1/me')) as Me;
    const { paths } = (await read('/openapi.json')) as { paths: Record<string, { get?: Operation }> };
    const lists = Object.entries(paths).flatMap(([path, { get }]) => {
      const names = get?.parameters?.filter(({ name, required }) => name === 'cursor' || required === true);
      return get !== undefined && names?.length === 1 && names[0]?.name === 'cursor' ? [{ path, get }] : [];
    });
    expect(lists.length).toBeGreaterThan(25);
    const answers: string[] = [];
    for (const { path, get } of lists)
      for (const key of [[], ['\0'], ['\0', '\0'], ['\0', '\0', '\0'], ['x', 'x'], [1e300, 'x']]) {
        const walk = [get.operationId, me.organization.organization_id, me.principal_id, {}];
        const cursor = cursorOf({ k: key }, [key, walk]);
        const { status } = await fetch(`${instance.url}${path}?cursor=${cursor}`, { headers: headers() });
        const isAllowed = status === 400 || (status === 200 && !key.includes('\0') && key.length > 0);
        if (!isAllowed) answers.push(`${path} ${JSON.stringify(key)} ${String(status)}`);
      }
    expect(answers).toEqual([]);
  });

  it.each(endpointNames)('is refused by the lists of tasks and creatives over %s', async (endpoint) => {
    const me = (await read('/v1/me')) as Me;
    const scope = { organizationId: me.organization.organization_id, principalId: me.principal_id };
    const sort = { field: 'created_at', direction: 'desc' };
    const place = { o: 0, t: 1, a: randomUUID(), b: ['2026-11-27', 1] };
    const tasks = [{ t: 1e300 }, { o: -1 }, { o: 1.5 }, { a: '\0' }, { a: 'x' }, { b: ['x', 1] }].map(
      (part) => {
        const body = { ...place, ...part };
        const walk = { ...scope, task: 'list_tasks', question: { filters: {}, sort } };
        return ['list_tasks', cursorOf(body, { body, walk })] as const;
      },
    );
    const creatives = [{ t: 1e300 }, { i: 'x' }, { v: '\0' }].map((part) => {
      const body = { v: '20261127000000000', i: randomUUID(), t: 1, ...part };
      const { organizationId: organization, principalId: principal } = scope;
      const sorted = { field: 'created_date', direction: 'asc' };
      const bound = { body, filters: {}, sort: sorted, organization, principal };
      return ['list_creatives', cursorOf(body, bound)] as const;
    });
    for (const [task, cursor] of [...tasks, ...creatives]) {
      const more = task === 'list_tasks' ? {} : { sort: { field: 'created_date', direction: 'asc' } };
      const args = { adcp_version: '3.1', ...more, pagination: { cursor } };
      const { errors } = await callTask(endpoint, instance, task, args);
      expect([task, errors]).toMatchObject([task, [{ code: 'INVALID_REQUEST', field: 'pagination.cursor' }]]);
    }
  });
});
