import { describe, expect, it } from '@jest/globals';
import type { CreativeStore } from '@switchyard/buys';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { permissionTable, type DeclaredAccount, type PrincipalDirectory } from '@switchyard/tenancy';
import { openBuyingDesk, type BuyingDesk } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerParts } from './handler.js';
import { createTaskService } from './task-service.js';

const key = 'one-key-for-this-buy-1';

async function world() {
  const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
  const accounts: DeclaredAccount[] = [];
  const sealed: string[] = [];
  const service = createTaskService(partsOf(desk, accounts, sealed));
  const buy = (more: JsonObject = {}) =>
    service.call({
      door: 'mcp',
      task: 'create_media_buy',
      args: { adcp_version: '3.1', ...desk.request(['acme']).args, idempotency_key: key, ...more },
      exact: new Map(),
      caller: {
        kind: 'principal',
        organizationId: desk.scope.organizationId,
        principalId: desk.principalId,
        name: 'buyer',
        principalKind: 'buyer',
        permissions: permissionTable,
        transitional: true,
        legacy: true,
      },
      signal: new AbortController().signal,
    });
  return { desk, buy, sealed };
}

function partsOf(desk: BuyingDesk, accounts: DeclaredAccount[], sealed: string[]): HandlerParts {
  const principals: Pick<PrincipalDirectory, 'accountsOf' | 'declareAccount'> = {
    accountsOf: () => Promise.resolve(accounts),
    declareAccount: (_scope, _principal, account) => {
      accounts.push(account);
      return Promise.resolve(account);
    },
  };
  return {
    ports: { ...desk.ports, breakers: new BreakerBoard(defaultBreakerPolicy), bulkhead: new Bulkhead(8) },
    principals: principals as PrincipalDirectory,
    domainOf: () => Promise.resolve('agency.example'),
    declareOnFirstUse: true,
    refuseCallback: () => Promise.resolve(undefined),
    sealCallback: () => {
      const id = desk.ports.ids.uuid();
      sealed.push(id);
      return Promise.resolve(id);
    },
    creatives: {} as CreativeStore,
    outbox: { activity: () => Promise.resolve([]) },
  } as unknown as HandlerParts;
}

const push = (more: JsonObject = {}): JsonObject => ({
  push_notification_config: { url: 'https://buyer.example/hook', operation_id: 'op-1', ...more },
});
const secret = (letter: string): JsonObject => ({
  authentication: { schemes: ['HMAC-SHA256'], credentials: `${letter}Zk3v9QpL0xWm7TsB4rYnC8uHd2JfGe6` },
});

describe('the same key', () => {
  it('with another secret for the callback is the same request, and registers nothing again', async () => {
    const { desk, buy, sealed } = await world();
    const first = await buy(push(secret('a')));
    const again = await buy(push(secret('b')));
    expect([first.isError, again.isError, again.body['replayed']]).toEqual([false, false, true]);
    expect(again.body['media_buy_id']).toBe(first.body['media_buy_id']);
    expect(desk.seller('acme').buys).toHaveLength(1);
    expect(sealed).toHaveLength(1);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['another address', push(), push({ url: 'https://buyer.example/other' })],
    ['another token', push({ token: 'token-number-one-1' }), push({ token: 'token-number-two-2' })],
    ['a member of ext', { ext: { a: 1 } }, { ext: { a: 2 } }],
    ['a member more', {}, { ext: { a: 1 } }],
  ])('with %s is another request: a conflict that says nothing but its code', async (_what, one, other) => {
    const { desk, buy } = await world();
    expect((await buy(one)).isError).toBe(false);
    const refused = await buy(other);
    expect(refused.errors).toMatchObject([{ code: 'IDEMPOTENCY_CONFLICT', recovery: 'correctable' }]);
    const [error] = refused.errors;
    expect([error?.field, error?.details]).toEqual([undefined, undefined]);
    expect(desk.seller('acme').buys).toHaveLength(1);
  });

  it('with another context is the same request, and the newer context is what comes back', async () => {
    const { buy } = await world();
    await buy({ context: { turn: 1 } });
    const again = await buy({ context: { turn: 2 } });
    expect([again.body['replayed'], again.body['context']]).toEqual([true, { turn: 2 }]);
  });
});
