import { createRequire } from 'node:module';
import { ClientFactory as Client10 } from '@a2a-js/sdk/client';
import { Role } from '@a2a-js/sdk';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { releaseNames } from '@switchyard/protocol';
import { openHttpHarness, taskReply } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
  http.answerWith(() => taskReply({ products: [{ product_id: 'acme:1' }] }));
});

const submitted = taskReply(
  { status: 'submitted', task_id: 'op_1' },
  { status: 'submitted', taskId: 'op_1', httpStatus: 202 },
);
const stored = taskReply({
  task_id: 'op_1',
  task_type: 'create_media_buy',
  status: 'completed',
  updated_at: '2026-11-21T12:00:00.000Z',
  result: { media_buy_id: 'mb_1' },
});

describe('the 1.0 generation of the public SDK', () => {
  const query = (skill: string, parameters: object) => ({
    tenant: '',
    message: {
      messageId: 'm1',
      contextId: 'c1',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'data' as const, value: { skill, parameters } },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  });

  it('finds the card, reads its bearer scheme and gets a finished task with data', async () => {
    const client = await new Client10().createFromUrl(http.url);
    const card = await client.getAgentCard();
    expect(card.securitySchemes['bearerAuth']?.scheme).toMatchObject({ $case: 'httpAuthSecurityScheme' });
    expect(card.skills.map((skill) => skill.id)).toContain('get_products');
    // A task of a later release says which.
    const later = card.skills.filter(({ tags }) => releaseNames.some((name) => tags.includes(name)));
    expect(later.map(({ id }) => id)).toContain('buy_products');
    const task = (await client.sendMessage(query('get_products', { brief: 'tea' }))) as unknown as Shown;
    expect(task.status.state).toBe(3);
    expect(task.contextId).toBe('c1');
    expect(task.artifacts[0]?.parts[0]?.content.value).toEqual({ products: [{ product_id: 'acme:1' }] });
    expect(http.calls[0]).toMatchObject({ endpoint: 'a2a', task: 'get_products', args: { brief: 'tea' } });
  });

  it('gets our own task id for unfinished work, and reads it later', async () => {
    const client = await new Client10().createFromUrl(`${http.url}/a2a/`);
    http.answerWith(() => submitted);
    const task = (await client.sendMessage(query('create_media_buy', {}))) as unknown as Shown;
    expect([task.id, task.status.state]).toEqual(['op_1', 1]);
    http.answerWith(() => stored);
    const later = (await client.getTask({ tenant: '', id: 'op_1', historyLength: 0 })) as unknown as Shown;
    expect(later.status.state).toBe(3);
    expect(later.artifacts[0]?.parts[0]?.content.value).toEqual({ media_buy_id: 'mb_1' });
    expect(http.calls[1]).toMatchObject({
      task: 'get_task',
      args: { task_id: 'op_1', include_result: true },
    });
  });

  interface Shown {
    readonly id: string;
    readonly contextId: string;
    readonly status: { readonly state: number };
    readonly artifacts: readonly {
      readonly parts: readonly { readonly content: { readonly value: unknown } }[];
    }[];
  }
});

