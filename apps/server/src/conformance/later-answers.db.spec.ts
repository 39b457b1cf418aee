import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { callAtEndpoint } from './testkit/task-endpoints.js';
import { openLater, type LaterStage } from './testkit/later.js';
import { product } from './testkit/product.js';

/** Sellers that answer a question to the market later, over MCP and A2A, and the buyers that wait for them. */
let stage: LaterStage;

beforeAll(async () => {
  stage = await openLater();
});
afterAll(() => stage.close());
beforeEach(() => {
  stage.sellers.forget();
});

const brief = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'coffee',
  brand: { domain: 'roaster.example' },
};
const audience = {
  adcp_version: '3.1',
  signal_spec: 'coffee drinkers',
  destinations: [{ type: 'platform', platform: 'dsp.example' }],
  countries: ['US'],
};
const questions = { get_products: brief, get_signals: audience } as const;
type Task = keyof typeof questions;
const lists: Record<Task, string> = { get_products: 'products', get_signals: 'signals' };
const idNames: Record<Task, string> = {
  get_products: 'product_id',
  get_signals: 'signal_agent_segment_id',
};

const signal = (id: string): JsonObject => ({
  signal_agent_segment_id: id,
  name: id,
  description: 'A signal of the suite',
  signal_type: 'marketplace',
  data_provider: 'provider.example',
  coverage_percentage: 20,
  deployments: [{ type: 'platform', platform: 'dsp.example', is_live: false }],
  pricing: { cpm: 2, currency: 'USD' },
  pricing_options: [{ pricing_option_id: 'p', model: 'cpm', cpm: 2, currency: 'USD' }],
});
const offer = (task: Task, ...ids: readonly string[]): JsonObject =>
  task === 'get_products' ? { products: ids.map(product) } : { signals: ids.map(signal) };

const list = (answer: JsonObject, name: string): readonly JsonObject[] =>
  Array.isArray(answer[name]) ? answer[name].filter(isJsonObject) : [];
const idsIn = (task: Task, answer: JsonObject): readonly unknown[] =>
  list(answer, lists[task])
    .map((item) => item[idNames[task]])
    .toSorted();
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const operationOf = (answer: JsonObject): string => text(answer['operation_id']);
const taskIdOf = (answer: JsonObject): string => text(answer['task_id']);
const later = (answer: JsonObject): readonly unknown[] =>
  list(answer, 'incomplete').map(({ description }) => text(description).split(' ')[0]);
const rowOf = (answer: JsonObject, seller: string): JsonObject =>
  list(answer, 'sellers').find((row) => row['seller'] === seller) ?? {};
const codesOf = (answer: JsonObject): readonly unknown[] => list(answer, 'errors').map(({ code }) => code);
const statusOf = async (id: string): Promise<JsonObject> =>
  stage.call('tasks/get', { adcp_version: '3.1', task_id: id });
const readOn = (task: Task, id: string, more: JsonObject = {}): JsonObject => ({
  ...questions[task],
  ...more,
  ext: { switchyard: { operation_id: id } },
});

/** Looks until something is so: the hands look at what is due once a second. */
async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

/** How it stands, with every open leg due again: a look that is under way would put its leg off after it was made due. */
async function soonStatusOf(id: string): Promise<JsonObject> {
  await stage.due();
  return statusOf(id);
}

const settled = (id: string): Promise<JsonObject> =>
  until(
    () => soonStatusOf(id),
    ({ status }) => status === 'completed',
  );

