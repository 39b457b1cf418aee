import { describe, expect, it } from '@jest/globals';
import type { DeclaredAccount } from '@switchyard/tenancy';
import { openBuyingHarness } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { harnessCall, harnessDeps } from '../../platform/tasks/testkit/harness-call.js';
import { taskService } from '../../main/testkit/task-service.js';

const client = (brand: string): JsonObject => ({
  account: { brand: { domain: brand }, operator: 'agency.example' },
  brand: { domain: brand },
});

/** A buyer with buys at one seller, made a second apart, of the brands that are named in order. */
async function bought(brands: readonly string[]) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const accounts: DeclaredAccount[] = [];
  const service = taskService(harnessDeps(harness, accounts));
  const call = async (task: string, args: JsonObject): Promise<JsonObject> =>
    (await service.call(harnessCall(harness, task, { adcp_version: '3.1', ...args }, { legacy: false })))
      .body;
  const ids: unknown[] = [];
  for (const [at, brand] of brands.entries()) {
    harness.clock.advance(1_000);
    const args = {
      ...harness.request(['acme']).args,
      ...client(brand),
      idempotency_key: `buy-number-${at}-0123`,
    };
    ids.unshift((await call('create_media_buy', args))['media_buy_id']);
  }
  const pause = (id: string) =>
    call('update_media_buy', {
      ...client('brand.example'),
      idempotency_key: `pause-of-${id}`,
      media_buy_id: id,
      paused: true,
    });
  return { harness, call, pause, ids, accounts };
}

const rows = (body: JsonObject, list: string): readonly JsonObject[] =>
  Array.isArray(body[list]) ? body[list].filter(isJsonObject) : [];
const idsIn = (body: JsonObject, list = 'media_buys'): readonly unknown[] =>
  rows(body, list).map((buy) => buy['media_buy_id']);
const paged = (max: number, cursor?: unknown): JsonObject => ({
  pagination: { max_results: max, ...(typeof cursor === 'string' ? { cursor } : {}) },
});
const cursorOf = ({ pagination }: JsonObject): unknown => isJsonObject(pagination) && pagination['cursor'];
const codes = (body: JsonObject): readonly unknown[] => rows(body, 'errors').map(({ code }) => code);
const five = Array.from({ length: 5 }, () => 'brand.example');

