import { describe, expect, it } from '@jest/globals';
import type { MarketLeg } from '@switchyard/fanout';
import type { GetProductsAnswer } from '@switchyard/protocol';
import { memoryOperationStore, testClock } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { storeProposals } from './get-products.js';

const scope = { organizationId: 'o' };
const plan: JsonObject = {
  proposal_id: 'plan',
  name: 'Plan',
  allocations: [{ product_id: 'p', allocation_percentage: 100 }],
};
const legWith = (proposals: readonly JsonObject[]) =>
  ({
    connection: { id: 'c', slug: 'acme' },
    answer: { products: [], proposals },
  }) as unknown as MarketLeg<GetProductsAnswer>;

function partsWith(fails: boolean) {
  const store = memoryOperationStore();
  const notices: string[] = [];
  const saveProposals: typeof store.saveProposals = (...args) =>
    fails ? Promise.reject(new Error('The disk is full.')) : store.saveProposals(...args);
  const ports = {
    store: { ...store, saveProposals },
    clock: testClock(),
    notice: ({ code }: { readonly code: string }) => notices.push(code),
  };
  return { store, notices, parts: { ports } as unknown as HandlerDeps };
}

describe('a proposal of a seller', () => {
  it('can be bought once it is shown', async () => {
    const { store, parts } = partsWith(false);
    expect(await storeProposals(parts, scope, [legWith([plan])], 0)).toBe(true);
    expect([...(await store.proposals(scope, ['acme:plan'])).keys()]).toEqual(['acme:plan']);
  });

  it('has the time of its query, so that it replaces no later proposal', async () => {
    const { store, parts } = partsWith(false);
    await storeProposals(parts, scope, [legWith([{ ...plan, name: 'Later' }])], 5);
    await storeProposals(parts, scope, [legWith([plan])], 3);
    expect((await store.proposals(scope, ['acme:plan'])).get('acme:plan')).toMatchObject({ name: 'Later' });
  });

  it('is not shown if it could not be stored, and the operator is notified', async () => {
    const { notices, parts } = partsWith(true);
    expect(await storeProposals(parts, scope, [legWith([plan])], 0)).toBe(false);
    expect(notices).toEqual(['PROPOSALS_NOT_KEPT']);
  });

  it('is not written if there is none', async () => {
    const { notices, parts } = partsWith(true);
    expect(await storeProposals(parts, scope, [legWith([{ name: 'without an id' }])], 0)).toBe(true);
    expect(notices).toEqual([]);
  });
});
