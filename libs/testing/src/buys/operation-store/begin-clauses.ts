import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { applyObservation, type OperationDraft } from '@switchyard/buys';
import { ownReach } from '@switchyard/tenancy';
import { draftedAt, makeOperation } from '../make-operation.js';
import { at, completed, oneLeg, see } from './observed-legs.js';
import type { OperationStoreClause } from './operation-store-clause.js';

/** Guarantees when an operation is stored, with its key and its account. */
export const beginClauses: readonly OperationStoreClause[] = [
  {
    guarantee: 'a draft is returned complete, to the last digit of its amounts',
    async check({ store, ours }) {
      const draft = makeOperation(ours, { idempotencyKey: randomUUID(), buyerRef: 'spring' });
      const { registrations: _elsewhere, ...state } = draft;
      assert.deepEqual(await store.begin(ours, draft), { kind: 'stored' });
      assert.deepEqual(await store.state(ours, draft.operation.id), state);
      assert.deepEqual(await store.leg(ours, draft.legs[0]!.id), draft.legs[0]);
      const { buy, legs, packages, sellerBuys } = draft;
      assert.deepEqual(await store.mediaBuy(ours, buy.id), { buy, legs, packages, sellerBuys });
    },
  },
  {
    guarantee: 'a draft with one invalid row leaves nothing behind',
    async check({ store, ours }) {
      const first = makeOperation(ours);
      await store.begin(ours, first);
      const key = randomUUID();
      const second = makeOperation(ours, { idempotencyKey: key });
      const broken = { ...second, packages: [...second.packages, first.packages[0]!] };
      await assert.rejects(() => store.begin(ours, broken));
      assert.equal(await store.byKey(ours, second.operation.principalId, key), undefined);
      assert.equal(await store.state(ours, second.operation.id), undefined);
      assert.equal(await store.leg(ours, second.legs[0]!.id), undefined);
      assert.equal(await store.mediaBuy(ours, second.buy.id), undefined);
    },
  },
  {
    guarantee: 'packages added to a buy come after its existing ones, in their order, with any positions',
    async check({ store, ours }) {
      const draft = makeOperation(ours, { sellers: ['acme'] });
      await store.begin(ours, draft);
      for (const places of [[0, 1], [7]]) {
        const more = makeOperation(ours, { sellers: ['acme'], principalId: draft.operation.principalId });
        const { buy: _stands, sellerBuys: _too, ...update } = more;
        const packages = places.map((position) => ({
          ...more.packages[0]!,
          id: randomUUID(),
          mediaBuyId: draft.buy.id,
          buyerRef: `joined ${position}`,
          position,
        }));
        const operation = { ...more.operation, mediaBuyId: draft.buy.id };
        const begun = await store.begin(ours, { ...update, operation, sellerBuys: [], packages });
        assert.deepEqual(begun, { kind: 'stored' });
      }
      const stored = (await store.mediaBuy(ours, draft.buy.id))?.packages;
      assert.deepEqual(
        stored?.map(({ position, buyerRef }) => [position, buyerRef]),
        [
          ...draft.packages.map(({ position, buyerRef }) => [position, buyerRef]),
          [2, 'joined 0'],
          [3, 'joined 1'],
          [4, 'joined 7'],
        ],
      );
    },
  },
  {
    guarantee: 'of ten simultaneous duplicates one is stored, and the others get its id',
    async check({ store, ours }) {
      const [principalId, idempotencyKey] = [randomUUID(), randomUUID()];
      const drafts = Array.from({ length: 10 }, () => makeOperation(ours, { principalId, idempotencyKey }));
      const begun = await Promise.all(drafts.map((draft) => store.begin(ours, draft)));
      const winner = drafts[begun.findIndex((candidate) => candidate.kind === 'stored')]!;
      assert.equal(begun.filter((candidate) => candidate.kind === 'stored').length, 1);
      for (const current of begun)
        if (current.kind === 'exists') assert.deepEqual(current.operation, winner.operation);
      for (const draft of drafts)
        assert.equal((await store.leg(ours, draft.legs[0]!.id)) !== undefined, draft === winner);
    },
  },
  {
    guarantee: 'a key belongs to one principal: another may use the same one, and finds only its own',
    async check({ store, ours }) {
      const idempotencyKey = randomUUID();
      const [one, two] = [makeOperation(ours, { idempotencyKey }), makeOperation(ours, { idempotencyKey })];
      for (const draft of [one, two]) assert.deepEqual(await store.begin(ours, draft), { kind: 'stored' });
      const found = await store.byKey(ours, two.operation.principalId, idempotencyKey);
      assert.equal(found?.id, two.operation.id);
      const { principalId } = one.operation;
      assert.equal(
        (await store.byTaskId(ours, ownReach(principalId), two.operation.taskId)) === undefined,
        true,
      );
      assert.equal(
        (await store.byTaskId(ours, ownReach(principalId), one.operation.taskId))?.operation.id,
        one.operation.id,
      );
    },
  },
  {
    guarantee: 'operations without a key never block each other',
    async check({ store, ours }) {
      const principalId = randomUUID();
      for (const draft of [makeOperation(ours, { principalId }), makeOperation(ours, { principalId })])
        assert.deepEqual(await store.begin(ours, draft), { kind: 'stored' });
    },
  },
  {
    guarantee:
      'an account has as many requests stored in each window as its limit, gets the time of the next one, and uses none of another',
    async check({ store, ours }) {
      const principalId = randomUUID();
      const [scope, another] = [randomUUID(), randomUUID()];
      const [burst, sustained] = [
        { windowMs: 10_000, most: 2 },
        { windowMs: 60_000, most: 3 },
      ];
      const send = (seconds: number, within = scope, idempotencyKey = randomUUID()) =>
        store.begin(ours, {
          ...makeOperation(ours, { principalId, idempotencyKey, createdAt: draftedAt + seconds * 1_000 }),
          budget: { scope: within, ceilings: [burst, sustained] },
        });
      const key = randomUUID();
      assert.deepEqual(await send(0, scope, key), { kind: 'stored' });
      assert.deepEqual(await send(4), { kind: 'stored' });
      const full = { kind: 'crowded', until: draftedAt + 10_000, ceiling: burst };
      const refusedKey = randomUUID();
      assert.deepEqual(await send(5, scope, refusedKey), full);
      // A refused request holds no key, and a copy of a stored one gets its result even in a full window.
      assert.equal(await store.byKey(ours, principalId, refusedKey), undefined);
      assert.equal((await send(5, scope, key)).kind, 'exists');
      assert.deepEqual(await send(5, another), { kind: 'stored' });
      assert.deepEqual(await send(10), { kind: 'stored' });
      assert.deepEqual(await send(21), {
        kind: 'crowded',
        until: draftedAt + 60_000,
        ceiling: sustained,
      });
      assert.deepEqual(await send(60), { kind: 'stored' });
      // Requests without a budget are never refused for their number.
      assert.deepEqual(await store.begin(ours, makeOperation(ours, { principalId })), { kind: 'stored' });
    },
  },
  {
    guarantee: 'a failed operation releases its key, unless its buyer was answered before it failed',
    async check({ store, ours }) {
      for (const isAnswered of [false, true]) {
        const key = randomUUID();
        const draft = makeOperation(ours, { sellers: ['acme'], idempotencyKey: key });
        const { principalId } = draft.operation;
        await store.begin(ours, draft);
        if (isAnswered) await store.saveAnswer(ours, draft.operation.id, { status: 'submitted' }, at);
        await see(store, ours, draft.legs[0]!, 'failed', {});
        assert.equal((await store.byKey(ours, principalId, key)) !== undefined, isAnswered);
        const again = makeOperation(ours, { sellers: ['acme'], idempotencyKey: key, principalId });
        assert.equal((await store.begin(ours, again)).kind, isAnswered ? 'exists' : 'stored');
      }
    },
  },
  {
    guarantee: 'an abandoned operation without legs releases its key; one that was answered keeps it',
    async check({ store, ours, theirs }) {
      const local = (idempotencyKey: string): OperationDraft => {
        const { operation } = makeOperation(ours, { idempotencyKey });
        return { operation, legs: [], registrations: [], sellerBuys: [], packages: [] };
      };
      const [given, answered] = [local(randomUUID()), local(randomUUID())];
      const withLegs = makeOperation(ours, { idempotencyKey: randomUUID() });
      for (const draft of [given, answered, withLegs]) await store.begin(ours, draft);
      await store.saveAnswer(ours, answered.operation.id, { status: 'completed' }, draftedAt + 1);
      const holder = async ({ operation }: OperationDraft): Promise<string | undefined> =>
        (await store.byKey(ours, operation.principalId, operation.idempotencyKey!))?.id;
      await store.abandon(theirs, given.operation.id, draftedAt + 2);
      assert.equal(await holder(given), given.operation.id);
      for (const { operation } of [given, answered, withLegs])
        await store.abandon(ours, operation.id, draftedAt + 2);
      assert.equal(await holder(given), undefined);
      const ended = (await store.state(ours, given.operation.id))?.operation;
      assert.deepEqual([ended?.status, ended?.settledAt], ['failed', draftedAt + 2]);
      for (const draft of [answered, withLegs]) assert.equal(await holder(draft), draft.operation.id);
    },
  },
  {
    guarantee: 'a seller’s text is stored with any characters',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      const odd = 'a\u0000b \ud800 \udc00 \ud83d\ude00';
      const seen = completed(leg, `made-${leg.id}-\u0000`);
      const payload = { ...seen.reply.payload, message: odd, ['key\u0000']: { deep: [odd] } };
      const errors = [{ code: 'ODD\u0000', message: odd, details: { odd } }];
      const reply = { ...seen.reply, payload, errors, taskId: odd, contextId: odd };
      const after = await store.change(ours, leg.id, (state) =>
        applyObservation(state, leg.id, { ...seen, reply, a2aTaskId: odd }),
      );
      assert.ok(after !== undefined);
      const stored = await store.leg(ours, leg.id);
      assert.equal(stored?.status, 'completed');
      assert.match(JSON.stringify(stored.answer), /\ud83d\ude00/);
      assert.equal(await store.sellerBuyOf(ours, leg.connectionId, 'nobody\u0000'), undefined);
      assert.ok((await store.sellerBuyOf(ours, leg.connectionId, `made-${leg.id}-\u0000`)) !== undefined);
      assert.deepEqual(await store.mediaBuys(ours, { ids: ['\u0000'], limit: 1 }), []);
    },
  },
];
