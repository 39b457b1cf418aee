import { randomUUID } from 'node:crypto';
import { Role, TaskState, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { openLater, type LaterStage } from './testkit/later.js';
import { product } from './testkit/product.js';

/** Tasks over A2A for clients that we did not write: read back, followed, refused, over a real database. */
let stage: LaterStage;

beforeAll(async () => {
  stage = await openLater();
});
afterAll(() => stage.close());
beforeEach(() => {
  stage.sellers.forget();
});

const question = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'coffee',
  brand: { domain: 'r.example' },
};
const offer = (...ids: readonly string[]): JsonObject => ({ products: ids.map(product) });

/** The public client of 1.0, or the same client speaking 0.3 as it does at an agent with a card of 0.3. */
async function clientOf(generation: '0.3' | '1.0', token: string | undefined = stage.at().token) {
  const legacyCompat = { enabled: generation === '0.3' };
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== '') headers.set('authorization', `Bearer ${token}`);
    if (generation === '0.3') headers.delete('a2a-version');
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory({
    // The client types its options as a class and takes any object of that form.
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
  });
  return factory.createFromUrl(stage.at().url);
}

type Part = SendMessageRequest['message'] extends (infer M) | undefined
  ? M extends { parts: (infer P)[] }
    ? P
    : never
  : never;
const part = (content: Part['content']): Part => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: '',
});
const message = (parts: Part[], taskId = ''): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: 'm1',
    contextId: 'c1',
    taskId,
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
});
const skill = (name: string, parameters: JsonObject, taskId?: string): SendMessageRequest =>
  message([part({ $case: 'data', value: { skill: name, parameters } })], taskId);
const products = (taskId?: string): SendMessageRequest => skill('get_products', question, taskId);
const byId = (id: string) => ({ tenant: '', id, historyLength: undefined });

