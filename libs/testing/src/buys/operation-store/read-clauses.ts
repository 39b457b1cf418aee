import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import {
  waitsForApproval,
  type BuyFilter,
  type Offer,
  type OperationStore,
  type Proposal,
  type ProposalQuote,
  type Quote,
} from '@switchyard/buys';
import { ownReach, type Reach } from '@switchyard/tenancy';
import { draftedAt, makeOperation } from '../make-operation.js';
import { at, isDue, see } from './observed-legs.js';
import type { OperationStoreClause } from './operation-store-clause.js';

/** Guarantees of reads: who finds buys, quotes and proposals. */
export const readClauses: readonly OperationStoreClause[] = [
  {
    guarantee: 'media buys, their tasks and their legs are found only within a reach, of any width',
    async check({ store, ours }) {
      const [clientId, campaignId, principalId] = [randomUUID(), randomUUID(), randomUUID()];
      const brandDomain = `${clientId}.example`;
      const belong = [{ clientId, brandDomain: 'a.example' }, { brandDomain }, { campaignId }, {}];
      const drafts = belong.map((item, index) => {
        const wanted = { createdAt: at + index, ...(index === 3 && { principalId }) };
        const { operation, buy, ...draft } = makeOperation(ours, wanted);
        return { ...draft, operation: { ...operation, ...item }, buy: { ...buy, ...item } };
      });
      for (const draft of drafts) assert.deepEqual(await store.begin(ours, draft), { kind: 'stored' });
      const [ofClient, ofBrand, ofCampaign, own] = drafts.map(({ buy }) => buy.id);
      const none = { kind: 'limited', clientIds: [], brandDomains: [], campaignIds: [] } as const;
      const others = Array.from({ length: 40 }, (_each, index) => `${index}.example`);
      const idsIn = async (reach: Reach, more: Partial<BuyFilter> = {}) =>
        (await store.mediaBuys(ours, { reach, limit: 50, ...more })).map(({ buy }) => buy.id);
      const all = { ...none, principalId, clientIds: [clientId], campaignIds: [campaignId] };
      for (const more of [[], others]) {
        const reach = { ...all, brandDomains: [brandDomain, 'a.example', ...more] };
        assert.deepEqual(await idsIn(reach), [own, ofCampaign, ofBrand, ofClient]);
        assert.deepEqual(await idsIn(reach, { limit: 2 }), [own, ofCampaign]);
        const after = { madeAt: at + 2, id: ofCampaign! };
        assert.deepEqual(await idsIn(reach, { limit: 1, after }), [ofBrand]);
        assert.deepEqual(await idsIn(reach, { limit: 2, sort: 'oldest' }), [ofClient, ofBrand]);
        assert.deepEqual(await idsIn(reach, { limit: 1, sort: 'oldest', after }), [own]);
        assert.deepEqual(await idsIn(reach, { campaignId: null, clientId }), [ofClient]);
        assert.deepEqual(await idsIn(reach, { campaignId, since: at + 2, until: at + 3 }), [ofCampaign]);
        assert.deepEqual(await idsIn(reach, { statuses: ['canceled'] }), []);
      }
      assert.deepEqual(await idsIn(none), []);
      assert.deepEqual(await idsIn({ ...none, brandDomains: [brandDomain] }, { ids: [own!, ofBrand!] }), [
        ofBrand,
      ]);
      const [first] = drafts;
      const inside = { ...none, clientIds: [clientId] };
      const outside = { ...none, clientIds: [randomUUID()] };
      for (const [reach, isFound] of [
        [inside, true],
        [outside, false],
        [none, false],
      ] as const) {
        const { operation, legs } = first!;
        assert.equal((await store.byTaskId(ours, reach, operation.taskId)) !== undefined, isFound);
        assert.equal((await store.leg(ours, legs[0]!.id, reach)) !== undefined, isFound);
      }
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
      // Buys of the same time are ordered by their ids.
      assert.deepEqual(await idsOf({ principalId, limit: 2, after: { ...after, id: 'a' } }), [three, two]);
      const oldest = { principalId, limit: 2, sort: 'oldest' } as const;
      assert.deepEqual(await idsOf(oldest), [one, two]);
      assert.deepEqual(await idsOf({ ...oldest, after: { madeAt: draftedAt + 2, id: two! } }), [three]);
      assert.deepEqual(await idsOf({ ...oldest, after: { ...after, id: 'zz' } }), [three]);
      const account = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
      assert.deepEqual(await idsOf({ principalId, limit: 10, account }), [three, two, one]);
      for (const other of [{ brandDomain: 'b' }, { brandId: 'b' }, { operator: 'b' }])
        assert.deepEqual(await idsOf({ principalId, limit: 10, account: { ...account, ...other } }), []);
      for (const leg of drafts[1]!.legs) await see(store, ours, leg, 'failed', {});
      // A row that leaves a list between two of its pages does not hide others.
      assert.deepEqual(await idsOf({ principalId, limit: 1, isOpen: true, after }), [one]);
      assert.deepEqual(await idsOf({ principalId, limit: 10, isOpen: true }), [three, one]);
    },
  },
  {
    guarantee: 'a buy that waits for an approval is not among those that wait for their start',
    async check({ store, ours }) {
      const principalId = randomUUID();
      const [held, sent] = [1, 2].map((age) => {
        const draft = makeOperation(ours, { principalId, createdAt: draftedAt + age });
        if (age === 2) return draft;
        const findings = [{ code: waitsForApproval, message: 'It is over a limit.' }];
        return { ...draft, legs: draft.legs.map((leg) => ({ ...leg, status: 'held' as const, findings })) };
      });
      for (const draft of [held!, sent!]) await store.begin(ours, draft);
      const idsOf = async (...shownAs: string[]): Promise<string[]> =>
        (await store.mediaBuys(ours, { principalId, shownAs, limit: 10 })).map(({ buy }) => buy.id);
      assert.deepEqual(await idsOf('pending_approval'), [held!.buy.id]);
      assert.deepEqual(await idsOf('pending_start'), [sent!.buy.id]);
      assert.deepEqual(await idsOf('pending_start', 'pending_approval'), [sent!.buy.id, held!.buy.id]);
    },
  },
  {
    guarantee: 'buys are found by their flight, also if a seller reported another flight for its part',
    async check({ store, ours }) {
      const principalId = randomUUID();
      const draft = (age: number, startTime: string, endTime: string) => {
        const { buy, ...made } = makeOperation(ours, { principalId, createdAt: draftedAt + age });
        return { ...made, buy: { ...buy, startTime, endTime } };
      };
      const may = draft(1, '2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z');
      const june = draft(2, '2026-06-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z');
      const late = draft(3, '2026-05-01T00:00:00Z', '2026-05-10T00:00:00Z');
      // In UTC it runs on the last day of May alone, and in June as the text is written.
      const away = draft(4, '2026-06-01T00:00:00+12:00', '2026-06-01T06:00:00+12:00');
      const [first, ...parts] = late.sellerBuys;
      const sellerBuys = [{ ...first!, reported: { endTime: '2026-06-10T00:00:00Z' } }, ...parts];
      for (const item of [may, june, { ...late, sellerBuys }, away]) await store.begin(ours, item);
      const idsOf = async (after?: string, before?: string): Promise<string[]> => {
        const runs = {
          ...(after && { runsAfter: Date.parse(after) }),
          ...(before && { runsBefore: Date.parse(before) }),
        };
        return (await store.mediaBuys(ours, { principalId, limit: 10, ...runs })).map(({ buy }) => buy.id);
      };
      assert.deepEqual(await idsOf('2026-05-01', '2026-06-01'), [away.buy.id, late.buy.id, may.buy.id]);
      assert.deepEqual(await idsOf('2026-06-01', '2026-07-01'), [late.buy.id, june.buy.id]);
      assert.deepEqual(await idsOf('2026-06-10'), [june.buy.id]);
      assert.deepEqual(await idsOf('2026-07-01'), []);
      assert.deepEqual(await idsOf(undefined, '2026-05-01'), []);
      assert.deepEqual(await idsOf('2026-05-20', '2026-05-21'), [late.buy.id, may.buy.id]);
    },
  },
  {
    guarantee: 'the newest quote of a product is stored, also if one answer names it twice',
    async check({ store, ours }) {
      const connectionId = randomUUID();
      const seller = `s-${connectionId.slice(0, 8)}`;
      const quote = (productId: string, name: string, offeredAt = at): Offer => ({
        seller,
        productId,
        name,
        pricingOptions: [{ pricingOptionId: 'cpm', model: 'cpm', currency: 'USD', auction: false }],
        reportingFrequencies: ['daily'],
        offeredAt,
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
      // A late answer, and a read that was repeated before it came.
      await store.saveOffers(ours, [over(quote('a', 'slow', at - 1)), over(quote('b', 'next', at + 1))]);
      await store.saveOffers(ours, [over(quote('b', 'last', at + 9)), over(quote('b', 'slow', at + 2))]);
      const stored = await store.offers(ours, [`${seller}:a`, `${seller}:b`]);
      assert.deepEqual(stored.get(`${seller}:a`)?.name, 'newest');
      assert.deepEqual(stored.get(`${seller}:b`)?.name, 'last');
      // A repeated quote is the newest again, to the minute.
      await store.saveOffers(ours, [over(quote('b', 'last', at + 60_009))]);
      await store.saveOffers(ours, [over(quote('b', 'slow', at + 60_000))]);
      assert.deepEqual((await store.offers(ours, [`${seller}:b`])).get(`${seller}:b`)?.name, 'last');
    },
  },
  {
    guarantee: 'the newest report of a proposal is stored, only for the organization that received it',
    async check({ store, ours, theirs }) {
      const connectionId = randomUUID();
      const seller = `s-${connectionId.slice(0, 8)}`;
      const plan = (proposalId: string, name: string, isDraft: boolean, proposedAt = at): Proposal => ({
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
        proposedAt,
      });
      const over = (proposal: Proposal): ProposalQuote => ({ connectionId, proposal });
      const [a, b] = [`${seller}:a`, `${seller}:b`];
      await store.saveProposals(ours, [over(plan('a', 'A', true)), over(plan('b', 'B', false))]);
      await store.saveProposals(ours, [over(plan('a', 'A', true)), over(plan('a', 'A, firm', false))]);
      await store.saveProposals(ours, []);
      const found = await store.proposals(ours, [a, b, `${seller}:c`, 'no-prefix', `${seller}:\u0000`]);
      assert.deepEqual(
        [...found].sort(([text], [other]) => (text < other ? -1 : 1)),
        [
          [a, plan('a', 'A, firm', false)],
          [b, plan('b', 'B', false)],
        ],
      );
      assert.equal((await store.proposals(theirs, [a, b])).size, 0);
      // A late answer has an older time, so it changes nothing.
      await store.saveProposals(ours, [over(plan('a', 'A, slow', true, at - 1))]);
      await store.saveProposals(ours, [
        over(plan('b', 'B, last', false, at + 9)),
        over(plan('b', 'B, slow', false, at + 2)),
      ]);
      const stored = await store.proposals(ours, [a, b]);
      assert.deepEqual([stored.get(a)?.name, stored.get(b)?.name], ['A, firm', 'B, last']);
    },
  },
  {
    guarantee: 'a leg is found for the principal of its operation, and for no other',
    async check({ store, ours }) {
      const draft = makeOperation(ours);
      const [leg] = draft.legs;
      await store.begin(ours, draft);
      const { principalId } = draft.operation;
      assert.equal((await store.leg(ours, leg!.id, ownReach(principalId)))?.id, leg!.id);
      assert.equal(await store.leg(ours, leg!.id, ownReach(randomUUID())), undefined);
    },
  },
  {
    guarantee: 'another organization cannot see, claim or change anything of it',
    async check({ store, ours, theirs }) {
      const key = randomUUID();
      const draft = makeOperation(ours, { idempotencyKey: key });
      const [leg] = draft.legs;
      const { operation, buy } = draft;
      await store.begin(ours, draft);
      const before = await store.state(ours, operation.id);
      assert.equal(await store.state(theirs, operation.id), undefined);
      assert.equal(await store.byKey(theirs, operation.principalId, key), undefined);
      assert.equal(await store.byTaskId(theirs, { kind: 'everything' }, operation.taskId), undefined);
      assert.equal(await store.leg(theirs, leg!.id), undefined);
      assert.equal(await store.mediaBuy(theirs, buy.id), undefined);
      assert.deepEqual(await store.mediaBuys(theirs, { ids: [buy.id], limit: 10 }), []);
      assert.equal(await store.takeLeg(theirs, leg!.id, at, at + 1), undefined);
      assert.equal(await isDue(store, theirs, leg!, at), false);
      await store.releaseLeg(theirs, leg!, at + 5_000);
      await store.parkLeg(theirs, leg!.id, 'Not yours.', at);
      await store.saveAnswer(theirs, operation.id, { status: 'completed' }, at);
      assert.equal(await store.change(theirs, leg!.id, (state) => ({ ...state })), undefined);
      await assert.rejects(() => store.begin(theirs, makeOperation(ours)));
      assert.deepEqual(await store.state(ours, operation.id), before);
    },
  },
];
