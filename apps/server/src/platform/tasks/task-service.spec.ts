import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { storeObservation } from '@switchyard/buys';
import { usualPermissions, type DeclaredAccount } from '@switchyard/tenancy';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject, JsonValue } from '@switchyard/values';
import type { HandlerDeps } from './call/handler.js';
import { timeoutOf } from './call/timeout.js';
import type { PrincipalCaller, TaskReply, TaskService } from './call/task-call.js';
import { harnessCaller, harnessDeps } from './testkit/harness-call.js';
import { taskService } from '../../main/testkit/task-service.js';

let harness: BuyingHarness;
let service: TaskService;
let accounts: DeclaredAccount[];
let caller: PrincipalCaller;

beforeEach(async () => {
  harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  accounts = [];
  service = taskService(depsOf(harness, true));
  caller = harnessCaller(harness, { legacy: false });
});

const depsOf = (of: BuyingHarness, declareOnFirstUse: boolean): HandlerDeps =>
  harnessDeps(of, accounts, {
    declareOnFirstUse,
    refuseCallback: (url: string) => Promise.resolve(url.includes('denied') ? 'It is denied.' : undefined),
  });

function call(
  task: string,
  args: JsonValue,
  more: {
    readonly as?: Parameters<TaskService['call']>[0]['caller'];
    readonly by?: TaskService;
    readonly exact?: Readonly<Record<string, string>>;
  } = {},
): Promise<TaskReply> {
  return (more.by ?? service).call({
    endpoint: 'mcp',
    task,
    args,
    exact: new Map(Object.entries(more.exact ?? {})),
    caller: more.as ?? caller,
    signal: new AbortController().signal,
  });
}

const buyArgs = (sellers: readonly string[], more: JsonObject = {}): JsonObject => ({
  adcp_version: '3.1',
  ...harness.request(sellers).args,
  context: { trace: 't-1' },
  ...more,
});
const buy = (sellers: readonly string[], more: JsonObject = {}) =>
  call('create_media_buy', buyArgs(sellers, more));
