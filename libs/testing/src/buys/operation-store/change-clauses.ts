import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { applyObservation, type BuyPackage, type OperationState } from '@switchyard/buys';
import type { TaskStatus } from '@switchyard/protocol';
import { makeOperation } from '../make-operation.js';
import { at, completed } from './observed-legs.js';
import type { OperationStoreClause } from './operation-store-clause.js';

/** Guarantees when a leg and its results are observed. */
export const changeClauses: readonly OperationStoreClause[] = [
  {
    guarantee: 'an operation stores each of its states, with its time, and the session it was put into',
    async check({ store, ours }) {
      const made = makeOperation(ours);
      const draft = { ...made, operation: { ...made.operation, contextId: 'a session' } };
      await store.begin(ours, draft);
      const [first] = draft.legs;
      const see = (status: TaskStatus, seconds: number): Promise<OperationState | undefined> =>
        store.change(ours, first!.id, (state) =>
          state.operation.status === status
            ? { ...state, operation: { ...state.operation, updatedAt: at + seconds } }
            : { ...state, operation: { ...state.operation, status, updatedAt: at + seconds } },
        );
      await see('working', 1);
      await see('working', 2);
      await see('completed', 3);
      const stored = (await store.state(ours, draft.operation.id))?.operation;
      assert.equal(stored?.contextId, 'a session');
      assert.deepEqual(stored.history, [
        { status: 'working', at: at + 1 },
        { status: 'completed', at: at + 3 },
      ]);
    },
  },
  {
    guarantee:
      'two simultaneous observations of two legs are applied one after the other: the last one settles the operation',
    async check({ store, ours }) {
      const sellers = ['acme', 'bravo', 'cargo', 'delta'];
      const draft = makeOperation(ours, { sellers, idempotencyKey: randomUUID() });
      await store.begin(ours, draft);
      const seen: (readonly string[])[] = [];
      await Promise.all(
        draft.legs.map((leg) =>
          store.change(ours, leg.id, (state) => {
            seen.push(state.legs.filter(({ status }) => status === 'completed').map(({ seller }) => seller));
            return applyObservation(state, leg.id, completed(leg, `${leg.seller}-1`));
          }),
        ),
      );
      assert.deepEqual(
        seen.map((known) => known.length).sort((a, b) => a - b),
        [0, 1, 2, 3],
      );
      const after = await store.state(ours, draft.operation.id);
      assert.equal(after?.operation.status, 'completed');
      assert.equal(after.operation.settledAt, at);
      assert.equal(after.operation.idempotencyKey, draft.operation.idempotencyKey);
      assert.deepEqual(
        after.sellerBuys.map((item) => item.sellerMediaBuyId),
        sellers.map((seller) => `${seller}-1`),
      );
      assert.ok(after.packages.every((item) => item.sellerPackageId !== undefined));
      assert.equal(after.buy?.status, 'active');
    },
  },
  {
    guarantee: 'a change stores its answer, and a change that throws changes nothing',
    async check({ store, ours }) {
      const draft = makeOperation(ours);
      const [leg] = draft.legs;
      await store.begin(ours, draft);
      const answered = await store.change(ours, leg!.id, (state) =>
        applyObservation(state, leg!.id, completed(leg!, `made-${leg!.id}`)),
      );
      // The purchase is a record beside the state.
      const { changes, ...after } = answered!;
      assert.deepEqual(
        changes?.map(({ action }) => action),
        ['create'],
      );
      assert.deepEqual(await store.changesOf(ours, draft.buy.id, 10), []);
      assert.deepEqual(await store.state(ours, draft.operation.id), after);
      await assert.rejects(() =>
        store.change(ours, leg!.id, () => {
          throw new Error('The decision failed.');
        }),
      );
      assert.deepEqual(await store.state(ours, draft.operation.id), after);
      assert.equal(await store.change(ours, randomUUID(), (state) => state), undefined);
    },
  },
  {
    guarantee: 'one buy of a seller belongs to one leg',
    async check({ store, ours }) {
      const connectionIds = { acme: randomUUID() };
      const drafts = [1, 2].map(() => makeOperation(ours, { sellers: ['acme'], connectionIds }));
      for (const draft of drafts) await store.begin(ours, draft);
      const settle = (index: number): Promise<OperationState | undefined> => {
        const leg = drafts[index]!.legs[0]!;
        return store.change(ours, leg.id, (state) => applyObservation(state, leg.id, completed(leg, 'same')));
      };
      await settle(0);
      await assert.rejects(() => settle(1));
      assert.equal((await store.leg(ours, drafts[1]!.legs[0]!.id))?.status, 'pending');
      const owner = await store.sellerBuyOf(ours, connectionIds.acme, 'same');
      assert.equal(owner?.legId, drafts[0]!.legs[0]!.id);
    },
  },
  {
    guarantee: 'the first answer to the buyer is never replaced',
    async check({ store, ours }) {
      const draft = makeOperation(ours);
      const { id } = draft.operation;
      await store.begin(ours, draft);
      await store.saveAnswer(ours, id, { status: 'completed', payload: { a: 1 } }, at);
      await store.saveAnswer(ours, id, { status: 'submitted' }, at);
      const kept = (await store.state(ours, id))?.operation.answer;
      assert.deepEqual(kept, { status: 'completed', payload: { a: 1 } });
    },
  },
  {
    guarantee: 'a package from an observation is stored after all others of the buy, and found with it',
    async check({ store, ours }) {
      const draft = makeOperation(ours, {});
      const [leg] = draft.legs;
      const [first] = draft.packages;
      await store.begin(ours, draft);
      const added: BuyPackage = {
        ...first!,
        id: randomUUID(),
        position: 7,
        productId: 'added',
        sellerPackageId: `added-${leg!.id}`,
        budgetMicros: 5_000_000n,
      };
      const seen = (state: OperationState): OperationState => ({
        ...state,
        packages: [...state.packages.map((item) => ({ ...item, pricingOptionId: 'told' })), added],
      });
      await store.change(ours, leg!.id, seen);
      const packages = (await store.mediaBuy(ours, draft.buy.id))?.packages ?? [];
      assert.deepEqual(
        packages.find(({ id }) => id === added.id),
        { ...added, position: draft.packages.length },
      );
      assert.equal(packages.find(({ id }) => id === first!.id)?.pricingOptionId, 'told');
      assert.equal(packages.length, draft.packages.length + 1);
    },
  },
];