function dataOf(task: Pick<Task, 'artifacts'>): JsonObject {
  const content = task.artifacts[0]?.parts.at(-1)?.content;
  return content?.$case === 'data' ? (content.value as JsonObject) : {};
}
function idsIn(task: Pick<Task, 'artifacts'>): readonly unknown[] {
  const list = dataOf(task)['products'] as readonly JsonObject[] | undefined;
  return (list ?? []).map(({ product_id: id }) => id);
}
async function sent(generation: '0.3' | '1.0', request: SendMessageRequest): Promise<Task> {
  const answer = await (await clientOf(generation)).sendMessage(request);
  if (!('artifacts' in answer)) throw new Error('The answer is no task.');
  return answer;
}
/** Every seller answers at once, so that no question goes on; nothing but one of them has something. */
function allAnswer(): void {
  stage.sellers.says('mcp30', offer('now'));
  stage.sellers.says('mcp31', offer());
  stage.sellers.says('a2a31', offer());
}
const requested = () => stage.sellers.received('mcp30').filter(({ tool }) => tool === 'get_products');
async function collected(events: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe.each(['1.0', '0.3'] as const)('the public A2A client in %s', (generation) => {
  it('reads a task that its first answer finished, also after a restart', async () => {
    allAnswer();
    const task = await sent(generation, products());
    expect([task.status?.state, idsIn(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, ['mcp30:now']]);
    await stage.restart();
    const again = await (await clientOf(generation)).getTask(byId(task.id));
    expect(again).toMatchObject({ id: task.id, contextId: 'c1', status: { state: 3 } });
    expect(dataOf(again)).toEqual(dataOf(task));
  });

  it('reads an immediate refusal, with its errors', async () => {
    const task = await sent(generation, skill('get_products', { adcp_version: '3.1', brief: 5 }));
    const again = await (await clientOf(generation)).getTask(byId(task.id));
    expect([again.id, again.status?.state]).toEqual([task.id, TaskState.TASK_STATE_FAILED]);
    expect(dataOf(again)).toEqual(dataOf(task));
  });

  it('finds no finished task of a colleague, and none without a credential', async () => {
    allAnswer();
    const task = await sent(generation, products());
    const colleague = await clientOf(generation, await stage.addBuyer(`colleague of ${generation}`));
    await expect(colleague.getTask(byId(task.id))).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    const nobody = await clientOf(generation, '');
    await expect(nobody.getTask(byId(task.id))).rejects.toThrow();
    const shown = (await (await clientOf(generation, '')).sendMessage(products())) as Task;
    expect(dataOf(await nobody.getTask(byId(shown.id)))).toEqual(dataOf(shown));
  });

  it('cannot cancel a finished task, and may register an address with it as the card says', async () => {
    allAnswer();
    const client = await clientOf(generation);
    const { id } = await sent(generation, products());
    const requested = { tenant: '', id, metadata: undefined };
    await expect(client.cancelTask(requested)).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    const listed = { tenant: '', taskId: id, pageSize: 0, pageToken: '' };
    expect((await client.listTaskPushNotificationConfig(listed)).configs).toEqual([]);
    const config = {
      tenant: '',
      id: 'c',
      taskId: id,
      url: stage.callback,
      token: '',
      authentication: undefined,
    };
    const named = { tenant: '', taskId: id, id: 'c' };
    expect(await client.createTaskPushNotificationConfig(config)).toMatchObject({ id: 'c', taskId: id });
    expect(await client.getTaskPushNotificationConfig(named)).toMatchObject({ url: stage.callback });
    expect((await client.listTaskPushNotificationConfig(listed)).configs).toHaveLength(1);
    await client.deleteTaskPushNotificationConfig(named);
    await expect(client.getTaskPushNotificationConfig(named)).rejects.toMatchObject({
      name: 'TaskNotFoundError',
    });
  });

  it('is refused a message to an unknown or finished task, and nothing is done', async () => {
    allAnswer();
    const { id } = await sent(generation, products());
    const client = await clientOf(generation);
    const before = requested().length;
    await expect(client.sendMessage(products('unknown'))).rejects.toMatchObject({
      name: 'TaskNotFoundError',
    });
    await expect(client.sendMessage(products(id))).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
    expect(requested()).toHaveLength(before);
  });

  it('sends a message of text alone as a brief', async () => {
    allAnswer();
    const text = (value: string) => part({ $case: 'text', value });
    const task = await sent(generation, message([text('coffee drinkers'), text('in Italy')]));
    expect([task.status?.state, idsIn(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, ['mcp30:now']]);
    expect(requested()[0]?.args).toMatchObject({ brief: 'coffee drinkers\nin Italy' });
  });

  it('gets an answer as a stream, and the end of an unfinished task', async () => {
    const client = await clientOf(generation);
    expect((await client.getAgentCard()).capabilities?.streaming).toBe(true);
    allAnswer();
    const [only] = await collected(client.sendMessageStream(products()));
    expect(only?.payload).toMatchObject({ $case: 'task', value: { status: { state: 3 } } });
    stage.sellers.forget();
    stage.sellers.ends('mcp30', offer('early'));
    const events: StreamResponse[] = [];
    for await (const event of client.sendMessageStream(products())) {
      events.push(event);
      if (events.length > 1) continue;
      stage.sellers.ends('mcp31', offer('late'));
      stage.sellers.ends('a2a31', offer('later'));
      await stage.due();
    }
    const [first] = events;
    expect(first?.payload).toMatchObject({ $case: 'task', value: { status: { state: 1 } } });
    const kinds = events.map(({ payload }) => payload?.$case);
    expect(kinds.slice(-2)).toEqual(['artifactUpdate', 'statusUpdate']);
    expect(events.at(-1)?.payload).toMatchObject({ value: { status: { state: 3 } } });
  });
});

describe('a stream that was lost', () => {
  it.each(['1.0', '0.3'] as const)('is subscribed to again after a restart, in %s', async (generation) => {
    const { id } = await sent(generation, products());
    await stage.restart();
    const client = await clientOf(generation);
    const kinds: unknown[] = [];
    for await (const { payload } of client.resubscribeTask({ tenant: '', id })) {
      kinds.push(payload?.$case);
      if (kinds.length > 1) continue;
      for (const seller of ['mcp30', 'mcp31', 'a2a31'] as const) stage.sellers.ends(seller, offer('late'));
      await stage.due();
    }
    expect([kinds[0], ...kinds.slice(-2)]).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    const after = collected(client.resubscribeTask({ tenant: '', id }));
    // 1.0 has no stream of a task that is over; in 0.3 whoever was away learns its end.
    if (generation === '1.0')
      await expect(after).rejects.toMatchObject({ name: 'UnsupportedOperationError' });
    else
      expect((await after)[0]?.payload).toMatchObject({ $case: 'task', value: { id, status: { state: 3 } } });
    await expect(collected(client.resubscribeTask({ tenant: '', id: 'unknown' }))).rejects.toThrow(
      /no task with this id/,
    );
  });
});

describe('an update that its first answer finished', () => {
  it('has one id at A2A: it is listed, read and cannot be canceled under that id', async () => {
    stage.sellers.says('mcp31', offer('bought'));
    await stage.call('get_products', question);
    const packages = [{ product_id: 'mcp31:bought', pricing_option_id: 'cpm', budget: 100, buyer_ref: 'p' }];
    const made = [{ package_id: 'p1', product_id: 'bought', budget: 100, buyer_ref: 'p' }];
    stage.sellers.says('mcp31', {
      status: 'completed',
      media_buy_id: 'm1',
      media_buy_status: 'active',
      packages: made,
    });
    const parameters = {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      brand: { domain: 'r.example' },
      account: { brand: { domain: 'r.example' }, operator: 'agency.example' },
      start_time: 'asap',
      end_time: '2090-02-01T00:00:00Z',
      packages,
    };
    const task = await sent('1.0', skill('create_media_buy', parameters));
    expect(dataOf(task)).toMatchObject({ media_buy_id: expect.anything() as unknown });
    const client = await clientOf('1.0');
    const again = await client.getTask(byId(task.id));
    expect(dataOf(again)['media_buy_id']).toBe(dataOf(task)['media_buy_id']);
    const { tasks } = await stage.rpc('1.0', 'list', { pageSize: 100 });
    expect((tasks as JsonObject[]).map(({ id }) => id)).toContain(task.id);
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    });
    const replayed = await sent('1.0', skill('create_media_buy', parameters));
    expect(replayed.id).toBe(task.id);
  });
});
