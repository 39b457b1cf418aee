import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeOperation, memoryOperationStore } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { LegObservation } from '../model/leg-state.js';
import { recordLateAnswer } from './record-late-answer.js';

const scope = { organizationId: randomUUID() };
const askedAt = Date.UTC(2027, 0, 1);

const product = (name: string): JsonObject => ({
  product_id: 'ctv',
  name,
  description: name,
  publisher_properties: [{ publisher_domain: 'acme.example', selection_type: 'all' }],
  format_ids: [],
  delivery_type: 'guaranteed',
  delivery_measurement: { provider: 'acme' },
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
});

/** A question for products that its seller answers later, by one answer after another. */
function question() {
  const store = memoryOperationStore();
  const [made] = makeOperation(scope, { sellers: ['acme'], createdAt: askedAt }).legs;
  const leg = { ...made!, task: 'get_products' };
  const plan = (name: string) => ({ proposal_id: 'plan', name, allocations: [] });
  const hear = async (name: string, at: number, reportedAt?: number): Promise<void> => {
    const payload = { products: [product(name)], proposals: [plan(name)] };
    const reply = { status: 'completed' as const, replayed: false, payload, errors: [] };
    const received = reportedAt === undefined ? {} : { reportedAt };
    const update: LegObservation = { source: 'webhook', at, reply, ...received };
    await recordLateAnswer({ store }, scope, leg, update);
  };
  const known = async () => [
    (await store.offers(scope, ['acme:ctv'])).get('acme:ctv')?.name,
    (await store.proposals(scope, ['acme:plan'])).get('acme:plan')?.name,
  ];
  return { hear, known };
}

describe('a quote in a later answer of a seller', () => {
  it('has the time of the seller, so that it replaces no quote made meanwhile', async () => {
    const { hear, known } = question();
    await hear('now', askedAt + 100);
    await hear('before', askedAt + 900, askedAt + 50);
    expect(await known()).toEqual(['now', 'now']);
    await hear('after', askedAt + 950, askedAt + 150);
    expect(await known()).toEqual(['after', 'after']);
  });

  it('is no older than the query and no newer than its arrival, with any clock of the seller', async () => {
    const { hear, known } = question();
    await hear('of a fast clock', askedAt + 100, askedAt + 1_000_000);
    await hear('the next', askedAt + 101);
    expect(await known()).toEqual(['the next', 'the next']);
    const other = question();
    await other.hear('at once', askedAt, askedAt);
    await other.hear('of a slow clock', askedAt + 900, askedAt - 1_000_000);
    expect(await other.known()).toEqual(['of a slow clock', 'of a slow clock']);
  });
});