describe.each(['get_products', 'get_signals'] as const)('%s of sellers that answer later', (task) => {
  const question = questions[task];
  const now = offer(task, 'now');

  it('returns at once what has arrived, and names each seller that is still working', async () => {
    stage.sellers.says('mcp30', now);
    const answer = await stage.call(task, question);
    expect([answer['status'], idsIn(task, answer)]).toEqual(['completed', ['mcp30:now']]);
    expect(later(answer)).toEqual(['a2a31', 'mcp31']);
    for (const seller of ['mcp31', 'a2a31'])
      expect(rowOf(answer, seller)).toMatchObject({ status: 'answered', code: 'SUBMITTED', items: 0 });
  });

  it('is returned complete by the id of its operation once every seller has answered, over MCP and A2A', async () => {
    stage.sellers.says('mcp30', now);
    const id = operationOf(await stage.call(task, question));
    const waiting = await statusOf(id);
    expect([waiting['status'], waiting['result']]).toEqual(['submitted', undefined]);
    expect([waiting['has_webhook'], waiting['progress']]).toEqual([
      false,
      { percentage: 33, current_step: '1 of 3 sellers are done', total_steps: 3, step_number: 2 },
    ]);
    stage.sellers.ends('mcp31', offer(task, 'late', 'later'));
    stage.sellers.ends('a2a31', offer(task, 'native'));
    const done = await settled(id);
    expect(done).not.toHaveProperty('progress');
    const result = done['result'] as JsonObject;
    expect(idsIn(task, result)).toEqual(['a2a31:native', 'mcp30:now', 'mcp31:late', 'mcp31:later']);
    expect(result).not.toHaveProperty('incomplete');
    expect(done).toMatchObject({
      task_type: task,
      protocol: task === 'get_signals' ? 'signals' : 'media-buy',
    });
    expect(rowOf(done, 'mcp31')).toMatchObject({ status: 'answered', items: 2 });
    expect(rowOf(done, 'mcp30')).toMatchObject({ status: 'answered', items: 1 });
  });

  it('is read further by the same query and the operation’s id, and no seller is called again', async () => {
    stage.sellers.says('mcp30', now);
    const id = operationOf(await stage.call(task, question));
    const requested = stage.sellers.received('mcp30').length;
    const early = await stage.call(task, readOn(task, id));
    expect([idsIn(task, early), later(early)]).toEqual([['mcp30:now'], ['a2a31', 'mcp31']]);
    stage.sellers.ends('mcp31', offer(task, 'late'));
    stage.sellers.ends('a2a31', offer(task));
    await settled(id);
    const whole = await stage.call(task, readOn(task, id));
    expect(idsIn(task, whole)).toEqual(['mcp30:now', 'mcp31:late']);
    const pages = await stage.call(task, readOn(task, id, { pagination: { max_results: 1 } }));
    expect(list(pages, lists[task])).toHaveLength(1);
    expect(pages['pagination']).toMatchObject({ has_more: true, total_count: 2 });
    expect(stage.sellers.received('mcp30')).toHaveLength(requested);
  });

  it('belongs to its caller and its query', async () => {
    stage.sellers.says('mcp30', now);
    const id = operationOf(await stage.call(task, question));
    expect(codesOf(await stage.callAsOther(task, readOn(task, id)))).toEqual(['REFERENCE_NOT_FOUND']);
    expect(codesOf(await stage.callAsOther('tasks/get', { adcp_version: '3.1', task_id: id }))).toEqual([
      'REFERENCE_NOT_FOUND',
    ]);
    const another = task === 'get_products' ? { brief: 'tea' } : { signal_spec: 'tea drinkers' };
    expect(codesOf(await stage.call(task, readOn(task, id, another)))).toEqual(['REFERENCE_NOT_FOUND']);
  });

  it('applies the filters of the query to later parts, and sets aside invalid items', async () => {
    stage.sellers.says('mcp30', now);
    stage.sellers.says('a2a31', offer(task));
    const [key, filters] =
      task === 'get_products' ? ['products', { channels: ['ctv'] }] : ['signals', { max_cpm: 1 }];
    const id = operationOf(await stage.call(task, { ...question, filters }));
    stage.sellers.ends('mcp31', { [key]: [...list(offer(task, 'late'), key), { name: 'no id' }] });
    const result = (await settled(id))['result'] as JsonObject;
    expect(idsIn(task, result)).toEqual([]);
    const { findings } = (result['ext'] as { switchyard: { findings: JsonObject[] } }).switchyard;
    expect(findings).toContainEqual(
      expect.objectContaining({ seller: 'mcp31', code: expect.stringMatching(/_SET_ASIDE$/) }),
    );
  });

  it('is polled by the next process after a crash', async () => {
    stage.sellers.says('mcp30', now);
    const id = operationOf(await stage.call(task, question));
    await stage.restart();
    stage.sellers.ends('mcp31', offer(task, 'late'));
    stage.sellers.ends('a2a31', offer(task, 'native'));
    const result = (await settled(id))['result'] as JsonObject;
    expect(idsIn(task, result)).toEqual(['a2a31:native', 'mcp30:now', 'mcp31:late']);
  });
});

