import { afterAll, describe, expect, it } from '@jest/globals';
import type { BuyChange } from '@switchyard/buys';
import { createScope, draftedAt, makeOperation, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { operationStore } from './operation-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

describe('the history of a buy', () => {
  it('takes what its buyer asked of a package and what the seller did to it in one answer', async () => {
    const scope = await createScope(store);
    const draft = makeOperation(scope, { sellers: ['acme'] });
    const operations = operationStore(store);
    await operations.begin(scope, draft);
    const [leg] = draft.legs;
    const [sellerBuy] = draft.sellerBuys;
    const change: BuyChange = {
      mediaBuyId: draft.buy.id,
      sellerBuyId: sellerBuy!.id,
      operationId: draft.operation.id,
      legId: leg!.id,
      seller: 'acme',
      revision: 2,
      actor: 'buyer',
      action: 'update_packages',
      packageId: 'p1',
      detail: { budget: '3000' },
      at: draftedAt + 1,
    };
    const ofSeller: BuyChange = { ...change, actor: 'seller', detail: { paused: true } };
    // Two packages that the seller calls by one id.
    const again: BuyChange = { ...ofSeller };
    await operations.change(scope, leg!.id, (state) => ({
      ...state,
      operation: { ...state.operation, updatedAt: draftedAt + 1 },
      changes: [change, ofSeller, again],
    }));
    const kept = await operations.changesOf(scope, draft.buy.id, 10);
    expect(kept.map(({ actor }) => actor).toSorted()).toEqual(['buyer', 'seller', 'seller']);
  });
});
