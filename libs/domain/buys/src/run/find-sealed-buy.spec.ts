import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { canonicalJson, type JsonObject } from '@switchyard/values';
import { findBuyAtSeller } from './find-buy-at-seller.js';
import type { Leg } from '../model/operation.js';

const context = { campaign: 'spring', turn: 4 };

/** A sealed request with this context was lost, and the seller lists these buys. */
async function lookWith(listed: readonly JsonObject[], sent: JsonObject = { context }, elsewhere = 'own') {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const connection = harness.connection('acme');
  harness.seller('acme').fate('get_media_buys', { says: { media_buys: [...listed] } });
  const leg: Leg = {
    id: harness.ports.ids.uuid(),
    organizationId: harness.scope.organizationId,
    operationId: harness.ports.ids.uuid(),
    connectionId: connection.id,
    seller: 'acme',
    task: 'create_media_buy',
    profile: { dialect: 'adcp', form: '3.1' },
    outbound: canonicalJson(sent),
    status: 'sent',
    attempts: 1,
    sealed: true,
    errors: [],
    findings: [],
    createdAt: 0,
  };
  const store = new Proxy(harness.store, {
    get: (target, name) =>
      name === 'holdersOf' ? () => Promise.resolve({ elsewhere }) : (Reflect.get(target, name) as unknown),
  });
  const signal = new AbortController().signal;
  return findBuyAtSeller({ ...harness.ports, store }, harness.scope, leg, { connection, signal });
}

const buy = (id: string, more: JsonObject = { context }): JsonObject => ({
  media_buy_id: id,
  status: 'active',
  packages: [],
  ...more,
});

describe('the buy of a lost sealed request', () => {
  it('is the one with the brand’s whole context', async () => {
    const others = [buy('b', { context: { campaign: 'spring' } }), buy('c', {})];
    const found = await lookWith([...others, buy('a')]);
    expect(found).toMatchObject({ kind: 'found', payload: { media_buy_id: 'a' } });
  });

  it.each<{
    readonly where: string;
    readonly listed: readonly JsonObject[];
    readonly sent?: JsonObject;
    readonly elsewhere?: string;
  }>([
    { where: 'two buys carry it', listed: [buy('a'), buy('b')] },
    { where: 'none carries it', listed: [buy('a', { context: { campaign: 'summer' } })] },
    { where: 'the brand sent none, and neither has any buy', listed: [buy('a', {})], sent: {} },
    { where: 'the brand sent an empty one', listed: [buy('a', { context: {} })], sent: { context: {} } },
    {
      where: 'another tenant buys there, whose context may be the same',
      listed: [buy('a')],
      elsewhere: 'shared',
    },
  ])('is not guessed if $where', async ({ listed, sent, elsewhere }) => {
    expect(await lookWith(listed, sent, elsewhere)).toEqual({ kind: 'not_found' });
  });
});