describe('a later answer with several pages', () => {
  const cursor = (at: string): JsonObject => ({ pagination: { has_more: true, cursor: at } });
  const lastPage: JsonObject = { pagination: { has_more: false } };
  const cutIn = (answer: JsonObject): readonly unknown[] =>
    list(answer, 'incomplete').map(({ description }) => description);

  it.each(['get_products', 'get_signals'] as const)(
    'is read to its last page, over MCP and A2A, before %s counts as answered',
    async (task) => {
      stage.sellers.says('mcp30', offer(task));
      const id = operationOf(await stage.call(task, questions[task]));
      for (const seller of ['mcp31', 'a2a31'] as const) {
        stage.sellers.says(seller, [
          { ...offer(task, 'two'), ...cursor('c3') },
          { ...offer(task, 'three'), ...lastPage },
        ]);
        stage.sellers.ends(seller, { ...offer(task, 'one'), ...cursor('c2') });
      }
      const done = await settled(id);
      const result = done['result'] as JsonObject;
      expect(idsIn(task, result)).toEqual(
        ['a2a31', 'mcp31'].flatMap((seller) => ['one', 'three', 'two'].map((name) => `${seller}:${name}`)),
      );
      expect(result).not.toHaveProperty('incomplete');
      expect(rowOf(done, 'mcp31')).toMatchObject({ status: 'answered', items: 3 });
      const pages = stage.sellers.received('mcp31').slice(-2);
      expect(pages.map(({ args }) => args['pagination'])).toEqual([
        expect.objectContaining({ cursor: 'c2' }),
        expect.objectContaining({ cursor: 'c3' }),
      ]);
    },
  );

  it('is returned in part if a page is missing, and says so', async () => {
    stage.sellers.says('mcp30', { products: [] });
    stage.sellers.says('a2a31', { products: [] });
    const id = operationOf(await stage.call('get_products', brief));
    stage.sellers.says('mcp31', { errors: [{ code: 'RATE_LIMITED', message: 'Later.' }] });
    stage.sellers.ends('mcp31', { products: [product('one')], ...cursor('c2') });
    const result = (await settled(id))['result'] as JsonObject;
    expect(idsIn('get_products', result)).toEqual(['mcp31:one']);
    expect(cutIn(result)).toEqual(['mcp31 has more items than it sent in time.']);
  });
});

