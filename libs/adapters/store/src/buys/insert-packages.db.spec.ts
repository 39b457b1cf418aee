import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { BuyPackage, OperationDraft } from '@switchyard/buys';
import { createScope, makeOperation, openTestStore, untilWaitedFor } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { beginOperation } from './begin-operation.js';
import { operationStore } from './operation-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);
const operations = operationStore(store);

/** A confirmed buy of two packages, one at each of two sellers. */
async function standing() {
  const scope = await createScope(store);
  const draft = makeOperation(scope, { packagesPerLeg: 1 });
  await operations.begin(scope, draft);
  for (const { id } of draft.legs)
    await operations.change(scope, id, (state) => ({
      ...state,
      legs: state.legs.map((leg) => (leg.id === id ? { ...leg, status: 'completed' as const } : leg)),
    }));
  /** One package more, at one of the sellers. */
  const added = (at: number, legId: string): BuyPackage => ({
    ...draft.packages[at]!,
    id: randomUUID(),
    legId,
    position: 0,
  });
  /** A change that adds one, as an update is stored, or, without a poll of the buy, a sealed one. */
  const update = (at: number, isSealed: boolean): OperationDraft => {
    const operation = {
      ...draft.operation,
      id: randomUUID(),
      taskId: `task_${randomUUID()}`,
      task: 'update_media_buy',
      mediaBuyId: draft.buy.id,
    };
    const sellerBuyId = draft.sellerBuys[at]!.id;
    const leg = { ...draft.legs[at]!, id: randomUUID(), operationId: operation.id, sellerBuyId };
    return {
      operation,
      legs: [leg],
      registrations: [],
      sellerBuys: [],
      packages: [added(at, leg.id)],
      ...(isSealed ? {} : { guard: { mediaBuyId: draft.buy.id, sellerBuyIds: [sellerBuyId] } }),
    };
  };
  const positions = async () =>
    (await operations.mediaBuy(scope, draft.buy.id))?.packages.map(({ position }) => position);
  return { scope, draft, added, update, positions };
}

describe('packages added to a buy at the same time', () => {
  for (const isSealed of [false, true])
    it(`are all kept where two ${isSealed ? 'sealed ' : ''}changes bring them, of two sellers`, async () => {
      const { scope, update, positions } = await standing();
      let second: Promise<unknown> | undefined;
      await store.inTenant(scope, async (client) => {
        await beginOperation(client, update(0, isSealed));
        second = operations.begin(scope, update(1, isSealed));
        await untilWaitedFor(client);
      });
      expect(await second).toEqual({ kind: 'stored' });
      expect(await positions()).toEqual([0, 1, 2, 3]);
    });

  it('are all stored if a change adds one and a seller’s answer another', async () => {
    const { scope, draft, added, update, positions } = await standing();
    let answered: Promise<unknown> | undefined;
    await store.inTenant(scope, async (client) => {
      await beginOperation(client, update(0, false));
      answered = operations.change(scope, draft.legs[1]!.id, (state) => ({
        ...state,
        packages: [...state.packages, { ...added(1, draft.legs[1]!.id), position: state.packages.length }],
      }));
      await untilWaitedFor(client);
    });
    await answered;
    expect(await positions()).toEqual([0, 1, 2, 3]);
  });
});