const codes = (reply: TaskReply): readonly string[] => reply.errors.map(({ code }) => code);
const fields = (reply: TaskReply): readonly (string | undefined)[] => reply.errors.map(({ field }) => field);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets time go on, 50 ms at a step, and what waits for it run. */
async function tick(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    harness.clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What the envelope makes anew for each answer, a replay included. */
function payloadOf({ body }: TaskReply): string {
  const { replayed: _anew, context: _echo, ext: _rows, ...payload } = body;
  return JSON.stringify(payload);
}

describe('the order of checks', () => {
  // One request that is wrong in every way there is; each row mends the first fault of the row before.
  const secret = 'sk-live-0123456789abcdef0123456789abcdef';
  const wrong = (more: JsonObject): JsonObject => ({
    ...buyArgs(['acme']),
    idempotency_key: 'a-key-that-was-used-1',
    account: { account_id: 'nobodys' },
    ...more,
  });
  const leak = { context: { api_key: secret, trace: 'seen' } };
  const version = { adcp_version: '9.9' };
  const shape = { packages: 'none' };

  it('is: permission, no credential, version, schema, account, idempotency, plan', async () => {
    await buy(['acme'], { idempotency_key: 'a-key-that-was-used-1' });
    const nobody = { kind: 'public', organizationId: harness.scope.organizationId } as const;
    const reader = { ...caller, permissions: { products: ['read'] } };
    const query = (args: JsonObject, as?: Parameters<typeof call>[2]) => call('create_media_buy', args, as);
    const known = { account: { account_id: accounts[0]!.id } };
    const received = [
      await query(wrong({ ...leak, ...version, ...shape }), { as: nobody }),
      await query(wrong({ ...leak, ...version, ...shape }), { as: reader }),
      await query(wrong({ ...leak, ...version, ...shape })),
      await query(wrong({ ...version, ...shape })),
      await query(wrong(shape)),
      await query(wrong({})),
      await query(wrong({ ...known, packages: [] })),
      await query(wrong({ ...known, end_time: '2028-01-01T00:00:00Z' })),
      await query(
        wrong({ ...known, end_time: '2020-01-01T00:00:00Z', idempotency_key: 'a-fresh-key-0000001' }),
      ),
    ];
    expect(received.map((reply) => codes(reply)[0])).toEqual([
      'AUTH_MISSING',
      'PERMISSION_DENIED',
      'CREDENTIAL_IN_ARGS',
      'VERSION_UNSUPPORTED',
      'VALIDATION_ERROR',
      'ACCOUNT_NOT_FOUND',
      'VALIDATION_ERROR',
      'IDEMPOTENCY_CONFLICT',
      'INVALID_REQUEST',
    ]);
    expect(harness.seller('acme').received).toHaveLength(1);
    expect(harness.store.rowsOf(harness.scope).operations.size).toBe(1);
  });

  it('returns neither a credential nor the context that may contain it', async () => {
    const body = JSON.stringify((await call('create_media_buy', wrong(leak))).body);
    expect(body).not.toContain(secret);
    expect(body).not.toContain('seen');
  });

  it('refuses a caller above the rate limit before anything else, with its wait', async () => {
    const wait = { retryAfter: 7, limit: 1, windowSeconds: 60 };
    const rates = { take: () => wait, giveBack: () => undefined };
    const by = taskService({ ...depsOf(harness, true), rates });
    const received = await call('create_media_buy', wrong({}), { by });
    expect([received.httpStatus, codes(received), received.errors[0]?.retryAfter]).toEqual([
      429,
      ['RATE_LIMITED'],
      7,
    ]);
    expect(harness.seller('acme').received).toEqual([]);
  });

  it('reports a missing signature before a missing credential, for a change in 3.1 without both', async () => {
    const as = { kind: 'public', organizationId: harness.scope.organizationId } as const;
    const received = await call('create_media_buy', buyArgs(['acme']), { as });
    expect([received.httpStatus, codes(received)]).toEqual([401, ['request_signature_required']]);
    const older = await call('create_media_buy', buyArgs(['acme'], { adcp_version: '3.0' }), { as });
    expect([older.httpStatus, codes(older)]).toEqual([401, ['AUTH_MISSING']]);
  });

  it('returns the context to a refused caller, unless it contains a credential', async () => {
    const as = { ...caller, permissions: { products: ['read'] } };
    const received = await call('create_media_buy', buyArgs(['acme']), { as });
    expect([codes(received), received.body['context']]).toEqual([['PERMISSION_DENIED'], { trace: 't-1' }]);
    const leaky = await call('create_media_buy', wrong(leak), { as });
    expect([codes(leaky), leaky.body['context']]).toEqual([['PERMISSION_DENIED'], undefined]);
    expect(JSON.stringify(leaky.body)).not.toContain(secret);
  });

  it('refuses a callback of a caller without credentials, who can never get a later answer', async () => {
    const as = { kind: 'public', organizationId: harness.scope.organizationId } as const;
    const push = { push_notification_config: { url: 'https://buyer.example/hook', operation_id: 'op-1' } };
    const atOnce = await call('list_creative_formats', { adcp_version: '3.1', ...push }, { as });
    expect([codes(atOnce), fields(atOnce)]).toEqual([['INVALID_REQUEST'], ['push_notification_config']]);
    const question = { adcp_version: '3.1', buying_mode: 'brief', brief: 'shoes' };
    const later = await call('get_products', { ...question, ...push }, { as });
    expect([codes(later), fields(later)]).toEqual([['AUTH_MISSING'], ['push_notification_config']]);
    const native = await service.call({
      endpoint: 'a2a',
      task: 'get_products',
      args: question,
      exact: new Map(),
      caller: as,
      signal: new AbortController().signal,
      a2aPush: { url: 'https://buyer.example/hook' },
    });
    expect(fields(native)).toEqual(['configuration.pushNotificationConfig']);
    expect(harness.seller('acme').received).toEqual([]);
    expect((await call('get_products', question, { as })).isError).toBe(false);
  });

  it('names an unknown task, and arguments that are no object', async () => {
    expect(fields(await call('make_coffee', {}))).toEqual(['task']);
    expect(codes(await call('create_media_buy', [1]))).toEqual(['INVALID_REQUEST']);
  });

  it('declares no account for a refused request, and one for the first accepted request', async () => {
    await buy(['acme'], { end_time: '2020-01-01T00:00:00Z' });
    await buy(['zulu']);
    expect(accounts).toEqual([]);
    await buy(['acme']);
    await buy(['acme'], { idempotency_key: 'another-key-00000001' });
    expect(accounts).toEqual([
      expect.objectContaining({ brandDomain: 'brand.example', operator: 'agency.example' }),
    ]);
  });

  it('refuses an undeclared pair if use alone declares nothing', async () => {
    const strict = taskService(depsOf(harness, false));
    const reply = await call('create_media_buy', buyArgs(['acme']), { by: strict });
    expect([codes(reply), fields(reply)]).toEqual([['ACCOUNT_NOT_FOUND'], ['account']]);
  });
});

describe('a replay', () => {
  it('returns the first payload byte for byte, is marked as a replay, and calls no seller', async () => {
    const first = await buy(['acme', 'bravo']);
    expect(first).toMatchObject({ status: 'completed', isError: false });
    expect(first.body['replayed']).not.toBe(true);
    const again = await buy(['acme', 'bravo'], { context: { trace: 't-2' } });
    expect(payloadOf(again)).toBe(payloadOf(first));
    expect(again.body).toMatchObject({ replayed: true, context: { trace: 't-2' } });
    expect(harness.seller('acme').received).toHaveLength(1);
  });

  it('of a submitted answer names the same task, even after its end', async () => {
    harness.seller('acme').fate('create_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
    const first = await buy(['acme']);
    expect(first).toMatchObject({ status: 'submitted', taskId: expect.stringMatching(/^task_/) });
    const [leg] = harness.store.rowsOf(harness.scope).legs.values();
    const payload = { media_buy_id: 'x', media_buy_status: 'active', packages: [{ package_id: 'p' }] };
    const reply = { status: 'completed', payload, errors: [], replayed: false } as const;
    await storeObservation(harness.ports, harness.scope, leg!, {
      source: 'webhook',
      at: harness.clock.now(),
      reply,
    });
    const again = await buy(['acme']);
    expect(again).toMatchObject({ status: 'submitted', taskId: first.taskId });
    expect(payloadOf(again)).toBe(payloadOf(first));
    const polled = await call('tasks/get', { adcp_version: '3.1', task_id: first.taskId ?? '' });
    expect(polled.body).toMatchObject({
      task_id: first.taskId,
      status: 'completed',
      result: { media_buy_id: expect.any(String) },
    });
    const requested = { adcp_version: '3.1', task_id: first.taskId ?? '', include_history: true };
    const bare = await call('tasks/get', { ...requested, include_result: false });
    expect(bare.body).toMatchObject({ task_id: first.taskId, status: 'completed' });
    expect(bare.body).not.toHaveProperty('result');
    expect(JSON.stringify(bare.body)).not.toContain('media_buy_id');
  });

  it('returns a submitted answer even if the task then fails', async () => {
    harness.seller('acme').fate('create_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
    const first = await buy(['acme']);
    const [leg] = harness.store.rowsOf(harness.scope).legs.values();
    const reply = { status: 'failed', payload: {}, errors: [], replayed: false } as const;
    await storeObservation(harness.ports, harness.scope, leg!, {
      source: 'webhook',
      at: harness.clock.now(),
      reply,
    });
    expect(await buy(['acme'])).toMatchObject({ status: 'submitted', taskId: first.taskId });
    expect(harness.seller('acme').received).toHaveLength(1);
  });

  it('waits for a first request in progress, and gets the same answer', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { ports, ...parts } = depsOf(harness, true);
    const transport: typeof ports.transport = {
      ...ports.transport,
      call: async (...args) => {
        const reported = await ports.transport.call(...args);
        await held;
        return reported;
      },
    };
    const slow = taskService({ ...parts, ports: { ...ports, transport } });
    const first = call('create_media_buy', buyArgs(['acme']), { by: slow });
    await until(() => harness.seller('acme').received.length === 1);
    let isNotified = false;
    const again = call('create_media_buy', buyArgs(['acme']), { by: slow }).finally(() => {
      isNotified = true;
    });
    await tick(20);
    expect(isNotified).toBe(false);
    answer();
    const reply = await first;
    await tick(5);
    const two = await again;
    expect(reply).toMatchObject({ status: 'completed' });
    expect(two).toMatchObject({ status: 'completed', body: { replayed: true } });
    expect(payloadOf(two)).toBe(payloadOf(reply));
    expect(harness.seller('acme').received).toHaveLength(1);
  });

  it('of a request without a first answer gets its current state', async () => {
    const dying = taskService({
      ...depsOf(harness, true),
      ports: {
        ...depsOf(harness, true).ports,
        store: { ...harness.store, saveAnswer: () => Promise.reject(new Error('The process died.')) },
      },
    });
    await expect(call('create_media_buy', buyArgs(['acme']), { by: dying })).rejects.toThrow('died');
    harness.clock.advance(60_000);
    const received = await buy(['acme']);
    expect(received).toMatchObject({ status: 'completed', body: { replayed: true } });
    expect(harness.seller('acme').buys).toHaveLength(1);
    expect(payloadOf(await buy(['acme']))).toBe(payloadOf(received));
  });

  it('never returns an error: a corrected request may use its key again', async () => {
    harness
      .seller('acme')
      .fate('create_media_buy', { says: { errors: [{ code: 'BUDGET_TOO_LOW', message: 'x' }] } });
    const failed = await buy(['acme']);
    expect(failed).toMatchObject({ isError: true, status: 'failed' });
    expect(failed.errors[0]).toMatchObject({ code: 'BUDGET_TOO_LOW', details: { seller: 'acme' } });
    expect(await buy(['acme', 'bravo'])).toMatchObject({ status: 'completed' });
  });
});

describe('the answer to a mutation', () => {
  it('is sent after 15 seconds at most, and sooner if the caller requests it', async () => {
    for (const [more, waits] of [
      [{}, 15_000],
      [{ time_budget: { interval: 2, unit: 'seconds' }, idempotency_key: 'another-key-00000001' }, 2_000],
    ] as const) {
      harness.seller('acme').fate('create_media_buy', 'hang');
      const arrived = harness.seller('acme').received.length;
      let reply: TaskReply | undefined;
      void buy(['acme'], more).then((received) => {
        reply = received;
      });
      await until(() => harness.seller('acme').received.length > arrived);
      harness.clock.advance(waits - 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(reply).toBeUndefined();
      harness.clock.advance(1);
      await until(() => reply !== undefined);
      expect(reply?.status).toBe('submitted');
    }
  });
});

describe('somebody else’s task', () => {
  it('is not found, with the error of a task that never existed', async () => {
    const first = await buy(['acme']);
    const [operation] = harness.store.rowsOf(harness.scope).operations.values();
    const other = { ...caller, principalId: randomUUID(), permissions: usualPermissions.buyer };
    const query = (taskId: string) =>
      call('tasks/get', { adcp_version: '3.1', task_id: taskId }, { as: other });
    const [theirs, none] = [await query(operation?.taskId ?? ''), await query('task_none')];
    expect(first.status).toBe('completed');
    expect(theirs.body).toEqual(none.body);
    expect(theirs.isError).toBe(true);
  });
});

describe('a callback', () => {
  const push = { url: 'https://buyer.example/hook', operation_id: 'op-1' };
  it.each([
    [
      'without operation_id',
      { push_notification_config: { url: push.url } },
      'push_notification_config.operation_id',
    ],
    [
      'to a denied address',
      { push_notification_config: { ...push, url: 'https://denied.example' } },
      'push_notification_config.url',
    ],
    [
      'for reports to a denied address',
      { reporting_webhook: { url: 'https://denied.example' } },
      'reporting_webhook.url',
    ],
  ])('%s is refused', async (_what, more, field) => {
    const reply = await buy(['acme'], more);
    expect(codes(reply)).toContain('INVALID_REQUEST');
    expect(fields(reply)).toContain(field);
    expect(harness.seller('acme').received).toEqual([]);
  });

  it('with a legacy block must be signed if its caller is not marked legacy', async () => {
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'x'.repeat(40) };
    const reply = await buy(['acme'], { push_notification_config: { ...push, authentication } });
    expect([reply.httpStatus, codes(reply)]).toEqual([401, ['request_signature_required']]);
    expect(harness.seller('acme').received).toEqual([]);
  });

  it('is refused by a task that answers at once', async () => {
    const reply = await call('get_media_buys', { adcp_version: '3.1', push_notification_config: push });
    expect(fields(reply)).toEqual(['push_notification_config']);
  });

  it('never reaches a seller', async () => {
    expect((await buy(['acme'], { push_notification_config: push })).status).toBe('completed');
    expect(JSON.stringify(harness.seller('acme').received)).not.toContain('buyer.example');
  });
});

describe('a number that a double cannot hold', () => {
  const long = 2 ** 63;
  const exact = (pointer: string) => ({ exact: { [pointer]: '9223372036854775807' } });

  it.each<[string, JsonObject, string, string]>([
    ['in the context', { context: { id: long } }, '/context/id', 'context.id'],
    ['in what only sellers know', { ext: { vendor: [long] } }, '/ext/vendor/0', 'ext.vendor[0]'],
  ])('is refused %s with its place, and neither sent nor returned', async (_where, more, pointer, field) => {
    const reply = await call('create_media_buy', buyArgs(['acme'], more), exact(pointer));
    expect([codes(reply), fields(reply)]).toEqual([['INVALID_REQUEST'], [field]]);
    expect(JSON.stringify(reply.body)).not.toContain(String(long));
    expect(reply.body['context']).toEqual(more['context'] === undefined ? { trace: 't-1' } : undefined);
    expect(harness.seller('acme').received).toEqual([]);
    expect(harness.store.rowsOf(harness.scope).operations.size).toBe(0);
  });

  it('in the context is not returned changed, whatever else is wrong with the request', async () => {
    const args = { ...buyArgs(['acme'], { context: { trace: 9.223372036854776e18 } }), end_time: 'never' };
    const reply = await call('create_media_buy', args, exact('/context/trace'));
    expect(reply.errors).toMatchObject([{ field: 'end_time' }]);
    expect(reply.body).not.toHaveProperty('context');
  });

  it('is accepted if it is read as its exact amount', async () => {
    const args = buyArgs(['acme']);
    const reply = await call('create_media_buy', args, { exact: { '/packages/0/budget': '100.00' } });
    expect(codes(reply)).toEqual([]);
  });
});

describe('the time limit', () => {
  it.each<[JsonObject, number]>([
    [{}, 10_000],
    [{ time_budget: { interval: 2, unit: 'seconds' } }, 2_000],
    [{ time_budget: { interval: 1, unit: 'minutes' } }, 10_000],
    [{ time_budget: { interval: 0, unit: 'seconds' } }, 10_000],
    [{ time_budget: { interval: -1, unit: 'seconds' } }, 10_000],
    [{ time_budget: { interval: 'two', unit: 'seconds' } }, 10_000],
    [{ time_budget: { interval: 2, unit: 'fortnights' } }, 10_000],
    [{ time_budget: 2 }, 10_000],
  ])('of %j is %d of ten seconds', (args, timeout) => {
    expect(timeoutOf(args, 10_000)).toBe(timeout);
  });
});
