/** The ids of two tasks of a server: one has ended, one is open. */
export interface Known {
  readonly ended: string;
  readonly open: string;
}

export interface Case {
  readonly name: string;
  readonly body: (known: Known) => string;
  readonly headers?: Readonly<Record<string, string>>;
}

const newer = { 'a2a-version': '1.0' };
const asks = { skill: 'get_products', parameters: { brief: 'tea' } };
const rpc = (method: string, params?: unknown, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, ...more });
/** A message that asks for products. */
export const message = (more: object = {}) => ({
  message: {
    messageId: 'm',
    role: 'ROLE_USER',
    parts: [{ data: asks, mediaType: 'application/json' }],
    ...more,
  },
});
const olderMessage = {
  message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'data', data: asks }] },
};
const address = 'https://buyer.example/hook';
const made = (name: string, body: Case['body'] | string, headers: Case['headers'] = newer): Case => ({
  name,
  body: typeof body === 'string' ? () => body : body,
  headers,
});
const ofTask = (method: string, more: object = {}, headers: Case['headers'] = newer): readonly Case[] => [
  made(`${method}: a task that has ended`, ({ ended }) => rpc(method, { id: ended, ...more }), headers),
  made(`${method}: an unknown task`, rpc(method, { id: 'none', ...more }), headers),
  made(`${method}: no task`, rpc(method, more), headers),
];
const older = {};

/** Messages and tasks of 1.0. */
const calls: readonly Case[] = [
  made('SendMessage', rpc('SendMessage', message())),
  made('SendMessage: no message', rpc('SendMessage', {})),
  made('SendMessage: no parts', rpc('SendMessage', message({ parts: [] }))),
  made('SendMessage: no id', rpc('SendMessage', message({ messageId: undefined }))),
  made('SendMessage: to an ended task', ({ ended }) => rpc('SendMessage', message({ taskId: ended }))),
  made('SendMessage: to an unknown task', rpc('SendMessage', message({ taskId: 'none' }))),
  made('SendStreamingMessage', rpc('SendStreamingMessage', message())),
  made('SendStreamingMessage: no message', rpc('SendStreamingMessage', {})),
  ...ofTask('GetTask'),
  made('GetTask: a negative history', ({ ended }) => rpc('GetTask', { id: ended, historyLength: -1 })),
  made('GetTask: a number', rpc('GetTask', { id: 5 })),
  ...ofTask('SubscribeToTask'),
  ...ofTask('CancelTask'),
  made('ListTasks', rpc('ListTasks', { pageSize: 1, status: 'TASK_STATE_CANCELED' })),
  made('ListTasks: of no conversation', rpc('ListTasks', { contextId: 'none' })),
  made('ListTasks: no item', rpc('ListTasks', { pageSize: 0 })),
  made('ListTasks: too many', rpc('ListTasks', { pageSize: 101 })),
  made('ListTasks: no such page', rpc('ListTasks', { pageToken: 'none' })),
  made('ListTasks: no such state', rpc('ListTasks', { status: 'NONE' })),
  made('ListTasks: no time', rpc('ListTasks', { statusTimestampAfter: 'yesterday' })),
  made('GetExtendedAgentCard', rpc('GetExtendedAgentCard', {})),
];

/** Addresses of a task that has ended, which both cards say are taken. */
const push = (method: string, params: (known: Known) => object, name = method): Case =>
  made(name, (known) => rpc(`${method}Config${method.startsWith('List') ? 's' : ''}`, params(known)));
const addresses: readonly Case[] = [
  push('CreateTaskPushNotification', ({ ended }) => ({ taskId: ended, id: 'a', url: address })),
  push('CreateTaskPushNotification', () => ({ taskId: 'none', url: address }), 'Create: an unknown task'),
  push('CreateTaskPushNotification', ({ ended }) => ({ taskId: ended, id: 'b' }), 'Create: no address'),
  push('GetTaskPushNotification', ({ ended }) => ({ taskId: ended, id: 'a' })),
  push('GetTaskPushNotification', ({ ended }) => ({ taskId: ended, id: 'z' }), 'Get: unknown'),
  push('ListTaskPushNotification', ({ ended }) => ({ taskId: ended })),
  push('ListTaskPushNotification', () => ({ taskId: 'none' }), 'List: an unknown task'),
  push('DeleteTaskPushNotification', ({ ended }) => ({ taskId: ended, id: 'a' })),
  push('DeleteTaskPushNotification', ({ ended }) => ({ taskId: ended, id: 'a' }), 'Delete: once more'),
];

const olderPush = (method: string, params: (known: Known) => object): Case =>
  made(
    `pushNotificationConfig/${method}`,
    (known) => rpc(`tasks/pushNotificationConfig/${method}`, params(known)),
    older,
  );
const ofOlder: readonly Case[] = [
  made('message/send', rpc('message/send', olderMessage), older),
  made('message/send: no message', rpc('message/send', {}), older),
  made('message/stream', rpc('message/stream', olderMessage), older),
  ...ofTask('tasks/get', {}, older),
  ...ofTask('tasks/cancel', {}, older),
  ...ofTask('tasks/resubscribe', {}, older),
  olderPush('set', ({ ended }) => ({ taskId: ended, pushNotificationConfig: { id: 'o', url: address } })),
  olderPush('get', ({ ended }) => ({ id: ended, pushNotificationConfigId: 'o' })),
  olderPush('delete', ({ ended }) => ({ id: ended, pushNotificationConfigId: 'o' })),
  made('agent/getAuthenticatedExtendedCard', rpc('agent/getAuthenticatedExtendedCard', {}), older),
  made('tasks/list', rpc('tasks/list', {}), older),
];

const version = (text: string, method = 'GetTask'): Case =>
  made(`version "${text}" with ${method}`, ({ ended }) => rpc(method, { id: ended }), {
    'a2a-version': text,
  });
const get =
  (more: object): Case['body'] =>
  ({ ended }) =>
    rpc('GetTask', { id: ended }, more);
/** Versions, methods and JSON-RPC itself. */
const envelopes: readonly Case[] = [
  ...['1.0', '2.0', '1.5', '1.0.3', 'latest', '0.3'].map((text) => version(text)),
  ...['', '0.3', '1.0'].map((text) => version(text, 'tasks/get')),
  made('a method of 1.0 without a version', get({}), older),
  made('an unknown method', rpc('DoSomething', {})),
  made('an unknown method of 0.3', rpc('do/something', {}), older),
  made('no JSON', '{'),
  made('nothing', ''),
  made('a batch', (known) => `[${get({})(known)}]`),
  made('a text', '"text"'),
  made('no jsonrpc', get({ jsonrpc: undefined })),
  made('another jsonrpc', get({ jsonrpc: '1.0' })),
  made('no method', get({ method: undefined })),
  made('a number as method', get({ method: 5 })),
  made('a list as parameters', get({ params: ['a'] })),
  made('no parameters', get({ params: undefined })),
  made('an object as id', get({ id: {} })),
  made('null as id', get({ id: null })),
  made('a fraction as id', get({ id: 1.5 })),
  made('a text as id', get({ id: 'abc' })),
  made('a notification', get({ id: undefined })),
];

/** Each is sent to both servers. The first two are about the open task, which people may change later. */
export const cases: readonly Case[] = [
  made('GetTask: an open task', ({ open }) => rpc('GetTask', { id: open })),
  made('CancelTask: an open task', ({ open }) => rpc('CancelTask', { id: open })),
  ...calls,
  ...addresses,
  ...ofOlder,
  ...envelopes,
];
