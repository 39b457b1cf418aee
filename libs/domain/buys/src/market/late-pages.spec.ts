import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { getProducts } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { followLeg } from '../run/follow-leg.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { storeObservation } from '../run/store-observation.js';
import { draftRead } from './draft-read.js';
import { gatherRead } from './gather-read.js';

const page = (id: string, cursor?: string): JsonObject => ({
  products: [
    {
      product_id: id,
      name: id,
      delivery_type: 'guaranteed',
      pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
    },
  ],
  pagination: cursor === undefined ? { has_more: false } : { has_more: true, cursor },
});

/** A question that acme will answer later, with an address of ours to tell it at. */
async function waiting(): Promise<{ readonly harness: BuyingHarness; readonly leg: Leg }> {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const connection = harness.connection('acme');
  const args = {
    brief: 'coffee',
    buying_mode: 'brief',
    push_notification_config: { url: 'https://us.example/w' },
  };
  const draft = draftRead(harness.ports.ids, {
    scope: harness.scope,
    operationId: randomUUID(),
    principalId: harness.principalId,
    spec: getProducts,
    profile: { dialect: 'adcp', form: '3.1' },
    args: { brief: 'coffee', buying_mode: 'brief' },
    requestHash: 'a hash',
    legs: [],
    rows: [{ seller: 'acme', status: 'answered', reason: '', code: 'SUBMITTED', elapsed_ms: 1, items: 0 }],
    pending: [{ connection, task: { status: 'submitted', args, taskId: 'theirs' } }],
    addresses: new Map(),
    at: harness.clock.now(),
  });
  await harness.store.begin(harness.scope, { ...draft, callbacks: [] });
  const [leg] = draft.legs;
  if (leg === undefined) throw new Error('There is no leg.');
  return { harness, leg };
}

const received = (payload: JsonObject) => ({
  status: 'completed' as const,
  replayed: false,
  payload,
  errors: [],
});

async function stateOf(harness: BuyingHarness, leg: Leg): Promise<OperationState> {
  const state = await harness.store.state(harness.scope, leg.operationId);
  if (state === undefined) throw new Error('There is no operation.');
  return state;
}

const gathered = (state: OperationState) =>
  gatherRead(state, getProducts, {
    count: ({ products }) => products.length,
    goesOn: ({ page: mark }) => mark?.cursor !== undefined,
  });

const names = (state: OperationState): readonly unknown[] =>
  gathered(state).legs.flatMap(({ answer }) => answer?.products.map(({ productId }) => productId) ?? []);

describe('a paged answer from a webhook', () => {
  it('is stored and due at once, and ends when its further pages have been read', async () => {
    const { harness, leg } = await waiting();
    const at = harness.clock.now();
    await storeObservation(harness.ports, harness.scope, leg, {
      source: 'webhook',
      at,
      reply: received(page('one', 'c2')),
    });
    const open = await stateOf(harness, leg);
    expect([open.operation.status, gathered(open).later]).toEqual(['submitted', ['acme']]);
    expect(await harness.store.leg(harness.scope, leg.id)).toMatchObject({
      status: 'working',
      nextPollAt: at,
    });
    harness.seller('acme').fate('get_products', { says: page('two', 'c3') }, { says: page('three') });
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.restarted(), harness.scope, leg.id, run);
    const done = await stateOf(harness, leg);
    expect([done.operation.status, names(done)]).toEqual(['completed', ['one', 'two', 'three']]);
    expect(gathered(done).legs[0]).not.toHaveProperty('isTruncated');
    expect(harness.seller('acme').received.map(({ tool, args }) => [tool, args['pagination']])).toEqual([
      ['get_products', { cursor: 'c2' }],
      ['get_products', { cursor: 'c3' }],
    ]);
  });

  it('is stored in part if its seller returns no more, and marked incomplete', async () => {
    const { harness, leg } = await waiting();
    const at = harness.clock.now();
    await storeObservation(harness.ports, harness.scope, leg, {
      source: 'webhook',
      at,
      reply: received(page('one', 'c2')),
    });
    harness.seller('acme').fate('get_products', { says: page('two', 'c3') }, 'drop');
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.ports, harness.scope, leg.id, run);
    const done = await stateOf(harness, leg);
    expect([done.operation.status, names(done)]).toEqual(['completed', ['one', 'two']]);
    expect(gathered(done).legs[0]).toMatchObject({ isTruncated: true });
  });

  it('sends no seller our address or the buyer’s again, and ends a seller that repeats its cursor', async () => {
    const { harness, leg } = await waiting();
    const at = harness.clock.now();
    await storeObservation(harness.ports, harness.scope, leg, {
      source: 'webhook',
      at,
      reply: received(page('one', 'c2')),
    });
    harness.seller('acme').fate('get_products', { says: page('two', 'c2') });
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.ports, harness.scope, leg.id, run);
    const [asked] = harness.seller('acme').received;
    expect(asked?.args).not.toHaveProperty('push_notification_config');
    expect(harness.seller('acme').received).toHaveLength(1);
    expect(gathered(await stateOf(harness, leg)).legs[0]).toMatchObject({ isTruncated: true });
  });
});