describe('the 0.3 generation of the public SDK', () => {
  const nearby = createRequire(new URL('../../../../e2e/interop/package.json', import.meta.url));
  interface OldClient {
    sendMessage(params: object): Promise<{ readonly result: Record<string, unknown> }>;
    getTask(params: object): Promise<{ readonly result: Record<string, unknown> }>;
    sendMessageStream(params: object): AsyncIterable<Record<string, unknown>>;
  }
  const { A2AClient } = nearby('@a2a-js/sdk/client') as {
    readonly A2AClient: { fromCardUrl(url: string): Promise<OldClient> };
  };
  const message = (skill: string, parameters: object, member = 'parameters') => ({
    message: {
      kind: 'message',
      messageId: 'm1',
      role: 'user',
      parts: [{ kind: 'data', data: { skill, [member]: parameters } }],
    },
  });

  it.each(['/.well-known/agent-card.json', '/a2a/.well-known/agent-card.json'])(
    'finds the card at %s and gets a finished task with data',
    async (path) => {
      const client = await A2AClient.fromCardUrl(http.url + path);
      const { result } = await client.sendMessage(message('get_products', { brief: 'tea' }));
      expect(result).toMatchObject({
        kind: 'task',
        status: {
          state: 'completed',
          message: { parts: [{ kind: 'text', text: expect.stringContaining('- acme:1') as unknown }] },
        },
        artifacts: [{ parts: [{ kind: 'data', data: { products: [{ product_id: 'acme:1' }] } }] }],
      });
      expect(http.calls[0]).toMatchObject({ task: 'get_products', args: { brief: 'tea' } });
    },
  );

  it('reads `input` as another name of `parameters`', async () => {
    const client = await A2AClient.fromCardUrl(`${http.url}/.well-known/agent-card.json`);
    await client.sendMessage(message('get_products', { brief: 'tea' }, 'input'));
    expect(http.calls[0]).toMatchObject({ args: { brief: 'tea' } });
  });

  it('puts interim data into the status message, and forwards the push address', async () => {
    const client = await A2AClient.fromCardUrl(`${http.url}/.well-known/agent-card.json`);
    http.answerWith(() => submitted);
    const push = { url: 'https://buyer.example/hook', token: 't' };
    const { result } = await client.sendMessage({
      ...message('create_media_buy', {}),
      configuration: { pushNotificationConfig: push },
    });
    expect(result).toMatchObject({
      id: 'op_1',
      status: {
        state: 'submitted',
        message: { parts: [{ kind: 'data', data: { task_id: 'op_1' } }, { kind: 'text' }] },
      },
    });
    expect(result['artifacts']).toBeUndefined();
    expect(http.calls[0]?.a2aPush).toEqual(push);
    http.answerWith(() => stored);
    expect((await client.getTask({ id: 'op_1' })).result).toMatchObject({
      id: 'op_1',
      status: { state: 'completed' },
    });
  });

  it('streams a finished task and marks the last event', async () => {
    const client = await A2AClient.fromCardUrl(`${http.url}/.well-known/agent-card.json`);
    const events: Record<string, unknown>[] = [];
    for await (const event of client.sendMessageStream(message('get_products', {}))) events.push(event);
    expect(events).toMatchObject([
      { kind: 'task', status: { state: 'completed' } },
      { kind: 'status-update', final: true },
    ]);
    const id = events[0]?.['id'];
    expect((await client.getTask({ id })).result).toMatchObject({ id, artifacts: events[0]?.['artifacts'] });
  });

  it('finds no task of another principal', async () => {
    const client = await A2AClient.fromCardUrl(`${http.url}/.well-known/agent-card.json`);
    http.answerWith(() => taskReply({ errors: [] }, { isError: true, httpStatus: 404 }));
    await expect(client.getTask({ id: 'op_2' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });
});

describe('canceling and listing tasks over A2A', () => {
  const rpc = async (method: string, params: object) =>
    (await (await http.post('/a2a', { jsonrpc: '2.0', id: 1, method, params })).json()) as {
      readonly error?: { readonly code: number; readonly message: string };
      readonly result?: Record<string, unknown>;
    };

  it.each(['tasks/cancel', 'CancelTask'])('%s cancels the operation and shows it', async (method) => {
    const canceled = taskReply({ task_id: 'op_1', task_type: 'create_media_buy', status: 'canceled' });
    http.answerWith(() => canceled);
    const received = await rpc(method, { id: 'op_1' });
    const state = method === 'CancelTask' ? 'TASK_STATE_CANCELED' : 'canceled';
    expect(received.result).toMatchObject({ id: 'op_1', status: { state } });
    expect(http.calls[0]).toMatchObject({ task: 'cancel_task', args: { task_id: 'op_1' } });
  });

  it('is read by the public clients of both generations: a canceled task, or an error that it cannot be canceled', async () => {
    const newer = await new Client10().createFromUrl(http.url);
    const nearby = createRequire(new URL('../../../../e2e/interop/package.json', import.meta.url));
    const { A2AClient } = nearby('@a2a-js/sdk/client') as {
      readonly A2AClient: {
        fromCardUrl(url: string): Promise<{
          cancelTask(params: object): Promise<{
            readonly result?: { readonly status: { readonly state: string } };
            readonly error?: { readonly code: number };
          }>;
        }>;
      };
    };
    const older = await A2AClient.fromCardUrl(`${http.url}/.well-known/agent-card.json`);
    const requested = { tenant: '', id: 'op_1', metadata: undefined };
    http.answerWith(() => taskReply({ task_id: 'op_1', task_type: 'create_media_buy', status: 'canceled' }));
    // 5: TASK_STATE_CANCELED.
    expect((await newer.cancelTask(requested)).status?.state).toBe(5);
    expect((await older.cancelTask({ id: 'op_1' })).result?.status.state).toBe('canceled');
    const refused = [{ seller: 'acme', code: 'NOT_CANCELLABLE', message: 'Too late.' }];
    http.answerWith(() => taskReply({ task_id: 'op_1', status: 'submitted', refused }));
    await expect(newer.cancelTask(requested)).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    await expect(older.cancelTask({ id: 'op_1' })).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    const { error } = await rpc('tasks/cancel', { id: 'op_1' });
    expect(error).toMatchObject({ code: -32002, data: { refused } });
  });

  it('distinguishes a refusal from a missing task', async () => {
    const errors = [{ code: 'NOT_CANCELLABLE', message: 'It is over.' }];
    http.answerWith(() => taskReply({ errors }, { isError: true, httpStatus: 409, errors }));
    expect((await rpc('tasks/cancel', { id: 'op_1' })).error).toMatchObject({
      code: -32002,
      message: 'It is over.',
    });
    http.answerWith(() => taskReply({ errors: [] }, { isError: true, httpStatus: 404 }));
    expect((await rpc('tasks/cancel', { id: 'op_2' })).error).toMatchObject({ code: -32001 });
  });

  it('lists tasks of 1.0 without results, page by page', async () => {
    const tasks = [{ task_id: 'op_1', task_type: 'create_media_buy', status: 'completed' }];
    const pagination = { has_more: true, cursor: 'next', total_count: 7 };
    http.answerWith(() => taskReply({ tasks, pagination }));
    const { result } = await rpc('ListTasks', { status: 'TASK_STATE_INPUT_REQUIRED', pageSize: 1 });
    expect(result).toMatchObject({ nextPageToken: 'next', totalSize: 7, tasks: [{ id: 'op_1' }] });
    expect(JSON.stringify(result)).not.toContain('artifacts');
    expect(http.calls[0]).toMatchObject({
      task: 'list_tasks',
      args: { filters: { statuses: ['input-required'] }, pagination: { max_results: 1 } },
    });
  });
});

describe('A2A on the wire', () => {
  const send = (method: string, params: object, headers = {}) =>
    http.post('/a2a', { jsonrpc: '2.0', id: 1, method, params }, headers);
  const data = (value: object) => ({ message: { parts: [{ data: value }] } });

  it.each([
    ['no message', {}, 'params.message.parts'],
    ['empty text alone', { message: { parts: [{ text: ' ' }] } }, 'params.message.parts'],
    [
      'a file beside text',
      { message: { parts: [{ text: 'x' }, { url: 'https://f/' }] } },
      'params.message.parts',
    ],
    ['no skill', data({ parameters: {} }), 'params.message.parts[0].data.skill'],
    ['an unknown skill', data({ skill: 'get_product' }), 'skill'],
  ])('refuses %s and names the place', async (_what, params, field) => {
    expect(await (await send('SendMessage', params)).json()).toMatchObject({
      error: { code: -32602, data: { errors: [{ field }] } },
    });
    expect(http.calls).toHaveLength(0);
  });

  it('reads the first data part, among any other parts', async () => {
    const parts = [
      { text: 'Please ask the market.' },
      { data: { skill: 'get_products', parameters: { brief: 'tea' } } },
      { data: { skill: 'get_signals', parameters: {} } },
    ];
    await send('SendMessage', { message: { parts } });
    expect(http.calls).toMatchObject([{ task: 'get_products', args: { brief: 'tea' } }]);
  });

  it('answers a fault of JSON-RPC with HTTP 200, and one of HTTP with its own status', async () => {
    const post = async (body: unknown, headers: Record<string, string> = {}) => {
      const answer = await http.post('/a2a', body, headers);
      return [answer.status, ((await answer.json()) as { error?: { code: number } }).error?.code];
    };
    expect(await post('{"jsonrpc":')).toEqual([200, -32_700]);
    expect(await post([])).toEqual([200, -32_600]);
    expect(await post({ jsonrpc: '1.0', id: 1, method: 'GetTask' })).toEqual([200, -32_600]);
    expect((await post('{}', { 'content-type': 'text/plain' }))[0]).toBe(415);
  });

  it('takes, shows and removes addresses of a task that ended at once, as its card says, for its owner alone', async () => {
    const owner = { authorization: `Bearer ${http.token}` };
    const ask = async (method: string, params: object, headers: Record<string, string> = owner) =>
      (await (await send(method, params, headers)).json()) as { result?: unknown; error?: { code: number } };
    const made = await ask('SendMessage', data({ skill: 'get_products', parameters: {} }));
    const { id: taskId } = (made.result as { task: { id: string } }).task;
    const url = 'https://buyer.example/hook';
    const secret = { schemes: ['Bearer'], credentials: 'x'.repeat(40) };
    const set = await ask('CreateTaskPushNotificationConfig', {
      taskId,
      id: 'p1',
      url,
      authentication: secret,
    });
    expect(set.result).toEqual({ id: 'p1', taskId, url, authentication: { scheme: 'Bearer' } });
    expect((await ask('GetTaskPushNotificationConfig', { taskId, id: 'p1' })).result).toEqual(set.result);
    expect((await ask('ListTaskPushNotificationConfigs', { taskId })).result).toMatchObject({
      configs: [{ id: 'p1' }],
    });
    expect(
      (await ask('tasks/pushNotificationConfig/get', { id: taskId, pushNotificationConfigId: 'p1' })).result,
    ).toMatchObject({ taskId, pushNotificationConfig: { id: 'p1', url } });
    expect((await ask('DeleteTaskPushNotificationConfig', { taskId, id: 'p1' })).result).toEqual({});
    expect((await ask('GetTaskPushNotificationConfig', { taskId, id: 'p1' })).error?.code).toBe(-32_001);
    const stranger = { authorization: `Bearer ${http.readerToken}` };
    expect((await ask('GetTaskPushNotificationConfig', { taskId }, stranger)).error).toBeDefined();
  });

  it('lists tasks with the size of its pages, and with artifacts where they are asked for', async () => {
    http.answerWith((call) =>
      call.task === 'list_tasks'
        ? taskReply({
            tasks: [{ task_id: 'op_1', task_type: 'create_media_buy', status: 'completed' }],
            pagination: { total_count: 1 },
          })
        : stored,
    );
    const list = async (params: object) => {
      const answer = await (await send('ListTasks', params)).json();
      return (answer as { result?: { tasks: object[]; pageSize: number; totalSize: number } }).result;
    };
    const plain = await list({ pageSize: 20 });
    expect(plain).toMatchObject({ pageSize: 20, totalSize: 1, nextPageToken: '' });
    expect(plain?.tasks[0]).not.toHaveProperty('artifacts');
    const whole = await list({ includeArtifacts: true });
    expect(whole?.pageSize).toBe(10);
    expect(whole?.tasks[0]).toMatchObject({ artifacts: [{ parts: [{ data: { media_buy_id: 'mb_1' } }] }] });
    expect(http.calls[0]?.args).toMatchObject({ pagination: { max_results: 20 } });
    expect(await list({ includeArtifacts: 'yes' })).toBeUndefined();
  });

  it('announces streams, to readers of either generation', async () => {
    for (const version of ['0.3', '1.0']) {
      const url = `${http.url}/.well-known/agent-card.json`;
      const card = await (await fetch(url, { headers: { 'a2a-version': version } })).json();
      expect(card).toMatchObject({
        capabilities: {
          streaming: true,
          pushNotifications: true,
          extensions: [{ uri: 'https://adcontextprotocol.org/extensions/adcp/v3', required: false }],
        },
      });
    }
  });

  it.each([
    ['message/stream', -32602],
    ['tasks/resubscribe', -32602],
    ['SendStreamingMessage', -32602],
    ['SubscribeToTask', -32602],
    ['tasks/pushNotificationConfig/set', -32602],
    ['GetExtendedAgentCard', -32004],
    ['agent/getAuthenticatedExtendedCard', -32007],
    ['nothing/at-all', -32601],
    ['constructor', -32601],
  ])('answers %s with the code of A2A', async (method, code) => {
    expect(await (await send(method, {})).json()).toMatchObject({ id: 1, error: { code } });
  });

  it('speaks 1.0 and 0.3 and refuses other versions', async () => {
    for (const version of ['1.0', '0.3', '1.0.0']) {
      const answer = await send('SendMessage', data({ skill: 'get_products' }), { 'a2a-version': version });
      expect(await answer.json()).toMatchObject({
        result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
      });
    }
    const answer = await send('SendMessage', data({ skill: 'get_products' }), { 'a2a-version': '2.0' });
    expect(await answer.json()).toMatchObject({ error: { code: -32009 } });
  });

  it('accepts a body of more than 100 kB', async () => {
    const params = data({ skill: 'get_products', parameters: { brief: 'x'.repeat(300_000) } });
    const headers = { authorization: `Bearer ${http.token}` };
    expect((await send('SendMessage', params, headers)).status).toBe(200);
  });

  it('writes the push address of 1.0 as the older generation does', async () => {
    await send('SendMessage', {
      ...data({ skill: 'create_media_buy' }),
      configuration: {
        taskPushNotificationConfig: {
          url: 'https://b.example/',
          authentication: { scheme: 'HMAC-SHA256', credentials: 'c' },
        },
      },
    });
    expect(http.calls[0]?.a2aPush).toEqual({
      url: 'https://b.example/',
      authentication: { schemes: ['HMAC-SHA256'], credentials: 'c' },
    });
  });

  it('shows each generation its own card, without members of the other', async () => {
    const path = '/.well-known/agent-card.json';
    const old = await (await fetch(http.url + path)).json();
    expect(old).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${http.url}/a2a`,
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
    });
    for (const name of ['supportedInterfaces', 'securityRequirements']) expect(old).not.toHaveProperty(name);
    expect(JSON.stringify(old)).not.toContain('httpAuthSecurityScheme');
    const answer = await fetch(http.url + path, { headers: { 'a2a-version': '1.0' } });
    const young = (await answer.json()) as Record<string, unknown>;
    expect(young['securitySchemes']).toEqual({
      bearerAuth: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
      basicAuth: { httpAuthSecurityScheme: { scheme: 'Basic' } },
    });
    for (const name of ['url', 'protocolVersion', 'preferredTransport', 'additionalInterfaces', 'security'])
      expect(young).not.toHaveProperty(name);
  });
});
