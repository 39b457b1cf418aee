import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import {
  foldObservation,
  type BuyPackage,
  type Leg,
  type LegObservation,
  type Offer,
  type OperationState,
  type OperationStore,
  type Proposal,
  type ProposalQuote,
  type Quote,
} from '@switchyard/buys';
import type { TaskStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { draftedAt, makeOperation } from './make-operation.js';

export interface OperationStoreSubject {
  readonly store: OperationStore;
  /** Two organizations that exist. */
  readonly ours: TenantScope;
  readonly theirs: TenantScope;
}

export interface OperationStoreClause {
  readonly guarantee: string;
  /** Throws when it does not hold. Makes its own rows, so clauses may share a database. */
  readonly check: (subject: OperationStoreSubject) => Promise<void>;
}

const at = draftedAt + 1_000;

/** What every store of operations must do: the real one runs it on PostgreSQL, the twin in memory. */
export const operationStoreContract: readonly OperationStoreClause[] = [
  {
    guarantee:
      'an operation keeps each state that it came into, with its time, and the session it was put into',
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
    guarantee: 'a draft comes back whole, to the last digit of its amounts',
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
    guarantee: 'a draft of which one row cannot be stored leaves nothing behind',
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
    guarantee: 'of ten simultaneous twins one is stored, and the others are told which',
    async check({ store, ours }) {
      const [principalId, idempotencyKey] = [randomUUID(), randomUUID()];
      const drafts = Array.from({ length: 10 }, () => makeOperation(ours, { principalId, idempotencyKey }));
      const begun = await Promise.all(drafts.map((draft) => store.begin(ours, draft)));
      const winner = drafts[begun.findIndex((one) => one.kind === 'stored')]!;
      assert.equal(begun.filter((one) => one.kind === 'stored').length, 1);
      for (const one of begun) if (one.kind === 'exists') assert.deepEqual(one.operation, winner.operation);
      for (const draft of drafts)
        assert.equal((await store.leg(ours, draft.legs[0]!.id)) !== undefined, draft === winner);
    },
  },
  {
    guarantee: 'a key is one principal’s: another may use the same one, and finds only its own',
    async check({ store, ours }) {
      const idempotencyKey = randomUUID();
      const [one, two] = [makeOperation(ours, { idempotencyKey }), makeOperation(ours, { idempotencyKey })];
      for (const draft of [one, two]) assert.deepEqual(await store.begin(ours, draft), { kind: 'stored' });
      const found = await store.byKey(ours, two.operation.principalId, idempotencyKey);
      assert.equal(found?.id, two.operation.id);
      const { principalId } = one.operation;
      assert.equal((await store.byTaskId(ours, principalId, two.operation.taskId)) === undefined, true);
      assert.equal(
        (await store.byTaskId(ours, principalId, one.operation.taskId))?.operation.id,
        one.operation.id,
      );
    },
  },
  {
    guarantee: 'operations without a key never stand in each other’s way',
    async check({ store, ours }) {
      const principalId = randomUUID();
      for (const draft of [makeOperation(ours, { principalId }), makeOperation(ours, { principalId })])
        assert.deepEqual(await store.begin(ours, draft), { kind: 'stored' });
    },
  },
  {
    guarantee:
      'an account has as many requests stored within each window as it may, is told when the next has a place, and takes no place from another',
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
      // What was refused holds no key, and a twin of what was stored is told so in a full window as well.
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
      // Requests that are counted with none are never too many.
      assert.deepEqual(await store.begin(ours, makeOperation(ours, { principalId })), { kind: 'stored' });
    },
  },
  {
    guarantee: 'of many who want a leg one gets it, until the lease is over',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      const taken = await Promise.all(
        Array.from({ length: 8 }, () => store.takeLeg(ours, leg.id, at, at + 100)),
      );
      const got = taken.filter((one) => one !== undefined);
      assert.equal(got.length, 1);
      assert.equal(got[0]?.status, 'sent');
      assert.equal(got[0].attempts, 1);
      assert.equal(got[0].sentAt, at);
      assert.equal(got[0].outbound, leg.outbound);
      assert.equal(await store.takeLeg(ours, leg.id, at + 99, at + 200), undefined);
      assert.equal((await store.takeLeg(ours, leg.id, at + 100, at + 200))?.attempts, 2);
    },
  },
  {
    guarantee: 'a leg that is given back may be taken at once, and is due when it was said to be',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      await store.takeLeg(ours, leg.id, at, at + 100);
      await store.releaseLeg(ours, leg.id, at + 50);
      assert.equal(await isDue(store, ours, leg, at + 49), false);
      assert.equal(await isDue(store, ours, leg, at + 50), true);
      assert.equal((await store.takeLeg(ours, leg.id, at + 1, at + 100))?.attempts, 2);
      assert.equal(await isDue(store, ours, leg, at + 99), false);
      assert.equal(await isDue(store, ours, leg, at + 100), true);
    },
  },
  {
    guarantee: 'a leg that its seller has answered is taken by nobody, and due again when it is polled',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      await store.takeLeg(ours, leg.id, at, at + 100);
      await see(store, ours, leg, 'submitted', { task_id: 't1' });
      assert.equal(await store.takeLeg(ours, leg.id, at + 500, at + 600), undefined);
      const known = await store.leg(ours, leg.id);
      assert.equal(known?.status, 'submitted');
      assert.equal(await isDue(store, ours, leg, known.nextPollAt! - 1), false);
      assert.equal(await isDue(store, ours, leg, known.nextPollAt!), true);
    },
  },
  {
    guarantee: 'a parked leg waits for a person, with the reason; one that has answered is not parked',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      await store.takeLeg(ours, leg.id, at, at + 100);
      await store.parkLeg(ours, leg.id, 'Nobody can tell.', at + 10);
      const parked = await store.leg(ours, leg.id);
      assert.equal(parked?.status, 'parked');
      assert.deepEqual(parked.findings.at(-1), { code: 'LEG_PARKED', message: 'Nobody can tell.' });
      assert.equal(await isDue(store, ours, leg, at + 1_000_000), false);
      assert.equal(await store.takeLeg(ours, leg.id, at + 1_000_000, at + 1_000_001), undefined);
      await see(store, ours, leg, 'failed', {});
      await store.parkLeg(ours, leg.id, 'Too late.', at + 20);
      assert.equal((await store.leg(ours, leg.id))?.status, 'failed');
    },
  },
  {
    guarantee:
      'two observations of two legs at once are one after the other: the last one settles the operation',
    async check({ store, ours }) {
      const sellers = ['acme', 'bravo', 'cargo', 'delta'];
      const draft = makeOperation(ours, { sellers, idempotencyKey: randomUUID() });
      await store.begin(ours, draft);
      const seen: (readonly string[])[] = [];
      await Promise.all(
        draft.legs.map((leg) =>
          store.change(ours, leg.id, (state) => {
            seen.push(state.legs.filter((one) => one.status === 'completed').map((one) => one.seller));
            return foldObservation(state, leg.id, completed(leg, `${leg.seller}-1`));
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
    guarantee: 'a change stores what it answers, and a change that throws changes nothing',
    async check({ store, ours }) {
      const draft = makeOperation(ours);
      const [leg] = draft.legs;
      await store.begin(ours, draft);
      const answered = await store.change(ours, leg!.id, (state) =>
        foldObservation(state, leg!.id, completed(leg!, `made-${leg!.id}`)),
      );
      // That it was bought is a record beside the state.
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
        return store.change(ours, leg.id, (state) => foldObservation(state, leg.id, completed(leg, 'same')));
      };
      await settle(0);
      await assert.rejects(() => settle(1));
      assert.equal((await store.leg(ours, drafts[1]!.legs[0]!.id))?.status, 'pending');
      const owner = await store.sellerBuyOf(ours, connectionIds.acme, 'same');
      assert.equal(owner?.legId, drafts[0]!.legs[0]!.id);
    },
  },
  {
    guarantee: 'a failed operation gives its key free, unless its buyer was answered before it failed',
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
    guarantee: 'the answer that the buyer was given first is the one that stays',
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
    guarantee: 'due legs come oldest first, and no more than were asked for',
    async check({ store, ours }) {
      // Long before everything else here, so that other clauses of a shared database are not in the way.
      const long = draftedAt - 1_000_000;
      const drafts = [300, 100, 200].map((age) =>
        makeOperation(ours, { sellers: ['acme'], createdAt: long + age }),
      );
      for (const draft of drafts) await store.begin(ours, draft);
      const wanted = [drafts[1]!, drafts[2]!, drafts[0]!].map((draft) => draft.legs[0]!.id);
      const due = await store.dueLegs(ours, long + 300, 10);
      assert.deepEqual(
        due.map(({ id }) => id),
        wanted,
      );
      assert.equal((await store.dueLegs(ours, long + 300, 2)).length, 2);
      assert.equal((await store.dueLegs(ours, long + 99, 10)).length, 0);
      for (const draft of drafts) await see(store, ours, draft.legs[0]!, 'failed', {});
    },
  },
  {
    guarantee: 'media buys are found by principal, id and reference, newest first',
    async check({ store, ours }) {
      const principalId = randomUUID();
      const ref = randomUUID();
      const drafts = [1, 2, 3].map((age) =>
        makeOperation(ours, {
          principalId,
          createdAt: draftedAt + age,
          ...(age === 2 ? { buyerRef: ref } : {}),
        }),
      );
      for (const draft of drafts) await store.begin(ours, draft);
      const idsOf = async (filter: Parameters<OperationStore['mediaBuys']>[1]): Promise<string[]> =>
        (await store.mediaBuys(ours, filter)).map(({ buy }) => buy.id);
      const [one, two, three] = drafts.map(({ buy }) => buy.id);
      assert.deepEqual(await idsOf({ principalId, limit: 10 }), [three, two, one]);
      assert.deepEqual(await idsOf({ principalId, limit: 1 }), [three]);
      assert.deepEqual(await idsOf({ principalId, ids: [one!], limit: 10 }), [one]);
      assert.deepEqual(await idsOf({ principalId, buyerRefs: [ref], limit: 10 }), [two]);
      assert.deepEqual(await idsOf({ principalId, ids: [one!], buyerRefs: [ref], limit: 10 }), [two, one]);
      assert.deepEqual(await idsOf({ principalId: randomUUID(), ids: [one!], limit: 10 }), []);
      const after = { madeAt: draftedAt + 3, id: three! };
      assert.deepEqual(await idsOf({ principalId, limit: 1, after }), [two]);
      // Ids of buys that were made at once tell which of them comes first.
      assert.deepEqual(await idsOf({ principalId, limit: 2, after: { ...after, id: 'a' } }), [three, two]);
      const account = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
      assert.deepEqual(await idsOf({ principalId, limit: 10, account }), [three, two, one]);
      for (const other of [{ brandDomain: 'b' }, { brandId: 'b' }, { operator: 'b' }])
        assert.deepEqual(await idsOf({ principalId, limit: 10, account: { ...account, ...other } }), []);
      for (const leg of drafts[1]!.legs) await see(store, ours, leg, 'failed', {});
      // What drops out of a list between two of its pages takes nothing else with it.
      assert.deepEqual(await idsOf({ principalId, limit: 1, isOpen: true, after }), [one]);
      assert.deepEqual(await idsOf({ principalId, limit: 10, isOpen: true }), [three, one]);
    },
  },
  {
    guarantee: 'what a stranger says is stored whatever characters it holds',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      const odd = 'a\u0000b \ud800 \udc00 \ud83d\ude00';
      const seen = completed(leg, `made-${leg.id}-\u0000`);
      const payload = { ...seen.reply.payload, message: odd, ['key\u0000']: { deep: [odd] } };
      const errors = [{ code: 'ODD\u0000', message: odd, details: { odd } }];
      const reply = { ...seen.reply, payload, errors, taskId: odd, contextId: odd };
      const after = await store.change(ours, leg.id, (state) =>
        foldObservation(state, leg.id, { ...seen, reply, a2aTaskId: odd }),
      );
      assert.ok(after !== undefined);
      const kept = await store.leg(ours, leg.id);
      assert.equal(kept?.status, 'completed');
      assert.match(JSON.stringify(kept.answer), /\ud83d\ude00/);
      assert.equal(await store.sellerBuyOf(ours, leg.connectionId, 'nobody\u0000'), undefined);
      assert.ok((await store.sellerBuyOf(ours, leg.connectionId, `made-${leg.id}-\u0000`)) !== undefined);
      assert.deepEqual(await store.mediaBuys(ours, { ids: ['\u0000'], limit: 1 }), []);
    },
  },
  {
    guarantee: 'the newest quote of a product is kept, also where one answer names it twice',
    async check({ store, ours }) {
      const connectionId = randomUUID();
      const seller = `s-${connectionId.slice(0, 8)}`;
      const quote = (productId: string, name: string): Offer => ({
        seller,
        productId,
        name,
        pricingOptions: [{ pricingOptionId: 'cpm', model: 'cpm', currency: 'USD', auction: false }],
        reportingFrequencies: ['daily'],
        offeredAt: at,
      });
      const over = (offer: Offer): Quote => ({ connectionId, offer });
      await store.saveOffers(ours, [over(quote('a', 'old')), over(quote('b', 'only'))]);
      await store.saveOffers(ours, [over(quote('a', 'newer')), over(quote('a', 'newest'))]);
      await store.saveOffers(ours, []);
      const found = await store.offers(ours, [`${seller}:a`, `${seller}:b`, `${seller}:c`, 'no-prefix']);
      assert.deepEqual(
        [...found].sort(([a], [b]) => (a < b ? -1 : 1)),
        [
          [`${seller}:a`, quote('a', 'newest')],
          [`${seller}:b`, quote('b', 'only')],
        ],
      );
    },
  },
  {
    guarantee: 'the newest word on a proposal is kept, for the organization that it was made to alone',
    async check({ store, ours, theirs }) {
      const connectionId = randomUUID();
      const seller = `s-${connectionId.slice(0, 8)}`;
      const plan = (proposalId: string, name: string, isDraft: boolean): Proposal => ({
        seller,
        proposalId,
        name,
        isDraft,
        allocations: [
          { productId: 'ctv', pricingOptionId: 'cpm', percentage: '33.3333' },
          { productId: 'olv', percentage: '66.6667', startTime: '2027-01-01T00:00:00Z' },
        ],
        insertionOrder: { ioId: 'io:1', requiresSignature: true },
        guidance: { min: '10.5', currency: 'USD' },
        expiresAt: at + 1_000,
        proposedAt: at,
      });
      const over = (proposal: Proposal): ProposalQuote => ({ connectionId, proposal });
      const [a, b] = [`${seller}:a`, `${seller}:b`];
      await store.saveProposals(ours, [over(plan('a', 'A', true)), over(plan('b', 'B', false))]);
      await store.saveProposals(ours, [over(plan('a', 'A', true)), over(plan('a', 'A, firm', false))]);
      await store.saveProposals(ours, []);
      const found = await store.proposals(ours, [a, b, `${seller}:c`, 'no-prefix', `${seller}:\u0000`]);
      assert.deepEqual(
        [...found].sort(([one], [other]) => (one < other ? -1 : 1)),
        [
          [a, plan('a', 'A, firm', false)],
          [b, plan('b', 'B', false)],
        ],
      );
      assert.equal((await store.proposals(theirs, [a, b])).size, 0);
    },
  },
  {
    guarantee: 'a package that an observation brings is stored, and found with the buy',
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
        added,
      );
      assert.equal(packages.find(({ id }) => id === first!.id)?.pricingOptionId, 'told');
      assert.equal(packages.length, draft.packages.length + 1);
    },
  },
  {
    guarantee: 'another organization sees, takes and changes nothing of it',
    async check({ store, ours, theirs }) {
      const key = randomUUID();
      const draft = makeOperation(ours, { idempotencyKey: key });
      const [leg] = draft.legs;
      const { operation, buy } = draft;
      await store.begin(ours, draft);
      const before = await store.state(ours, operation.id);
      assert.equal(await store.state(theirs, operation.id), undefined);
      assert.equal(await store.byKey(theirs, operation.principalId, key), undefined);
      assert.equal(await store.byTaskId(theirs, operation.principalId, operation.taskId), undefined);
      assert.equal(await store.leg(theirs, leg!.id), undefined);
      assert.equal(await store.mediaBuy(theirs, buy.id), undefined);
      assert.deepEqual(await store.mediaBuys(theirs, { ids: [buy.id], limit: 10 }), []);
      assert.equal(await store.takeLeg(theirs, leg!.id, at, at + 1), undefined);
      assert.equal(await isDue(store, theirs, leg!, at), false);
      await store.releaseLeg(theirs, leg!.id, at + 5_000);
      await store.parkLeg(theirs, leg!.id, 'Not yours.', at);
      await store.saveAnswer(theirs, operation.id, { status: 'completed' }, at);
      assert.equal(await store.change(theirs, leg!.id, (state) => ({ ...state })), undefined);
      await assert.rejects(() => store.begin(theirs, makeOperation(ours)));
      assert.deepEqual(await store.state(ours, operation.id), before);
    },
  },
];