describe('a read that its sellers end in another way', () => {
  it('names a seller that fails, one that forgot its task and one that never answers, each with its code', async () => {
    const id = operationOf(await stage.call('get_products', brief));
    stage.sellers.ends('mcp31', { errors: [{ code: 'POLICY_VIOLATION', message: 'Not for you.' }] });
    stage.sellers.ends('mcp30', 'forgotten');
    await until(
      () => soonStatusOf(id),
      (seen) => rowOf(seen, 'mcp30')['code'] === 'REFERENCE_NOT_FOUND',
    );
    await stage.age(25);
    const done = await settled(id);
    expect(rowOf(done, 'mcp31')).toMatchObject({ status: 'refused', code: 'POLICY_VIOLATION' });
    expect(rowOf(done, 'mcp30')).toMatchObject({ status: 'refused', code: 'REFERENCE_NOT_FOUND' });
    expect(rowOf(done, 'a2a31')).toMatchObject({ status: 'failed', code: 'SERVICE_UNAVAILABLE' });
    expect(done['result']).toMatchObject({ products: [] });
  });

  it('sends the request once more if a task completed without its result', async () => {
    stage.sellers.says('a2a31', { products: [] });
    stage.sellers.says('mcp31', { products: [] });
    const id = operationOf(await stage.call('get_products', brief));
    stage.sellers.ends('mcp30', 'bare');
    stage.sellers.says('mcp30', { products: [product('found')] });
    const result = (await settled(id))['result'] as JsonObject;
    expect(idsIn('get_products', result)).toEqual(['mcp30:found']);
    expect(stage.sellers.received('mcp30').map(({ tool }) => tool)).toEqual([
      'get_products',
      'tasks/get',
      'get_products',
    ]);
  });

  it('reports a seller that names no task as not following the protocol', async () => {
    stage.sellers.says('mcp31', { status: 'submitted' });
    stage.sellers.says('mcp30', { products: [] });
    stage.sellers.says('a2a31', { products: [] });
    const answer = await stage.call('get_products', brief);
    expect(rowOf(answer, 'mcp31')).toMatchObject({ status: 'failed', code: 'NOT_CONFORMANT' });
  });

  it('is deleted two days after its last answer', async () => {
    stage.sellers.says('mcp30', { products: [] });
    stage.sellers.says('a2a31', { products: [] });
    const id = operationOf(await stage.call('get_products', brief));
    stage.sellers.ends('mcp31', { products: [product('late')] });
    await settled(id);
    await stage.age(49);
    expect(codesOf(await statusOf(id))).toEqual(['REFERENCE_NOT_FOUND']);
    expect(codesOf(await stage.call('get_products', readOn('get_products', id)))).toEqual([
      'REFERENCE_NOT_FOUND',
    ]);
  });
});

describe('the stored data of a query', () => {
  it('is nothing if every seller has answered, and nothing of a caller without credentials', async () => {
    for (const { slug } of [{ slug: 'mcp31' }, { slug: 'mcp30' }, { slug: 'a2a31' }] as const)
      stage.sellers.says(slug, { products: [] });
    const before = await stage.count('operation');
    await stage.call('get_products', brief);
    stage.sellers.says('mcp31', undefined);
    const nobodys = await stage.callAsNobody('get_products', brief);
    expect([nobodys['status'], later(nobodys)]).toEqual(['completed', ['mcp31']]);
    expect(nobodys).not.toHaveProperty('task_id');
    expect(await stage.count('operation')).toBe(before);
  });

  it('contains no token of the buyer’s address or of its list of properties', async () => {
    stage.sellers.says('mcp30', { products: [] });
    const answer = await stage.call('get_products', {
      ...brief,
      property_list: { agent_url: 'https://lists.example', list_id: 'l', auth_token: 'a-secret-of-the-list' },
      push_notification_config: {
        url: stage.callback,
        operation_id: 'op-secrets',
        token: 'a-secret-of-the-address',
      },
    });
    expect(answer['status']).toBe('submitted');
    expect(stage.sellers.received('mcp31')[0]?.args).toMatchObject({
      property_list: { auth_token: 'a-secret-of-the-list' },
    });
    expect(await stage.stored()).not.toContain('a-secret-of');
  });
});

