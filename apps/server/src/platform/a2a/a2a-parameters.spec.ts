import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openHttpHarness, taskReply } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
  http.answerWith(() => taskReply({ tasks: [], pagination: { has_more: false } }));
});

const send = (method: string, params: object, headers = {}) =>
  http.post(
    '/a2a',
    { jsonrpc: '2.0', id: 1, method, params },
    { authorization: `Bearer ${http.token}`, ...headers },
  );
const received = async (method: string, params: object) => (await send(method, params)).json();
const invalid = (field: string) => ({
  id: 1,
  error: { code: -32602, data: { errors: [{ code: 'INVALID_REQUEST', field }] } },
});

describe('invalid parameters of A2A are refused by name, and nothing is done', () => {
  const message = { parts: [{ data: { skill: 'create_media_buy', parameters: {} } }] };
  const url = 'https://buyer.example/';
  const inline = (block: unknown) => ({ message, configuration: { pushNotificationConfig: block } });
  const at = 'params.configuration.pushNotificationConfig';

  it.each([
    ['a conversation that is no text', { message: { ...message, contextId: 5 } }, 'params.message.contextId'],
    [
      'a conversation that is too long',
      { message: { ...message, contextId: 'x'.repeat(1_001) } },
      'params.message.contextId',
    ],
    ['a configuration that is none', { message, configuration: 'all' }, 'params.configuration'],
    [
      'a negative history',
      { message, configuration: { historyLength: -1 } },
      'params.configuration.historyLength',
    ],
    ['a task that is no text', { message: { ...message, taskId: 5 } }, 'params.message.taskId'],
    ['an address that is no block', inline(url), at],
    ['a token that is no text', inline({ url, token: 5 }), `${at}.token`],
    ['a token that is too long', inline({ url, token: 'x'.repeat(4_097) }), `${at}.token`],
    ['an address that is too long', inline({ url: url + 'x'.repeat(4_096) }), `${at}.url`],
    ['an id that is no text', inline({ url, id: 5 }), `${at}.id`],
    ['an authentication that is no block', inline({ url, authentication: 'Bearer' }), `${at}.authentication`],
    [
      'schemes that are no list',
      inline({ url, authentication: { schemes: 'Bearer' } }),
      `${at}.authentication.schemes`,
    ],
    [
      'a secret that is no text',
      inline({ url, authentication: { schemes: ['Bearer'], credentials: 5 } }),
      `${at}.authentication.credentials`,
    ],
  ])('with a message: %s', async (_what, params, field) => {
    for (const method of ['message/send', 'SendMessage'])
      expect(await received(method, params)).toMatchObject(invalid(field));
    expect(http.calls).toHaveLength(0);
  });

  it('but a credential is reported first, and the task refuses it', async () => {
    const parts = [{ data: { skill: 'create_media_buy', parameters: { api_key: 'sk-1' } } }];
    await send('SendMessage', { message: { parts, contextId: 5 } });
    await send('SendMessage', { message, configuration: { api_key: 'sk-1', pushNotificationConfig: 5 } });
    expect(http.calls).toMatchObject([
      { args: { api_key: 'sk-1' } },
      { credentialBeside: 'params.configuration.api_key' },
    ]);
  });

  it('with an address that is registered later, at its place in either generation', async () => {
    const block = { url, token: 5 };
    const older = { taskId: 'op_1', pushNotificationConfig: block };
    expect(await received('tasks/pushNotificationConfig/set', older)).toMatchObject(
      invalid('params.pushNotificationConfig.token'),
    );
    expect(await received('CreateTaskPushNotificationConfig', { taskId: 'op_1', ...block })).toMatchObject(
      invalid('params.token'),
    );
    expect(
      await received('tasks/pushNotificationConfig/get', { id: 'op_1', pushNotificationConfigId: 5 }),
    ).toMatchObject(invalid('params.pushNotificationConfigId'));
  });

  it.each([
    ['status', 5],
    ['status', 'TASK_STATE_NONSENSE'],
    ['status', 'completed'],
    ['pageSize', '5'],
    ['pageSize', -1],
    ['pageSize', 0],
    ['historyLength', -1],
    ['historyLength', '5'],
    ['pageSize', 1.5],
    ['pageSize', 101],
    ['pageToken', 5],
    ['contextId', 5],
    ['statusTimestampAfter', 5],
  ])('of a list of tasks: %s as %j', async (name, value) => {
    expect(await received('ListTasks', { [name]: value })).toMatchObject(invalid(`params.${name}`));
    expect(http.calls).toHaveLength(0);
  });

  it('but an empty one equals a missing one', async () => {
    const empty = { status: '', pageSize: null, pageToken: '', contextId: '', statusTimestampAfter: null };
    expect(await received('ListTasks', empty)).toMatchObject({ result: { tasks: [] } });
    expect(http.calls[0]).toMatchObject({ args: { filters: {}, pagination: {} } });
    const unset = { message: { ...message, contextId: null }, configuration: null };
    await send('SendMessage', unset);
    expect(http.calls[1]).toMatchObject({ task: 'create_media_buy' });
  });
});