describe('get_media_buys in pages', () => {
  it('shows each buy once, newest first, also while buys are made and end between two pages', async () => {
    const { harness, call, ids } = await bought(five);
    const first = await call('get_media_buys', paged(2));
    expect(idsIn(first)).toEqual(ids.slice(0, 2));
    harness.clock.advance(1_000);
    await call('create_media_buy', {
      ...harness.request(['acme']).args,
      idempotency_key: 'one-more-buy-0123',
    });
    await call('update_media_buy', {
      ...client('brand.example'),
      idempotency_key: 'cancel-the-first-1',
      media_buy_id: ids[0] as string,
      canceled: true,
    });
    const second = await call('get_media_buys', paged(2, cursorOf(first)));
    expect(idsIn(second)).toEqual(ids.slice(2, 4));
    const third = await call('get_media_buys', paged(2, cursorOf(second)));
    expect([idsIn(third), third['pagination']]).toEqual([ids.slice(4), { has_more: false }]);
  });

  it('accepts only a cursor of its own query', async () => {
    const { call } = await bought(five);
    const cursor = cursorOf(await call('get_media_buys', paged(2)));
    const altered = Buffer.from(String(cursor), 'base64url').toString('utf8').replace('"o":0', '"o":1');
    for (const wrong of [
      { ...paged(2, cursor), status_filter: ['paused'] },
      { ...paged(2, cursor), account: client('brand.example')['account'] ?? {} },
      paged(2, Buffer.from(altered, 'utf8').toString('base64url')),
      paged(2, 'nothing'),
    ])
      expect(codes(await call('get_media_buys', wrong))).toEqual(['INVALID_REQUEST']);
    expect(codes(await call('get_media_buys', paged(101)))).toEqual(['VALIDATION_ERROR']);
    expect(codes(await call('get_media_buys', paged(0)))).toEqual(['VALIDATION_ERROR']);
  });

  it('fills its pages: buys of other statuses are skipped, and no page is empty', async () => {
    const { call, pause, ids } = await bought(Array.from({ length: 9 }, () => 'brand.example'));
    for (const at of [0, 1, 2, 4, 5, 6, 8]) await pause(ids[at] as string);
    const first = await call('get_media_buys', paged(1));
    expect([idsIn(first), first['pagination']]).toMatchObject([[ids[3]], { has_more: true }]);
    const second = await call('get_media_buys', paged(1, cursorOf(first)));
    expect([idsIn(second), second['pagination']]).toEqual([[ids[7]], { has_more: false }]);
    const wanted = { status_filter: ['paused'] };
    const paused = await call('get_media_buys', { ...wanted, ...paged(5) });
    expect(idsIn(paused)).toEqual([0, 1, 2, 4, 5].map((at) => ids[at]));
    const rest = await call('get_media_buys', { ...wanted, ...paged(5, cursorOf(paused)) });
    expect([idsIn(rest), rest['pagination']]).toEqual([[ids[6], ids[8]], { has_more: false }]);
  });

  it('has no page if none of the caller’s buys has the requested status', async () => {
    const { call } = await bought(five);
    const none = await call('get_media_buys', { status_filter: ['paused'], ...paged(1) });
    expect([idsIn(none), none['pagination']]).toEqual([[], { has_more: false }]);
  });

  it('fills a page with the last observed state if a seller refuses to answer, and calls it once', async () => {
    const { harness, call, pause, ids } = await bought(five);
    for (const at of [0, 1, 2]) await pause(ids[at] as string);
    const refusal = { errors: [{ code: 'PERMISSION_DENIED', message: 'Not today.' }] };
    harness.seller('acme').fate('get_media_buys', { says: refusal });
    const before = harness.seller('acme').received.length;
    const page = await call('get_media_buys', paged(1));
    expect([idsIn(page), page['pagination']]).toMatchObject([[ids[3]], { has_more: true }]);
    expect(page).toMatchObject({
      ext: { switchyard: { sellers: [{ seller: 'acme', status: 'refused' }] } },
    });
    expect(harness.seller('acme').received).toHaveLength(before + 1);
  });

  it('has one row for a seller, for any number of calls for the page', async () => {
    const { harness, call, pause, ids } = await bought(five);
    for (const at of [0, 1, 2]) await pause(ids[at] as string);
    const page = await call('get_media_buys', paged(1));
    const received = harness.seller('acme').received.filter(({ tool }) => tool === 'get_media_buys');
    expect(received.length).toBeGreaterThan(1);
    expect(page).toMatchObject({
      ext: { switchyard: { sellers: [{ seller: 'acme', status: 'answered' }] } },
    });
  });

  it('returns a cursor without a requested page if there are more buys than one answer holds', async () => {
    const { call, ids } = await bought(Array.from({ length: 103 }, () => 'brand.example'));
    const all = await call('get_media_buys', {});
    expect(idsIn(all)).toEqual(ids.slice(0, 100));
    expect(idsIn(await call('get_media_buys', paged(50, cursorOf(all))))).toEqual(ids.slice(100));
    const named = { media_buy_ids: ids as string[] };
    expect(idsIn(await call('get_media_buys', named))).toEqual(ids);
    const delivery = await call('get_media_buy_delivery', named);
    expect([idsIn(delivery, 'media_buy_deliveries'), codes(delivery)]).toEqual([ids, []]);
  });
});

describe('buys of one account', () => {
  const brands = ['one.example', 'two.example', 'one.example'];

  it.each(['get_media_buys', 'get_media_buy_delivery'] as const)(
    'are the only ones that %s shows of it',
    async (task) => {
      const { call, ids, accounts } = await bought(brands);
      const list = task === 'get_media_buys' ? 'media_buys' : 'media_buy_deliveries';
      const of = async (account: JsonObject) => call(task, { account });
      const pair = (domain: string): JsonObject => ({ brand: { domain }, operator: 'agency.example' });
      expect(idsIn(await of(pair('one.example')), list)).toEqual([ids[0], ids[2]]);
      const second = accounts.find(({ brandDomain }) => brandDomain === 'two.example')?.id ?? '';
      expect(idsIn(await of({ account_id: second }), list)).toEqual([ids[1]]);
      expect(idsIn(await of(pair('three.example')), list)).toEqual([]);
      expect(codes(await of({ account_id: 'nobodys' }))).toEqual(['ACCOUNT_NOT_FOUND']);
      const foreign = await call(task, { account: pair('two.example'), media_buy_ids: [ids[0] as string] });
      expect(codes(foreign)).toEqual(['MEDIA_BUY_NOT_FOUND']);
      expect(idsIn(await call(task, {}), list)).toEqual(ids);
    },
  );
});
