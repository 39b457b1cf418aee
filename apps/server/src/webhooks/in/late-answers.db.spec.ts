import { randomUUID } from 'node:crypto';
import { draftRead, type OperationState } from '@switchyard/buys';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import { specInbox, type SpecSeller } from '../testkit/inbox.js';

/** Answers to reads that sellers send to their webhook address, through the real intake and workers. */
let seller: SpecSeller;
let address: string;
let named: string;
let operationId: string;

const inbox = await specInbox();
afterAll(() => inbox.close());

/** A read of products that was sent only to this seller, which accepted it. */
beforeEach(async () => {
  seller = await inbox.seller();
  [address, named, operationId] = [`whr_${randomUUID()}`, randomUUID(), randomUUID()];
  const { connection } = seller;
  const row = {
    seller: connection.slug,
    status: 'answered' as const,
    reason: 'Later.',
    elapsed_ms: 1,
    items: 0,
  };
  const draft = draftRead(inbox.deps.ports.ids, {
    scope: inbox.scope,
    operationId,
    principalId: randomUUID(),
    spec: { name: 'get_products' },
    profile: { dialect: 'adcp', form: '3.1' },
    args: { adcp_version: '3.1', buying_mode: 'brief', brief: 'coffee' },
    requestHash: 'hash',
    legs: [],
    rows: [row],
    pending: [{ connection, task: { status: 'submitted', args: {}, taskId: 'their-question' } }],
    addresses: new Map([[connection.id, { id: address, legId: randomUUID(), sellerOperationId: named }]]),
    at: inbox.clock.now(),
  });
  await inbox.deps.ports.store.begin(inbox.scope, draft);
});

const product: JsonObject = {
  product_id: 'late',
  name: 'late',
  description: 'A product of the suite',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  channels: ['display'],
  format_ids: [{ agent_url: 'https://creative.example', id: 'display_300x250' }],
  delivery_type: 'guaranteed',
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
};
const update = (status: string, more: JsonObject = {}): JsonObject => ({
  idempotency_key: `task-${randomUUID()}`,
  operation_id: named,
  task_id: 'their-question',
  task_type: 'get_products',
  protocol: 'media-buy',
  status,
  timestamp: '2026-11-21T12:00:01Z',
  ...(status === 'completed' ? { result: { products: [product] } } : {}),
  ...more,
});

async function received(body: JsonObject): Promise<readonly unknown[]> {
  const answer = await inbox.post(seller, body, { address });
  await applyInbox(inbox.deps, inbox.scope);
  const events = await inbox.admin.list(inbox.caller, { seller: seller.connection.slug });
  return [answer.status, events[0]?.state];
}
const state = (): Promise<OperationState | undefined> =>
  inbox.deps.ports.store.state(inbox.scope, operationId);

describe('a signed webhook at the address of a read', () => {
  it('delivers the answer, and its products can be bought', async () => {
    expect(await received(update('completed'))).toEqual([200, 'applied']);
    const { operation, legs } = (await state())!;
    expect([operation.status, legs.map(({ status, observedBy }) => [status, observedBy])]).toEqual([
      'completed',
      [['completed', 'webhook']],
    ]);
    const id = `${seller.connection.slug}:late`;
    const offers = await inbox.deps.ports.store.offers(inbox.scope, [id]);
    expect(offers.get(id)).toMatchObject({ productId: 'late', pricingOptions: [{ fixedPrice: '5' }] });
  });

  it('settles it once: later webhooks change nothing', async () => {
    await received(update('completed'));
    await received(
      update('failed', { result: { errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'No.' }] } }),
    );
    const { operation, legs } = (await state())!;
    expect([operation.status, legs[0]?.status]).toEqual(['completed', 'completed']);
  });

  it("ends it with the seller's refusal, or with an input request that nobody can answer", async () => {
    await received(update('input-required', { message: 'Which coffee?' }));
    const { operation, legs } = (await state())!;
    expect([operation.status, legs[0]?.status, legs[0]?.errors[0]?.code]).toEqual([
      'completed',
      'rejected',
      'INPUT_REQUIRED',
    ]);
  });

  it('is ignored if it cannot be read, without quarantine', async () => {
    await received(update('completed', { result: { products: 'many' } }));
    const { operation, legs } = (await state())!;
    expect([operation.status, legs[0]?.status, legs[0]?.errors[0]?.code]).toEqual([
      'completed',
      'failed',
      'NOT_CONFORMANT',
    ]);
  });

  it('is refused from another sender or for another task', async () => {
    const other = await inbox.seller();
    const answer = await inbox.post(seller, update('completed'), { address, key: other.key });
    expect(answer.status).toBe(401);
    await received(update('completed', { task_id: 'another-task' }));
    expect((await state())?.operation.status).toBe('submitted');
  });
});
