import { afterAll, describe, expect, it } from '@jest/globals';
import type { BuyChange } from '@switchyard/buys';
import { createScope, draftedAt, makeOperation, openTestStore, untilWaitedFor } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { operationStore } from './operation-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

describe('the history of a buy', () => {
  it("records a buyer's change of a package and the seller's change in one answer", async () => {
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
    // Two packages with the same id at the seller.
    const again: BuyChange = { ...ofSeller };
    await operations.change(scope, leg!.id, (state) => ({
      ...state,
      operation: { ...state.operation, updatedAt: draftedAt + 1 },
      changes: [change, ofSeller, again],
    }));
    const stored = await operations.changesOf(scope, draft.buy.id, 10);
    expect(stored.map(({ actor }) => actor).toSorted()).toEqual(['buyer', 'seller', 'seller']);
    expect(new Set(stored.map(({ principalId }) => principalId))).toEqual(
      new Set([draft.operation.principalId]),
    );
  });
});

describe('the end of a seller’s reports', () => {
  it('is stored during a concurrent change of the buy', async () => {
    const scope = await createScope(store);
    const draft = makeOperation(scope, { sellers: ['acme'] });
    const operations = operationStore(store);
    await operations.begin(scope, draft);
    const [leg] = draft.legs;
    const endedAt = new Date(draftedAt + 5);
    let changed: Promise<unknown> | undefined;
    await store.inTenant(scope, async (client) => {
      await client.query('update seller_buy set reporting_ended_at = $2 where leg_id = $1', [
        leg!.id,
        endedAt,
      ]);
      // It reads the earlier state of the buy, and then waits for the row.
      changed = operations.change(scope, leg!.id, (state) => ({
        ...state,
        operation: { ...state.operation, updatedAt: draftedAt + 1 },
        sellerBuys: state.sellerBuys.map((sellerBuy) => ({ ...sellerBuy, status: 'active' as const })),
      }));
      await untilWaitedFor(client);
    });
    await changed;
    const stored = await store.inTenant(scope, (client) =>
      client.query('select status, reporting_ended_at from seller_buy where leg_id = $1', [leg!.id]),
    );
    expect(stored.rows).toEqual([{ status: 'active', reporting_ended_at: endedAt }]);
  });
});