describe('a buyer that registered an address for later answers', () => {
  const push = (operationId: string): JsonObject => ({
    push_notification_config: {
      url: stage.callback,
      operation_id: operationId,
      token: 'token-of-the-buyer-1',
    },
  });

  it('gets submitted, and then one webhook with the complete answer', async () => {
    stage.sellers.says('mcp30', { products: [product('now')] });
    const answer = await stage.call('get_products', {
      ...brief,
      ...push('op-1'),
      context: { mine: 1 },
      context_id: 'session-1',
    });
    expect(answer).toMatchObject({ status: 'submitted', task_id: expect.any(String) });
    expect(answer).not.toHaveProperty('products');
    stage.sellers.ends('mcp31', { products: [product('late')] });
    await until(
      () => soonStatusOf(taskIdOf(answer)),
      (seen) => rowOf(seen, 'mcp31')['items'] === 1,
    );
    stage.sellers.ends('a2a31', { products: [product('native')] });
    await settled(taskIdOf(answer));
    const [event] = await until(
      () => Promise.resolve(stage.updates().filter((row) => row['operation_id'] === 'op-1')),
      (events) => events.length > 0,
    );
    expect(event).toMatchObject({
      task_id: answer['task_id'],
      task_type: 'get_products',
      status: 'completed',
      context: { mine: 1 },
      context_id: 'session-1',
      token: 'token-of-the-buyer-1',
    });
    expect(idsIn('get_products', event?.['result'] as JsonObject)).toEqual([
      'a2a31:native',
      'mcp30:now',
      'mcp31:late',
    ]);
    await stage.due();
    expect(stage.updates().filter((row) => row['operation_id'] === 'op-1')).toHaveLength(1);
  });

  it('keeps its own address from sellers: a seller of 3.1 gets one of ours, and others get none', async () => {
    await stage.call('get_products', { ...brief, ...push('op-2'), context_id: 'session-of-the-buyer' });
    const [newest] = stage.sellers.received('mcp31');
    expect(newest?.args['push_notification_config']).toEqual({
      url: expect.stringMatching(/\/webhooks\/whr_/),
      operation_id: expect.any(String),
    });
    expect(stage.sellers.received('mcp30')[0]?.args).not.toHaveProperty('push_notification_config');
    for (const slug of ['mcp31', 'mcp30', 'a2a31'] as const) {
      const arrived = JSON.stringify(stage.sellers.received(slug));
      for (const own of [stage.callback, 'op-2', 'token-of-the-buyer-1', 'session-of-the-buyer'])
        expect(arrived).not.toContain(own);
    }
  });

  it('is answered at once if it requests the complete catalogue, or if all have answered', async () => {
    for (const slug of ['mcp31', 'mcp30', 'a2a31'] as const) stage.sellers.says(slug, { products: [] });
    expect(await stage.call('get_products', { ...brief, ...push('op-3') })).toMatchObject({
      status: 'completed',
    });
    stage.sellers.says('mcp31', undefined);
    const wholesale = { adcp_version: '3.1', buying_mode: 'wholesale', ...push('op-4') };
    expect(await stage.call('get_products', wholesale)).toMatchObject({ status: 'completed' });
  });
});

describe('a query without any answer yet', () => {
  it.each(['rest', 'mcp', 'a2a'] as const)(
    'is submitted at the %s endpoint, listed, and canceled',
    async (endpoint) => {
      const answer = await stage.call('get_signals', audience, endpoint);
      expect(answer).toMatchObject({ status: 'submitted', task_id: expect.any(String) });
      const listed = await stage.call('tasks/list', {
        adcp_version: '3.1',
        filters: { protocols: ['signals'], statuses: ['submitted'] },
      });
      expect(list(listed, 'tasks').map(({ task_id: id }) => id)).toContain(answer['task_id']);
      const canceled = await stage.call('tasks/cancel', {
        adcp_version: '3.1',
        task_id: taskIdOf(answer),
        idempotency_key: `cancel-${endpoint}-0123456789`,
      });
      expect([canceled['status'], codesOf(canceled)]).toEqual(['canceled', []]);
      expect((await statusOf(taskIdOf(answer)))['status']).toBe('canceled');
    },
  );
});

