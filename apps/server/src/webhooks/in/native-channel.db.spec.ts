import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import { signed, specInbox, taskUpdate, type Posting, type SpecSeller } from '../testkit/inbox.js';

/** The native channel of A2A, through the real endpoints, the real intake and the real workers. */
let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller({ connection: { protocol: 'a2a' }, native: 'signed' });
});

const minute = (n: number): string => `2026-11-21T11:${String(n).padStart(2, '0')}:00Z`;

function done(of: SpecSeller): JsonObject {
  return taskUpdate(of, 'completed')['result'] as JsonObject;
}

/** As release 0.3 writes it. */
function task(state: string, at: number, data?: JsonObject, id = 'a2a-1'): JsonObject {
  const parts = data === undefined ? [] : [{ kind: 'data', data }];
  const isEnd = state === 'completed' || state === 'failed';
  return {
    kind: 'task',
    id,
    status: { state, timestamp: minute(at), ...(isEnd ? {} : { message: { parts } }) },
    ...(isEnd ? { artifacts: [{ artifactId: 'a', parts }] } : {}),
  };
}

/** As release 1.0 writes it. */
function update(state: string, at: number, data?: JsonObject): JsonObject {
  const message = { parts: data === undefined ? [] : [{ data }] };
  return { statusUpdate: { taskId: 'a2a-1', status: { state, timestamp: minute(at), message } } };
}

async function post(body: JsonObject, posting: Posting = {}): Promise<number> {
  const answer = await inbox.post(seller, body, { address: seller.nativeAddress, ...posting });
  return answer.status;
}

async function applied() {
  await applyInbox(inbox.deps, inbox.scope);
  const events = await inbox.admin.list(inbox.caller, { seller: seller.connection.slug });
  return events.map(({ state, reason }) => (reason === undefined ? state : `${state} ${reason}`));
}

const leg = () => inbox.deps.ports.store.leg(inbox.scope, seller.legId);

