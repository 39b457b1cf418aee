import { describe, expect, it } from '@jest/globals';
import type { AccountHold, DeclaredAccount } from '@switchyard/tenancy';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { harnessCall, harnessDeps } from '../testkit/harness-call.js';
import type { TaskReply } from '../call/task-call.js';
import { taskService } from '../../../main/testkit/task-service.js';

/** A buyer with one account, and with one buy on it from when the account was active. */
async function buyer() {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const pair = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
  const other: DeclaredAccount = { id: 'acc-2', ...pair, brandDomain: 'other.example' };
  let accounts: readonly DeclaredAccount[] = [{ id: 'acc-1', ...pair }, other];
  const service = taskService(
    harnessDeps(harness, [], {
      principals: { accountsOf: () => Promise.resolve(accounts) },
      declareOnFirstUse: false,
    }),
  );
  const call = (task: string, args: JsonObject): Promise<TaskReply> =>
    service.call({
      ...harnessCall(harness, task, { adcp_version: '3.1', ...args }, { legacy: false }),
      endpoint: 'rest',
    });
  const create = { ...harness.request(['acme']).args };
  const made = await call('create_media_buy', create);
  const change: JsonObject = {
    account: { account_id: 'acc-1' },
    idempotency_key: 'the-key-of-a-change-1',
    media_buy_id: made.body['media_buy_id'] ?? '',
    paused: true,
  };
  const hold = (what: AccountHold): void => {
    accounts = [{ id: 'acc-1', ...pair, hold: what }, other];
  };
  const received = (): number => harness.seller('acme').received.length;
  return { call, create, change, hold, heard: received };
}

const codes = ({ errors }: TaskReply): readonly string[] => errors.map(({ code }) => code);

describe('a suspended account', () => {
  it.each([
    ['suspended', 'ACCOUNT_SUSPENDED', 403],
    ['payment_required', 'ACCOUNT_PAYMENT_REQUIRED', 402],
  ] as const)('that is %s buys nothing: %s, and no seller is called', async (hold_, code, status) => {
    const { call, create, hold, heard: received } = await buyer();
    hold(hold_);
    const before = received();
    // Also under a key that stands for a buy already: whose account it is comes before what the key says.
    for (const idempotency_key of ['another-key-of-buyer-1', create['idempotency_key'] ?? '']) {
      const refused = await call('create_media_buy', { ...create, idempotency_key });
      expect([codes(refused), refused.httpStatus]).toEqual([[code], status]);
      expect(refused.errors[0]).toMatchObject({ field: 'account', recovery: 'terminal' });
      expect(refused.body).not.toHaveProperty('media_buy_id');
    }
    expect(received()).toBe(before);
  });

  it('for payment still updates running buys, and suspended does not', async () => {
    const { call, change, hold, heard: received } = await buyer();
    hold('suspended');
    const before = received();
    expect(codes(await call('update_media_buy', change))).toEqual(['ACCOUNT_SUSPENDED']);
    expect(received()).toBe(before);
    hold('payment_required');
    expect(codes(await call('update_media_buy', change))).toEqual([]);
    expect(received()).toBe(before + 1);
  });

  it('is reported to a read that names it, if reads are held back too', async () => {
    const { call, hold } = await buyer();
    hold('suspended');
    const query = { buying_mode: 'brief', brief: 'tea', brand: { domain: 'brand.example' } };
    const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
    expect(codes(await call('get_products', { ...query, account }))).toEqual(['ACCOUNT_SUSPENDED']);
    expect(codes(await call('get_media_buys', { account }))).toEqual([]);
  });

  it('that was never issued is refused in a request for prices', async () => {
    const { call } = await buyer();
    const account = { account_id: 'acc-of-nobody' };
    const questions = {
      get_products: { buying_mode: 'brief', brief: 'tea' },
      get_signals: { signal_spec: 'tea drinkers' },
    };
    for (const [task, question] of Object.entries(questions)) {
      const refused = await call(task, { ...question, account });
      expect([codes(refused), refused.httpStatus]).toEqual([['ACCOUNT_NOT_FOUND'], 404]);
      expect(refused.errors[0]).toMatchObject({ field: 'account.account_id' });
      expect(codes(await call(task, { ...question, account: { account_id: 'acc-2' } }))).toEqual([]);
    }
    // Lists of one's own hold nothing of an account that does not exist, and are not kept back by its name.
    expect(codes(await call('list_creative_formats', { account }))).toEqual([]);
  });

  it('blocks no other account of the same buyer', async () => {
    const { call, create, hold } = await buyer();
    hold('suspended');
    const account = { account_id: 'acc-2' };
    const brand = { domain: 'other.example' };
    const made = await call('create_media_buy', {
      ...create,
      account,
      brand,
      idempotency_key: 'another-key-of-buyer-2',
    });
    expect(codes(made)).toEqual([]);
  });
});

/** Two accounts, of which the buy is in the first. */
describe('an update of a buy belongs to the account of the buy', () => {
  it('and is blocked by it, even if the request names another account', async () => {
    const { call, change, hold, heard: received } = await buyer();
    hold('suspended');
    const before = received();
    const account = { account_id: 'acc-2' };
    expect(codes(await call('update_media_buy', { ...change, account }))).toEqual(['ACCOUNT_SUSPENDED']);
    expect(received()).toBe(before);
  });

  it('so that it needs no account beside the id of the buy', async () => {
    const { call, change, hold, heard: received } = await buyer();
    const { account: _account, ...unnamed } = change;
    hold('suspended');
    expect(codes(await call('update_media_buy', unnamed))).toEqual(['ACCOUNT_SUSPENDED']);
    hold('payment_required');
    const before = received();
    expect(codes(await call('update_media_buy', unnamed))).toEqual([]);
    expect(received()).toBe(before + 1);
  });

  it('and an unknown id, or another principal’s, is not found, without an error about the account', async () => {
    const { call, change } = await buyer();
    const { account: _account, ...unnamed } = change;
    const refused = await call('update_media_buy', { ...unnamed, media_buy_id: 'mb_of_nobody' });
    expect([codes(refused), refused.httpStatus]).toEqual([['MEDIA_BUY_NOT_FOUND'], 404]);
  });

  it('while an account that was never issued is still refused', async () => {
    const { call, change } = await buyer();
    const account = { account_id: 'acc-of-nobody' };
    expect(codes(await call('update_media_buy', { ...change, account }))).toEqual(['ACCOUNT_NOT_FOUND']);
  });
});