describe('tasks in pages', () => {
  it('show each waiting task once, while others end between two pages', async () => {
    const token = await stage.addBuyer('turner of pages');
    const call = (task: string, args: JsonObject) =>
      callAtEndpoint('rest', { ...stage.at(), token }, task, { adcp_version: '3.1', ...args });
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) ids.unshift(taskIdOf(await call('get_signals', audience)));
    const seen: unknown[] = [];
    let cursor: JsonObject = {};
    for (const ending of ids) {
      const pagination = { max_results: 1, ...cursor };
      const page = await call('tasks/list', { filters: { statuses: ['submitted'] }, pagination });
      seen.push(...list(page, 'tasks').map(({ task_id: id }) => id));
      const { cursor: next, has_more: more } = page['pagination'] as JsonObject;
      expect(more).toBe(seen.length < ids.length);
      cursor = typeof next === 'string' ? { cursor: next } : {};
      // Already shown, and gone from under the filter: what stands behind it moves up by one.
      await call('tasks/cancel', { task_id: ending, idempotency_key: `cancel-shown-${ending}` });
    }
    expect(seen).toEqual(ids);
  });
});

describe('the permission for a task', () => {
  const call = (task: string, args: JsonObject, token: string) =>
    callAtEndpoint('rest', { ...stage.at(), token }, task, { adcp_version: '3.1', ...args });
  const listedTo = async (token: string): Promise<readonly unknown[]> =>
    list(await call('tasks/list', {}, token), 'tasks').map(({ task_id: id }) => id);

  it('is that of its work area: a caller who may only use signals reads, lists and cancels its own', async () => {
    const token = await stage.addBuyer('signals alone', { signals: ['read', 'write'] });
    const task_id = taskIdOf(await call('get_signals', audience, token));
    expect((await call('tasks/get', { task_id }, token))['status']).toBe('submitted');
    expect(await listedTo(token)).toEqual([task_id]);
    const canceled = await call(
      'tasks/cancel',
      { task_id, adcp_version: '3.0', idempotency_key: 'cancel-signals-alone-1' },
      token,
    );
    expect([canceled['status'], codesOf(canceled)]).toEqual(['canceled', []]);
  });

  it('limits a principal to the areas of its token', async () => {
    const whole = await stage.addBuyer('everything');
    const task_id = taskIdOf(await call('get_signals', audience, whole));
    const narrow = await stage.addToken('everything', { media_buys: ['read', 'write'] });
    expect(await listedTo(whole)).toEqual([task_id]);
    expect(await listedTo(narrow)).toEqual([]);
    const hidden = await call('tasks/get', { task_id }, narrow);
    const nobodys = await call('tasks/get', { task_id: 'task_of_nobody' }, narrow);
    expect(codesOf(hidden)).toEqual(['REFERENCE_NOT_FOUND']);
    expect(list(hidden, 'errors')[0]?.['message']).toBe(list(nobodys, 'errors')[0]?.['message']);
    const cancel = { task_id, adcp_version: '3.0', idempotency_key: 'cancel-of-another-area' };
    const stored = await call('tasks/cancel', cancel, narrow);
    expect(codesOf(stored)).toEqual(['PERMISSION_DENIED']);
    expect((await call('tasks/get', { task_id }, whole))['status']).toBe('submitted');
  });
});