async function oneLeg(store: OperationStore, scope: TenantScope): Promise<Leg> {
  const draft = makeOperation(scope, { sellers: ['acme'] });
  await store.begin(scope, draft);
  return draft.legs[0]!;
}

async function isDue(store: OperationStore, scope: TenantScope, leg: Leg, now: number): Promise<boolean> {
  return (await store.dueLegs(scope, now, 10_000)).some(({ id }) => id === leg.id);
}

async function see(
  store: OperationStore,
  scope: TenantScope,
  leg: Leg,
  status: TaskStatus,
  payload: LegObservation['reply']['payload'],
): Promise<void> {
  const reply = { status, payload, replayed: false, errors: [] };
  await store.change(scope, leg.id, (state) =>
    foldObservation(state, leg.id, { source: 'inline', at, reply }),
  );
}

/** What a seller answers when it has made its buy, packages in our order. */
function completed(leg: Leg, mediaBuyId: string): LegObservation {
  const packages = [0, 1].map((index) => ({ package_id: `${leg.seller}-p${index}`, product_id: 'ctv' }));
  const payload = { media_buy_id: mediaBuyId, media_buy_status: 'active', confirmed_at: null, packages };
  return {
    source: 'inline',
    at,
    elapsedMs: 12,
    reply: { status: 'completed', payload, replayed: false, errors: [] },
  };
}