describe('a signed native post', () => {
  it.each<[string, () => JsonObject]>([
    ['a Task of release 0.3', () => task('completed', 1, done(seller))],
    [
      'a Task of release 1.0',
      () => ({
        task: {
          id: 'a2a-1',
          status: { state: 'TASK_STATE_COMPLETED', timestamp: minute(1) },
          artifacts: [{ parts: [{ data: done(seller) }] }],
        },
      }),
    ],
  ])('completes its leg: %s', async (_what, body) => {
    expect(await post(body())).toBe(200);
    expect(await applied()).toEqual(['applied']);
    expect(await leg()).toMatchObject({
      status: 'completed',
      observedBy: 'webhook',
      answer: { media_buy_id: seller.sellerMediaBuyId },
    });
  });

  it('of type application/a2a+json is accepted only at its own address', async () => {
    const contentType = 'application/a2a+json';
    expect(await post(task('working', 1), { contentType })).toBe(200);
    expect(await post(taskUpdate(seller, 'working'), { contentType, address: seller.taskAddress })).toBe(415);
  });

  it.each([
    [
      '0.3',
      'input-required',
      (state: string, at: number) => task(state, at, { reason: 'APPROVAL_REQUIRED' }),
    ],
    ['1.0', 'TASK_STATE_INPUT_REQUIRED', (state: string, at: number) => update(state, at, { reason: 'X' })],
  ] as const)('with an interim state of release %s changes its leg', async (_release, state, write) => {
    expect(await post(write(state, 1))).toBe(200);
    expect(await applied()).toEqual(['applied']);
    expect((await leg())?.status).toBe('input-required');
  });

  it('and the envelope of the same change have one effect, whichever comes first', async () => {
    for (const order of ['native first', 'envelope first']) {
      seller = await inbox.seller({ connection: { protocol: 'a2a' }, native: 'signed' });
      const native = () => post(task('completed', 1, done(seller)));
      const envelope = () => post(taskUpdate(seller, 'completed'), { address: seller.taskAddress });
      const both = order === 'native first' ? [native, envelope] : [envelope, native];
      for (const send of both) {
        expect(await send()).toBe(200);
        await applied();
      }
      expect((await applied()).sort()).toEqual(['applied', 'stale']);
    }
  });

  it('that is older than the applied state changes nothing: updates are ordered by their own time', async () => {
    await post(task('working', 1));
    await applied();
    await post(task('working', 3));
    await post(task('input-required', 5));
    await applied();
    await post(task('working', 4));
    expect((await applied()).filter((state) => state === 'stale').length).toBeGreaterThan(0);
    expect((await leg())?.status).toBe('input-required');
    await post(task('working', 6));
    await applied();
    expect((await leg())?.status).toBe('working');
  });

  it('with a second, different end is quarantined, and the first end remains', async () => {
    await post(task('completed', 1, done(seller)));
    await applied();
    await post(task('failed', 2, { errors: [{ code: 'X', message: 'no' }] }));
    expect(await applied()).toContain('quarantined terminal_conflict');
    expect((await leg())?.status).toBe('completed');
  });

  it('without its own key is one event when repeated; another state of the task is another event', async () => {
    for (const body of [task('working', 1), task('working', 1), task('input-required', 2)]) await post(body);
    expect((await applied()).sort()).toEqual(['applied', 'duplicate', 'stale']);
  });

  it('with an unknown state is stored with its text', async () => {
    expect(await post(task('paused', 1))).toBe(200);
    expect(await applied()).toEqual(['stale unknown_state:paused']);
    expect((await leg())?.status).toBe('working');
  });

  it('of another task is quarantined', async () => {
    expect(await post(task('completed', 1, done(seller), 'a2a-of-somebody-else'))).toBe(200);
    expect(await applied()).toEqual(['quarantined unknown_task']);
    expect((await leg())?.status).toBe('working');
  });

  it('with an end without its data triggers a poll', async () => {
    expect(await post(update('TASK_STATE_COMPLETED', 1))).toBe(200);
    expect(await applied()).toEqual(['applied asked_the_seller']);
    expect(await leg()).toMatchObject({ status: 'working', nextPollAt: inbox.clock.now() });
  });

  it('and the following task with the data are two events, so that no data is lost', async () => {
    await post(update('TASK_STATE_COMPLETED', 1));
    await post(task('completed', 1, done(seller)));
    await applied();
    expect((await leg())?.status).toBe('completed');
  });

  it('with a wrong token beside its signature is refused', async () => {
    for (const [token, status] of [
      ['another', 401],
      ['a-token', 200],
    ] as const) {
      const made = signed(inbox.url, inbox.clock.now(), seller, task('working', 1), {
        address: seller.nativeAddress,
      });
      const headers = { ...made.headers, 'x-a2a-notification-token': token };
      expect(await post(task('working', 1), { headers })).toBe(status);
    }
  });
});

describe('a format at the wrong address', () => {
  it('is refused, because the channel of the registration decides', async () => {
    expect(await post(taskUpdate(seller, 'completed'))).toBe(400);
    expect(await post(task('completed', 1, done(seller)), { address: seller.taskAddress })).toBe(400);
    await applied();
    expect((await leg())?.status).toBe('working');
  });
});

describe('a native post with only the token', () => {
  const headers = {
    'content-type': 'application/a2a+json',
    'x-a2a-notification-token': 'a-token',
  };

  beforeEach(async () => {
    seller = await inbox.seller({ connection: { protocol: 'a2a' }, native: 'token' });
  });

  it('is never applied from its body: the seller is polled at once', async () => {
    expect(await post(task('completed', 1, { media_buy_id: 'forged', packages: [] }), { headers })).toBe(200);
    expect(await applied()).toEqual(['applied asked_the_seller']);
    expect(await leg()).toMatchObject({ status: 'working', nextPollAt: inbox.clock.now() });
  });

  it.each<[string, Record<string, string>]>([
    ['another token', { ...headers, 'x-a2a-notification-token': 'another' }],
    ['no token', { 'content-type': 'application/json' }],
  ])('is refused with %s', async (_what, given) => {
    expect(await post(task('working', 1), { headers: given })).toBe(401);
    expect(await applied()).toEqual([]);
  });

  it('is refused as another mode if it is signed', async () => {
    expect(await post(task('working', 1))).toBe(401);
  });
});