describe('the history of a task', () => {
  const typesOf = (task: JsonObject): readonly unknown[] =>
    list(task, 'history').map(({ type, data }) => [type, (data as JsonObject)['status']]);

  it.each(['rest', 'mcp', 'a2a'] as const)(
    'is shown on request at the %s endpoint: the request, each state with its time, and the result last',
    async (endpoint) => {
      stage.sellers.says('mcp30', { signals: [] });
      stage.sellers.says('a2a31', { signals: [] });
      const requested = {
        ...audience,
        push_notification_config: {
          url: stage.callback,
          operation_id: 'op-h',
          token: 'token-of-the-buyer-9',
        },
      };
      const task_id = taskIdOf(await stage.call('get_signals', requested, endpoint));
      const get = { adcp_version: '3.1', task_id };
      expect(await stage.call('tasks/get', get, endpoint)).not.toHaveProperty('history');
      stage.sellers.ends('mcp31', { signals: [signal('late')] });
      await settled(task_id);
      const done = await stage.call('tasks/get', { ...get, include_history: true }, endpoint);
      expect(typesOf(done)).toEqual([
        ['request', undefined],
        ['response', 'submitted'],
        ['response', 'completed'],
      ]);
      const [request, , last] = list(done, 'history');
      expect(request?.['data']).toMatchObject({ signal_spec: audience.signal_spec });
      expect(idsIn('get_signals', last?.['data'] as JsonObject)).toEqual(['mcp31:late']);
      expect(JSON.stringify(done)).not.toContain('token-of-the-buyer');
      const times = list(done, 'history').map(({ timestamp }) => Date.parse(text(timestamp)));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const filters = { task_ids: [task_id] };
      const listed = await stage.call(
        'tasks/list',
        { adcp_version: '3.1', filters, include_history: true },
        endpoint,
      );
      expect(list(listed, 'tasks').map(typesOf)).toEqual([typesOf(done)]);
      const bare = await stage.call('tasks/list', { adcp_version: '3.1', filters }, endpoint);
      expect(list(bare, 'tasks')[0]).not.toHaveProperty('history');
    },
  );
});

describe('the session of a buyer', () => {
  it.each(['rest', 'mcp'] as const)(
    'comes back at the %s endpoint with the answer, and with its task',
    async (endpoint) => {
      const answer = await stage.call(
        'get_signals',
        { ...audience, context_id: `session-${endpoint}` },
        endpoint,
      );
      expect(answer['context_id']).toBe(`session-${endpoint}`);
      const task = await stage.call(
        'tasks/get',
        { adcp_version: '3.1', task_id: taskIdOf(answer) },
        endpoint,
      );
      expect(task['context_id']).toBe(`session-${endpoint}`);
      const filters = { context_id: `session-${endpoint}` };
      const listed = await stage.call('tasks/list', { adcp_version: '3.1', filters }, endpoint);
      expect(list(listed, 'tasks').map(({ task_id: id }) => id)).toEqual([answer['task_id']]);
    },
  );

  it.each(['0.3', '1.0'] as const)(
    'is the conversation of A2A %s, in the answer and in every read of the task',
    async (generation) => {
      const contextId = `conversation-${generation}`;
      const begun = await stage.rpc(generation, 'send', {
        message: {
          ...(generation === '0.3' ? { kind: 'message', role: 'user' } : { role: 'ROLE_USER' }),
          messageId: 'm',
          contextId,
          parts: [
            {
              ...(generation === '0.3' ? { kind: 'data' } : {}),
              data: { skill: 'get_signals', parameters: audience },
            },
          ],
        },
      });
      const task = (generation === '1.0' ? begun['task'] : begun) as {
        readonly id: string;
        readonly contextId: string;
      };
      expect(task.contextId).toBe(contextId);
      const read = await stage.rpc(generation, 'get', { id: task.id });
      expect(read).toMatchObject({ id: task.id, contextId });
      if (generation === '1.0') {
        const listed = await stage.rpc(generation, 'list', { contextId });
        expect(listed['tasks']).toMatchObject([{ id: task.id, contextId }]);
        expect((await stage.rpc(generation, 'list', { contextId: 'another' }))['tasks']).toEqual([]);
      }
      expect(await stage.rpc(generation, 'cancel', { id: task.id })).toMatchObject({
        id: task.id,
        contextId,
      });
    },
  );
});