it.each(['GetTask', 'tasks/get'])('%s refuses a negative history, and accepts zero', async (method) => {
  expect(await received(method, { id: 'op_1', historyLength: -1 })).toMatchObject(
    invalid('params.historyLength'),
  );
  expect(http.calls).toHaveLength(0);
  await received(method, { id: 'op_1', historyLength: 0 });
  expect(http.calls).toHaveLength(1);
});

it.each([0, -1])('addresses of a task are not listed in pages of %s', async (pageSize) => {
  expect(await received('ListTaskPushNotificationConfigs', { taskId: 'op_1', pageSize })).toMatchObject(
    invalid('params.pageSize'),
  );
});

describe('a task’s error for an A2A request', () => {
  const refused = (code: string, field: string, httpStatus: number) => {
    const errors = [{ code, message: 'It does not fit.', field }];
    http.answerWith(() => taskReply({ status: 'failed', errors }, { isError: true, httpStatus, errors }));
  };

  it.each([
    ['GetTask', 'task_id', 'params.id'],
    ['tasks/get', 'task_id', 'params.id'],
    ['tasks/cancel', 'task_id', 'params.id'],
    ['ListTasks', 'pagination.cursor', 'params.pageToken'],
    ['ListTasks', 'filters.updated_after', 'params.statusTimestampAfter'],
    ['ListTasks', 'filters.context_id', 'params.contextId'],
  ])('to %s about its %s is about %s there, and is not an error of ours', async (method, field, place) => {
    refused('VALIDATION_ERROR', field, 422);
    expect(await received(method, { id: 'op_1' })).toMatchObject({
      error: { code: -32602, message: 'It does not fit.', data: { errors: [{ field: place }] } },
    });
  });

  it.each(['GetTask', 'tasks/cancel', 'ListTasks'])(
    'to %s is passed unchanged if the request may be sent again',
    async (method) => {
      refused('RATE_LIMITED', 'task_id', 429);
      expect(await received(method, { id: 'op_1' })).toMatchObject({ error: { code: -32603 } });
    },
  );

  it('is in the dialect of its other methods, also for a list', async () => {
    await send('ListTasks', {});
    expect(http.calls[0]?.args).toMatchObject({ ads_version: '3.1' });
  });
});

describe('every method of A2A', () => {
  it.each(['ListTasks', 'GetTask', 'tasks/cancel', 'tasks/pushNotificationConfig/list', 'tasks/resubscribe'])(
    '%s refuses a credential in its parameters',
    async (method) => {
      const answer = await received(method, { id: 'op_1', metadata: { api_key: 'sk-1' } });
      expect(answer).toMatchObject({
        error: { data: { errors: [{ code: 'CREDENTIAL_IN_ARGS', field: 'params.metadata.api_key' }] } },
      });
      expect(JSON.stringify(answer)).not.toContain('sk-1');
      expect(http.calls).toHaveLength(0);
    },
  );

  it('treats an empty version as a missing one (A2A 1.0, section 3.6.2)', async () => {
    const params = { message: { parts: [{ data: { skill: 'get_products' } }] } };
    const answer = await send('message/send', params, { 'a2a-version': '' });
    expect(await answer.json()).toMatchObject({ result: { status: { state: 'completed' } } });
  });
});
