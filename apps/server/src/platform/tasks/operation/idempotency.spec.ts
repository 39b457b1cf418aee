import { describe, expect, it } from '@jest/globals';
import type { DeclaredAccount } from '@switchyard/tenancy';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { harnessCall, harnessDeps } from '../testkit/harness-call.js';
import type { TaskReply } from '../call/task-call.js';
import { taskService } from '../../../main/testkit/task-service.js';

const key = 'one-key-for-this-buy-1';

async function world() {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const accounts: DeclaredAccount[] = [];
  const sealed: string[] = [];
  const service = taskService(
    harnessDeps(harness, accounts, {
      sealCallback: () => {
        const id = harness.ports.ids.uuid();
        sealed.push(id);
        return Promise.resolve(id);
      },
    }),
  );
  const call = (task: string, args: JsonObject) =>
    service.call(harnessCall(harness, task, { adcp_version: '3.1', idempotency_key: key, ...args }));
  const buy = (more: JsonObject = {}) =>
    call('create_media_buy', { ...harness.request(['acme']).args, idempotency_key: key, ...more });
  return { harness, buy, call, sealed };
}

const push = (more: JsonObject = {}): JsonObject => ({
  push_notification_config: { url: 'https://buyer.example/hook', operation_id: 'op-1', ...more },
});
const secret = (letter: string): JsonObject => ({
  authentication: { schemes: ['HMAC-SHA256'], credentials: `${letter}Zk3v9QpL0xWm7TsB4rYnC8uHd2JfGe6` },
});

describe('the same key', () => {
  it('with another secret for the callback is the same request, and registers nothing again', async () => {
    const { harness, buy, sealed } = await world();
    const first = await buy(push(secret('a')));
    const again = await buy(push(secret('b')));
    expect([first.isError, again.isError, again.body['replayed']]).toEqual([false, false, true]);
    expect(again.body['media_buy_id']).toBe(first.body['media_buy_id']);
    expect(harness.seller('acme').buys).toHaveLength(1);
    expect(sealed).toHaveLength(1);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['another address', push(), push({ url: 'https://buyer.example/other' })],
    ['another token', push({ token: 'token-number-one-1' }), push({ token: 'token-number-two-2' })],
    ['a member of ext', { ext: { a: 1 } }, { ext: { a: 2 } }],
    ['a member more', {}, { ext: { a: 1 } }],
  ])('with %s is another request: a conflict with only its code', async (_what, one, other) => {
    const { harness, buy } = await world();
    expect((await buy(one)).isError).toBe(false);
    const refused = await buy(other);
    expect(refused.errors).toMatchObject([{ code: 'IDEMPOTENCY_CONFLICT', recovery: 'correctable' }]);
    const [error] = refused.errors;
    expect([error?.field, error?.details]).toEqual([undefined, undefined]);
    expect(harness.seller('acme').buys).toHaveLength(1);
  });

  it('with another context is the same request, and the newer context is returned', async () => {
    const { buy } = await world();
    await buy({ context: { turn: 1 } });
    const again = await buy({ context: { turn: 2 } });
    expect([again.body['replayed'], again.body['context']]).toEqual([true, { turn: 2 }]);
  });
});

describe('a repetition while the first copy is in progress', () => {
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Lets time go on step by step, and what waits for it run. */
  async function letPass(harness: BuyingHarness, ms: number): Promise<void> {
    for (let gone = 0; gone < ms; gone += 50) {
      harness.clock.advance(50);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('waits five seconds for it and gets a retry time, while another request is refused at once', async () => {
    const { harness, buy } = await world();
    harness.seller('acme').fate('create_media_buy', 'hang');
    const first = buy();
    await until(() => harness.seller('acme').received.length === 1);
    await letPass(harness, 2_000);
    const other = await buy({ ext: { a: 1 } });
    expect(other.errors.map(({ code }) => code)).toEqual(['IDEMPOTENCY_CONFLICT']);
    let received: TaskReply | undefined;
    void buy().then((reply) => {
      received = reply;
    });
    await letPass(harness, 4_500);
    expect(received).toBeUndefined();
    await letPass(harness, 1_000);
    await until(() => received !== undefined);
    expect(received).toMatchObject({ isError: true, httpStatus: 409 });
    expect(received?.errors).toMatchObject([{ code: 'IDEMPOTENCY_IN_FLIGHT', recovery: 'transient' }]);
    const wait = received?.errors[0]?.retryAfter ?? 0;
    expect(wait).toBeGreaterThan(0);
    // By then there is an answer, and it is the first copy's.
    await letPass(harness, wait * 1_000);
    const answer = await first;
    const again = await buy();
    expect([again.body['replayed'], again.taskId]).toEqual([true, answer.taskId]);
    expect(harness.seller('acme').received).toHaveLength(1);
  });

  it('gets the same for a task without an id to read later', async () => {
    const { harness, buy, call } = await world();
    const made = await buy();
    harness.seller('acme').fate('provide_performance_feedback', 'hang');
    const feedback = {
      idempotency_key: 'one-key-for-feedback-1',
      media_buy_id: made.body['media_buy_id'] ?? '',
      measurement_period: { start: '2026-01-03T00:00:00Z', end: '2026-01-04T00:00:00Z' },
      performance_index: 1.2,
    };
    const arrived = () => harness.seller('acme').received.length;
    const before = arrived();
    void call('provide_performance_feedback', feedback);
    await until(() => arrived() > before);
    let received: TaskReply | undefined;
    void call('provide_performance_feedback', feedback).then((reply) => {
      received = reply;
    });
    await letPass(harness, 5_100);
    await until(() => received !== undefined);
    expect(received?.errors).toMatchObject([{ code: 'IDEMPOTENCY_IN_FLIGHT', recovery: 'transient' }]);
    expect(arrived()).toBe(before + 1);
  });
});