describe('a task that one seller ends and another does not', () => {
  async function begun(): Promise<JsonObject> {
    stage.sellers.says('mcp30', { signals: [] });
    stage.sellers.refusesToCancel('a2a31');
    const requested = {
      ...audience,
      push_notification_config: { url: stage.callback, operation_id: 'op-c' },
    };
    return stage.call('get_signals', requested);
  }

  it.each(['rest', 'mcp', 'a2a'] as const)(
    'continues, and the answer at the %s endpoint names who refused',
    async (endpoint) => {
      const task_id = taskIdOf(await begun());
      const cancel = { adcp_version: '3.1', task_id, idempotency_key: `refused-${endpoint}-0123456789` };
      const answer = await stage.call('tasks/cancel', cancel, endpoint);
      expect([answer['status'], codesOf(answer)]).toEqual(['submitted', []]);
      const { switchyard } = answer['ext'] as { readonly switchyard: JsonObject };
      const refused = list(switchyard, 'refused');
      expect(refused.map(({ seller, code }) => [seller, code])).toEqual([['a2a31', 'NOT_CANCELLABLE']]);
      stage.sellers.ends('a2a31', { signals: [signal('after all')] });
      const done = await settled(task_id);
      expect(idsIn('get_signals', done['result'] as JsonObject)).toEqual(['a2a31:after all']);
      expect(rowOf(done, 'mcp31')).toMatchObject({ status: 'skipped', code: 'TASK_CANCELED' });
    },
  );

  it.each(['0.3', '1.0'] as const)(
    'is an error for its caller who cancels it over A2A %s, with the outcome of each part',
    async (generation) => {
      const task_id = taskIdOf(await begun());
      const error = await stage.rpc(generation, 'cancel', { id: task_id });
      expect(error).toMatchObject({ code: -32002 });
      expect(JSON.stringify(error['data'])).toContain('a2a31');
      const again = await stage.rpc(generation, 'cancel', { id: 'no-such-task' });
      expect(again).toMatchObject({ code: -32001 });
    },
  );
});

describe('usage for several vendors', () => {
  it('goes to each separately in one report, and each record has its own outcome', async () => {
    const period = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z' };
    const account = { brand: { domain: 'roaster.example' }, operator: 'agency.example' };
    await stage.call('sync_accounts', {
      adcp_version: '3.1',
      idempotency_key: 'accounts-of-the-report-1',
      accounts: [{ ...account, billing: 'operator' }],
    });
    const record = (id: string, vendor_cost: number): JsonObject => ({
      account,
      signal_agent_segment_id: id,
      vendor_cost,
      currency: 'USD',
    });
    stage.sellers.says('mcp31', { accepted: 2 });
    stage.sellers.says('mcp30', {
      accepted: 0,
      errors: [{ code: 'SIGNAL_NOT_FOUND', message: 'No such.', field: 'usage[0].signal_agent_segment_id' }],
    });
    const answer = await stage.call('report_usage', {
      adcp_version: '3.1',
      idempotency_key: 'the-report-of-october-1',
      reporting_period: period,
      usage: [record('mcp31:a', 1), record('mcp30:b', 2), record('mcp31:c', 3)],
    });
    expect(answer['accepted']).toBe(2);
    expect(list(answer, 'errors').map(({ code, field }) => [code, field])).toEqual([
      ['SIGNAL_NOT_FOUND', 'usage[1].signal_agent_segment_id'],
    ]);
    const received = (slug: 'mcp31' | 'mcp30'): readonly unknown[] =>
      stage.sellers
        .received(slug)
        .filter(({ tool }) => tool === 'report_usage')
        .map(({ args }) => list(args, 'usage').map((argument) => argument['signal_agent_segment_id']));
    expect([received('mcp31'), received('mcp30')]).toEqual([[['a', 'c']], [['b']]]);
    expect(list(answer, 'sellers').map(({ seller, status }) => [seller, status])).toEqual(
      expect.arrayContaining([
        ['mcp31', 'answered'],
        ['mcp30', expect.any(String)],
      ]),
    );
  });
});
