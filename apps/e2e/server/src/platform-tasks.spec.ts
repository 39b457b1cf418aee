import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReceiver } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, endpointNames, post, type EndpointName, type TaskResponse } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { jsonOf } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

/** The tasks of the platform, accounts, feedback, usage and properties, over every endpoint of the built product. */
const folder = dataFolder();
let instance: Instance;
let market: Market;
let catalogue: Catalogue;

beforeAll(async () => {
  instance = await openOrganization(
    folder.path,
    ['prompt', 'courier', 'human', 'auction', 'seed', 'behind', 'signals-now', 'signals-later'],
    'paused',
  );
  market = Market.of(folder.path);
  catalogue = await Catalogue.read(instance, 3);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const call = (endpoint: EndpointName, task: string, args: Json): Promise<TaskResponse> =>
  callTask(endpoint, instance, task, { adcp_version: '3.1', ...args });
const keyed = (args: Json): Json => ({ idempotency_key: randomUUID(), ...args });

const pair = (domain: string): Json => ({
  brand: { domain },
  operator: 'agency.example',
  billing: 'operator',
});
const sync = (endpoint: EndpointName, domains: readonly string[], more: Json = {}): Promise<TaskResponse> =>
  call(endpoint, 'sync_accounts', keyed({ accounts: domains.map(pair), ...more }));
const actions = ({ body }: TaskResponse): readonly unknown[] =>
  list(body['accounts']).map((row) => [(row['brand'] as Json)['domain'], row['action'], row['status']]);
const idsOf = ({ body }: TaskResponse): readonly unknown[] =>
  list(body['accounts']).map((row) => row['account_id']);

/** Returns a market agent's calls of this task. */
async function arrived(seller: string, tool: string): Promise<readonly Json[]> {
  const calls = (await market.calls()).find(({ slug }) => slug === seller);
  return (calls?.recent ?? []).filter((item) => item.tool === tool).map(({ args }) => args);
}

async function bought(sellers: readonly string[]): Promise<{ readonly id: string; readonly body: Json }> {
  const packages = sellers.map((seller) => catalogue.packageOf(seller));
  const { body } = await callTask('REST', instance, 'create_media_buy', buyRequest(packages));
  return { id: String(body['media_buy_id']), body };
}

describe('sync_accounts', () => {
  it.each(endpointNames)(
    'over %s shows in a dry run what it would do, and stores nothing',
    async (endpoint) => {
      const domain = `dry-${endpoint.toLowerCase()}.example`;
      const key = randomUUID();
      const dry = await sync(endpoint, [domain], { dry_run: true, idempotency_key: key });
      expect(actions(dry)).toEqual([[domain, 'created', 'active']]);
      const listed = await call('REST', 'list_accounts', { pagination: { max_results: 100 } });
      expect(JSON.stringify(listed.body)).not.toContain(domain);
      // The key is unused: a dry run stores nothing under it.
      const wet = await sync(endpoint, [domain], { idempotency_key: key });
      expect(wet.body['replayed']).not.toBe(true);
      expect(actions(wet)).toEqual([[domain, 'created', 'active']]);
    },
  );

  it.each(endpointNames)(
    'over %s answers a repetition with the first answer, and refuses the key for other rows',
    async (endpoint) => {
      const idempotency_key = randomUUID();
      const domain = `twice-${endpoint.toLowerCase()}.example`;
      const first = await sync(endpoint, [domain], { idempotency_key });
      const again = await sync(endpoint, [domain], { idempotency_key });
      expect(again.body['accounts']).toEqual(first.body['accounts']);
      expect([first.body['replayed'], again.body['replayed']]).toEqual([undefined, true]);
      const other = await sync(endpoint, ['another.example'], { idempotency_key });
      expect(other.errors.map(({ code }) => code)).toEqual(['IDEMPOTENCY_CONFLICT']);
      const fresh = await sync(endpoint, [domain]);
      expect([actions(fresh), idsOf(fresh)]).toEqual([[[domain, 'unchanged', 'active']], idsOf(first)]);
    },
  );

  it('closes missing accounts on request, and a pair that is declared again is another account', async () => {
    const before = await sync('REST', ['stays.example', 'goes.example']);
    const [stays, goes] = idsOf(before);
    const stored = list(
      (await call('REST', 'list_accounts', { status: 'active', pagination: { max_results: 100 } })).body[
        'accounts'
      ],
    );
    const others = stored
      .map((row) => row as { account_id: string; brand: { domain: string }; operator: string })
      .filter(({ account_id: id }) => id !== goes)
      .map(({ brand, operator }) => ({ brand, operator, billing: 'operator' }));
    const after = await call('MCP', 'sync_accounts', keyed({ accounts: others, delete_missing: true }));
    expect(list(after.body['accounts']).filter((row) => row['status'] === 'closed')).toMatchObject([
      { account_id: goes, brand: { domain: 'goes.example' }, action: 'updated' },
    ]);
    const closed = await call('A2A', 'list_accounts', { status: 'closed' });
    expect(idsOf(closed)).toEqual([goes]);
    const anew = await sync('A2A', ['goes.example', 'stays.example']);
    expect(actions(anew)).toEqual([
      ['goes.example', 'created', 'active'],
      ['stays.example', 'unchanged', 'active'],
    ]);
    const [again, same] = idsOf(anew);
    expect([again === goes, same === stays]).toEqual([false, true]);
    const byOldId = await call(
      'REST',
      'sync_accounts',
      keyed({ accounts: [{ account: { account_id: goes } }] }),
    );
    expect(byOldId.errors.map(({ code }) => code)).toEqual(['ACCOUNT_NOT_FOUND']);
  });

  it('keeps an account with a live media buy open, and names it', async () => {
    await bought(['prompt']);
    const spares = await call(
      'REST',
      'sync_accounts',
      keyed({
        accounts: [pair('spare.example')],
        delete_missing: true,
        dry_run: true,
      }),
    );
    const row = list(spares.body['accounts']).find(
      (account) => (account['brand'] as Json)['domain'] === 'roaster.example',
    );
    expect(row).toMatchObject({ action: 'failed', status: 'active' });
    expect(list(row?.['errors'])).toMatchObject([{ code: 'INVALID_STATE' }]);
  });
});

describe('list_accounts', () => {
  it.each(endpointNames)(
    'over %s has pages that stay the same while accounts are declared',
    async (endpoint) => {
      await sync('REST', ['page-1.example', 'page-2.example', 'page-3.example']);
      const whole = idsOf(await call(endpoint, 'list_accounts', { pagination: { max_results: 100 } }));
      const first = await call(endpoint, 'list_accounts', { pagination: { max_results: 2 } });
      await sync('REST', [`between-${endpoint.toLowerCase()}.example`]);
      const seen = [...idsOf(first)];
      let page = first.body['pagination'] as Json;
      while (page['has_more'] === true) {
        const next = await call(endpoint, 'list_accounts', {
          pagination: { max_results: 2, cursor: page['cursor'] },
        });
        seen.push(...idsOf(next));
        page = next.body['pagination'] as Json;
      }
      expect(seen).toEqual(whole);
      expect(page).toMatchObject({ total_count: whole.length });
    },
  );
});

describe('a suspended account', () => {
  const domain = 'held.example';
  const account = { brand: { domain }, operator: 'agency.example' };
  const stand = async (id: unknown, status: string): Promise<TaskResponse> =>
    post('REST', instance, `/v1/accounts/${String(id)}/status`, JSON.stringify({ status, reason: 'a test' }));

  it.each(endpointNames)('buys nothing at any seller over %s until it is active again', async (endpoint) => {
    const [id] = idsOf(await sync(endpoint, [domain]));
    const buy = (): Promise<TaskResponse> =>
      callTask(
        endpoint,
        instance,
        'create_media_buy',
        buyRequest([catalogue.packageOf('prompt')], { account, brand: { domain } }),
      );
    const before = await market.mutations();
    expect((await stand(id, 'suspended')).body).toMatchObject({ account_id: id, status: 'suspended' });
    expect((await buy()).errors.map(({ code }) => code)).toEqual(['ACCOUNT_SUSPENDED']);
    const listed = await call(endpoint, 'list_accounts', { status: 'suspended' });
    expect(idsOf(listed)).toEqual([id]);
    expect((await stand(id, 'payment_required')).errors.map(({ code }) => code)).toEqual(['CONFLICT']);
    await stand(id, 'active');
    await stand(id, 'payment_required');
    expect((await buy()).errors.map(({ code }) => code)).toEqual(['ACCOUNT_PAYMENT_REQUIRED']);
    expect(await market.mutations()).toEqual(before);
    await stand(id, 'active');
    expect((await buy()).errors).toEqual([]);
  });
});

describe('provide_performance_feedback', () => {
  it.each(endpointNames)(
    'over %s is sent once to the one seller of a package, under that seller’s ids',
    async (endpoint) => {
      const { id, body } = await bought(['prompt', 'courier']);
      const packages = list(body['packages']).map((item) => String(item['package_id']));
      const [seller, other] = endpoint === 'MCP' ? ['courier', 'prompt'] : ['prompt', 'courier'];
      const named = packages.find((item) => item.startsWith(`${seller}:`));
      const [before, spared] = [await arrived(seller, task), await arrived(other, task)];
      const args = keyed({
        media_buy_id: id,
        package_id: named,
        measurement_period: { start: '2026-11-01T00:00:00Z', end: '2026-11-08T00:00:00Z' },
        performance_index: 1.25,
        metric_type: 'brand_lift',
      });
      const done = await call(endpoint, task, args);
      expect([done.errors, done.body['success']]).toEqual([[], true]);
      const again = await call(endpoint, task, args);
      expect(again.body).toMatchObject({ success: true, replayed: true });
      const received = (await arrived(seller, task)).slice(before.length);
      const [theirs] = await booked(seller, id);
      expect(received).toMatchObject([
        {
          media_buy_id: theirs,
          package_id: named?.split(':')[1],
          performance_index: 1.25,
          metric_type: 'brand_lift',
        },
      ]);
      expect(await arrived(other, task)).toEqual(spared);
      const nobodys = await call(
        endpoint,
        task,
        keyed({ ...args, idempotency_key: randomUUID(), media_buy_id: 'mb_nobody' }),
      );
      expect(nobodys.errors.map(({ code }) => code)).toEqual(['MEDIA_BUY_NOT_FOUND']);
    },
  );

  const task = 'provide_performance_feedback';
  async function booked(seller: string, id: string): Promise<readonly unknown[]> {
    const { body } = await call('REST', 'get_media_buys', { media_buy_ids: [id] });
    const detail = await jsonOf<{ readonly legs: readonly Json[] }>([
      'buys',
      'show',
      id,
      '--data',
      folder.path,
    ]);
    expect(list(body['media_buys'])).toHaveLength(1);
    return detail.legs.filter((leg) => leg['seller'] === seller).map((leg) => leg['seller_media_buy_id']);
  }
});

describe('report_usage', () => {
  const period = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z' };
  const record = (domain: string, signal: string, more: Json = {}): Json => ({
    account: { brand: { domain }, operator: 'agency.example' },
    signal_agent_segment_id: signal,
    vendor_cost: 12.5,
    currency: 'USD',
    ...more,
  });

  it.each(endpointNames)(
    'R35: over %s usage is sent to each vendor separately, record by record, once',
    async (endpoint) => {
      const { body } = await call('REST', 'get_signals', {
        signal_spec: 'everything',
        destinations: [{ type: 'platform', platform: 'dsp' }],
        countries: ['US'],
      });
      const signal = list(body['signals'])
        .map((row) => String(row['signal_agent_segment_id']))
        .find((id) => id.startsWith('signals-later:'));
      const domain = `used-${endpoint.toLowerCase()}.example`;
      await sync('REST', [domain]);
      const before = await arrived('signals-later', 'report_usage');
      const args = keyed({
        reporting_period: period,
        usage: [
          record(domain, String(signal)),
          record('never-declared.example', String(signal)),
          record(domain, 'signals-later:no-such-segment'),
          record(domain, 'nobody:x'),
        ],
      });
      const done = await call(endpoint, 'report_usage', args);
      expect(done.body['accepted']).toBe(1);
      expect(list(done.body['errors']).map(({ code, field }) => [code, field])).toEqual([
        ['ACCOUNT_NOT_FOUND', 'usage[1].account'],
        ['SIGNAL_NOT_FOUND', 'usage[2].signal_agent_segment_id'],
        ['REFERENCE_NOT_FOUND', 'usage[3].signal_agent_segment_id'],
      ]);
      const again = await call(endpoint, 'report_usage', args);
      expect(again.body).toMatchObject({ accepted: 1, replayed: true, errors: done.body['errors'] });
      const received = (await arrived('signals-later', 'report_usage')).slice(before.length);
      expect(received).toHaveLength(1);
      expect(list(received[0]?.['usage']).map((row) => row['signal_agent_segment_id'])).toEqual([
        signal?.split(':')[1],
        'no-such-segment',
      ]);
    },
  );

  it('R38: remembers what a vendor bills elsewhere, and never reports it again', async () => {
    const { body } = await call('REST', 'get_signals', {
      signal_spec: 'everything',
      destinations: [{ type: 'platform', platform: 'dsp' }],
      countries: ['US'],
    });
    const signal = String(
      list(body['signals'])
        .map((row) => row['signal_agent_segment_id'])
        .find((id) => String(id).startsWith('signals-later:')),
    );
    await sync('REST', ['elsewhere.example']);
    const before = (await arrived('signals-later', 'report_usage')).length;
    for (const endpoint of endpointNames) {
      const done = await call(
        endpoint,
        'report_usage',
        keyed({ reporting_period: period, usage: [record('elsewhere.example', signal)] }),
      );
      expect([endpoint, done.body['accepted'] ?? 0]).toEqual([endpoint, 0]);
      expect(done.errors.map(({ code }) => code)).toEqual(['BILLING_OUT_OF_BAND']);
    }
    expect(await arrived('signals-later', 'report_usage')).toHaveLength(before + 1);
  });
});

describe('list_authorized_properties', () => {
  it.each(endpointNames)('over %s names every publisher once, with all of its sellers', async (endpoint) => {
    const { body } = await callTask(endpoint, instance, 'list_authorized_properties', {});
    const domains = body['publisher_domains'] as readonly string[];
    expect(domains).toEqual([...new Set(domains)].sort());
    expect(domains.length).toBeGreaterThan(2);
    const response = await callTask(endpoint, instance, 'list_authorized_properties', {
      publisher_domains: domains.slice(0, 1),
    });
    expect(response.body['publisher_domains']).toEqual(domains.slice(0, 1));
    const rows = list(body['sellers']).map((row) => [row['seller'], row['status']]);
    for (const seller of ['auction', 'seed', 'prompt', 'courier', 'behind'])
      expect(rows).toContainEqual([seller, 'answered']);
  });
});

describe('the status of a task', () => {
  it.each(endpointNames)('over %s is found only within the account of its request', async (endpoint) => {
    const { body } = await bought(['human']);
    const account = (domain: string, operator: string): Json => ({ brand: { domain }, operator });
    const other = `beside-${endpoint.toLowerCase()}.example`;
    expect(actions(await sync('REST', [other]))).toEqual([[other, 'created', 'active']]);
    const look = (more: Json): Promise<TaskResponse> =>
      call(endpoint, 'tasks/get', { task_id: body['task_id'], ...more });
    for (const more of [{}, { account: account('roaster.example', 'agency.example') }])
      expect((await look(more)).body).toMatchObject({ task_id: body['task_id'] });
    const beside = await look({ account: account(other, 'agency.example') });
    expect(beside.errors.map(({ code }) => code)).toEqual(['REFERENCE_NOT_FOUND']);
    const none = await call(endpoint, 'tasks/get', {
      task_id: 'task_none',
      account: account(other, 'agency.example'),
    });
    expect(beside.errors).toEqual(none.errors);
    const unknown = await look({ account: account('nobody-declared.example', 'agency.example') });
    expect(unknown.errors.map(({ code }) => code)).toEqual(['ACCOUNT_NOT_FOUND']);
  });
});

describe('a task that is canceled', () => {
  it.each(endpointNames)(
    'over %s names the seller that refused, and the other one ends',
    async (endpoint) => {
      const { body } = await bought(['prompt', 'human']);
      const done = await call(endpoint, 'tasks/cancel', {
        task_id: body['task_id'],
        reason: 'a change of plan',
      });
      const received = JSON.stringify(done.body);
      expect([received, done.errors]).toEqual([expect.stringContaining('prompt'), []]);
      expect(received).toContain('NOT_CANCELLABLE');
      expect(received).not.toMatch(/"seller":"human"[^}]*refused/);
      const read = await waitUntil('the task is over', async () => {
        const view = await call('REST', 'tasks/get', { task_id: body['task_id'] });
        return view.body['status'] === 'submitted' || view.body['status'] === 'working' ? undefined : view;
      });
      expect(read.body['status']).toBe('completed');
      const canceled = await call('REST', 'tasks/cancel', { task_id: body['task_id'] });
      expect(canceled.errors.map(({ code }) => code)).toEqual(['NOT_CANCELLABLE']);
    },
  );
});

describe('native callbacks of A2A that are registered after the task has begun', () => {
  const rpc = async (method: string, params: Json): Promise<Json> => {
    const answer = await fetch(`${instance.url}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${instance.token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return (await answer.json()) as Json;
  };

  it('are stored, shown without their token, removed, and called natively, in both generations', async () => {
    const inbox = await startReceiver();
    const { body } = await bought(['human']);
    const taskId = String(body['task_id']);
    const at = (path: string, more: Json = {}): Json => ({ url: `${inbox.url}${path}`, ...more });
    const token = 'a-token-of-the-test-0123';
    const older = await rpc('tasks/pushNotificationConfig/set', {
      taskId,
      pushNotificationConfig: at('/older', { id: 'mine', token }),
    });
    expect(older['result']).toEqual({
      taskId,
      pushNotificationConfig: { id: 'mine', url: `${inbox.url}/older` },
    });
    const newer = await rpc('CreateTaskPushNotificationConfig', { taskId, ...at('/newer') });
    const made = newer['result'] as Json;
    expect(made).toEqual({ id: expect.stringMatching(/./), taskId, url: `${inbox.url}/newer` });
    await rpc('CreateTaskPushNotificationConfig', { taskId, id: 'unwanted', ...at('/unwanted') });
    const listed = (await rpc('ListTaskPushNotificationConfigs', { taskId }))['result'] as Json;
    expect(
      list(listed['configs'])
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['mine', made['id'], 'unwanted'].toSorted());
    expect(JSON.stringify(listed)).not.toContain(token);
    expect(await rpc('DeleteTaskPushNotificationConfig', { taskId, id: 'unwanted' })).toMatchObject({
      result: {},
    });
    const left = await rpc('tasks/pushNotificationConfig/list', { id: taskId });
    expect(list(left['result'])).toHaveLength(2);
    const config = { id: taskId, pushNotificationConfigId: 'mine' };
    expect((await rpc('tasks/pushNotificationConfig/get', config))['result']).toEqual(older['result']);

    const ended = (path: string): Json | undefined =>
      inbox.received.find(
        (event) => event.path === path && /complet/i.test(JSON.stringify(event.body['status'] ?? event.body)),
      )?.body;
    const [first, second] = await waitUntil('both have heard of the end', () => {
      const both = [ended('/older'), ended('/newer')];
      return both.every((event) => event !== undefined) ? both : undefined;
    });
    expect(first).toMatchObject({ kind: 'task', id: taskId, status: { state: 'completed' } });
    expect(JSON.stringify(second)).toContain('TASK_STATE_COMPLETED');
    expect(inbox.received.map(({ path }) => path)).not.toContain('/unwanted');

    const late = await rpc('tasks/pushNotificationConfig/set', {
      taskId,
      pushNotificationConfig: at('/late'),
    });
    // As the card says: an ended task takes an address, and nothing more happens that could be sent there.
    expect(late).toMatchObject({ result: { taskId } });
    expect(inbox.received.map(({ path }) => path)).not.toContain('/late');
    await inbox.close();
  });

  it('are refused for another principal’s task as for a missing one, and for a denied address', async () => {
    const nobodys = await rpc('tasks/pushNotificationConfig/set', {
      taskId: 'task_nobody',
      pushNotificationConfig: { url: 'https://buyer.example/hooks' },
    });
    expect(nobodys).toMatchObject({ error: { code: -32001 } });
    const { body } = await bought(['human']);
    const bad = await rpc('tasks/pushNotificationConfig/set', {
      taskId: body['task_id'],
      pushNotificationConfig: { url: 'ftp://buyer.example/hooks' },
    });
    expect(bad).toMatchObject({ error: { code: -32602, data: { errors: [{ code: 'INVALID_REQUEST' }] } } });
  });
});

describe('capabilities', () => {
  it('say how to get accounts, and list signed methods of the protocol apart from tasks', async () => {
    const { body } = await call('REST', 'get_adcp_capabilities', {});
    expect(body['account']).toEqual({
      require_operator_auth: false,
      supported_billing: ['operator'],
      required_for_products: false,
      sandbox: true,
    });
    const signing = body['request_signing'] as Readonly<Record<string, readonly string[]>>;
    expect(signing['protocol_methods_supported_for']?.toSorted()).toEqual([
      'tasks/cancel',
      'tasks/get',
      'tasks/list',
    ]);
    expect(signing['supported_for']).toContain('cancel_task');
    expect(JSON.stringify([signing['supported_for'], signing['required_for']])).not.toContain('/');
  });
});
