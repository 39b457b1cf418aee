import {
  flightAtSeller,
  isMadeOrMayBe,
  shownStatus,
  type BuyFilter,
  type Elsewhere,
  type MediaBuy,
  type OperationStore,
  type SellerBuy,
} from '@switchyard/buys';
import { isBuyOver } from '@switchyard/protocol';
import { isInReach, type TenantScope } from '@switchyard/tenancy';
import {
  copyOf,
  countInsert,
  crowding,
  emptyRows,
  guardBuy,
  holderOf,
  isOfAccount,
  joined,
  storeDecision,
  legOf,
  recordOf,
  stateOf,
  type Rows,
} from './memory-operation-rows.js';

export interface MemoryOperationStore extends OperationStore {
  /** The stored rows of one tenant. */
  rowsOf(scope: TenantScope): Rows;
  /** Sets whether other tenants hold each buy of every seller. Default: `own`. */
  nowElsewhere(word: Elsewhere): void;
}

const unfinished = new Set(['pending', 'sent', 'submitted', 'working', 'input-required', 'auth-required']);

const sellerBuyNamed = ({ sellerBuys }: Rows, connectionId: string, id: string): SellerBuy | undefined =>
  [...sellerBuys.values()].find((item) => item.connectionId === connectionId && item.sellerMediaBuyId === id);

/** The buys' tables in memory, by tenant. It passes the same contract suite as the store. */
export function memoryOperationStore(): MemoryOperationStore {
  const tenants = new Map<string, Rows>();
  const others: { word: Elsewhere } = { word: 'own' };
  const rowsOf = ({ organizationId }: TenantScope): Rows => {
    const known = tenants.get(organizationId) ?? emptyRows();
    tenants.set(organizationId, known);
    return known;
  };
  // Arguments and results are copied, as a database does, so that no caller can change a row.
  const answer = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    return copyOf(work());
  };
  return {
    rowsOf,
    nowElsewhere: (word) => {
      others.word = word;
    },
    begin: (scope, given) =>
      answer(() => {
        const draft = copyOf(given);
        const rows = rowsOf(scope);
        const { operation } = draft;
        const duplicate = holderOf(rows, operation.principalId, operation.idempotencyKey);
        if (duplicate !== undefined) return { kind: 'exists' as const, operation: duplicate };
        const halted = guardBuy(rows, draft.guard);
        if (halted !== undefined) return halted;
        const crowded = crowding(rows, draft.budget, operation.createdAt);
        if (crowded !== undefined) return crowded;
        for (const { organizationId } of [operation, ...draft.legs, ...(draft.buy ? [draft.buy] : [])])
          if (organizationId !== scope.organizationId) throw new Error('A row of another organization.');
        const ids = [...draft.legs, ...draft.sellerBuys, ...draft.packages].map(({ id }) => id);
        const known = [...rows.legs.keys(), ...rows.sellerBuys.keys(), ...rows.packages.keys()];
        if (new Set([...ids, ...known]).size < ids.length + known.length) throw new Error('A row is twice.');
        rows.operations.set(operation.id, operation);
        countInsert(rows, draft.budget, operation.createdAt);
        for (const leg of draft.legs)
          rows.legs.set(leg.id, { ...leg, nextPollAt: leg.nextPollAt ?? leg.createdAt });
        if (draft.buy !== undefined) rows.buys.set(draft.buy.id, draft.buy);
        for (const item of draft.sellerBuys) rows.sellerBuys.set(item.id, item);
        const packages = draft.buy === undefined ? joined(rows, draft.packages) : draft.packages;
        for (const item of packages) rows.packages.set(item.id, item);
        for (const item of draft.registrations) rows.registrations.set(item.id, item);
        return { kind: 'stored' as const };
      }),
    byKey: (scope, principalId, key) => answer(() => holderOf(rowsOf(scope), principalId, key)),
    state: (scope, operationId) => answer(() => stateOf(rowsOf(scope), operationId)),
    byTaskId: (scope, reach, taskId) =>
      answer(() => {
        const rows = rowsOf(scope);
        const found = [...rows.operations.values()].find(
          (operation) => operation.taskId === taskId && isInReach(reach, operation),
        );
        return found === undefined ? undefined : stateOf(rows, found.id);
      }),
    takeLeg: (scope, legId, now, leaseUntil) =>
      answer(() => {
        const { legs } = rowsOf(scope);
        const leg = legs.get(legId);
        const isFree = (leg?.leaseUntil ?? 0) <= now;
        if (leg === undefined || !isFree || (leg.status !== 'pending' && leg.status !== 'sent'))
          return undefined;
        const attempts = leg.attempts + 1;
        legs.set(legId, {
          ...leg,
          status: 'sent',
          attempts,
          sentAt: now,
          leaseUntil,
          nextPollAt: leaseUntil,
        });
        return legOf(rowsOf(scope), legId);
      }),
    releaseLeg: (scope, { id, attempts, sentAt }, nextAt, what) =>
      answer(() => {
        const { legs } = rowsOf(scope);
        const leg = legs.get(id);
        if (leg?.attempts !== attempts || leg.sentAt !== sentAt) return;
        const { leaseUntil: _ended, ...kept } = leg;
        if (what !== 'unsent' || leg.status !== 'sent') {
          legs.set(id, { ...kept, nextPollAt: nextAt });
          return;
        }
        const { sentAt: _unsent, ...fresh } = kept;
        const before = attempts === 1 ? { ...fresh, status: 'pending' as const } : kept;
        legs.set(id, { ...before, attempts: attempts - 1, nextPollAt: nextAt });
      }),
    parkLeg: (scope, legId, reason) =>
      answer(() => {
        const { legs } = rowsOf(scope);
        const leg = legs.get(legId);
        if (leg?.status !== 'pending' && leg?.status !== 'sent') return;
        const { leaseUntil: _ended, nextPollAt: _none, ...kept } = leg;
        const findings = [...leg.findings, { code: 'LEG_PARKED', message: reason }];
        legs.set(legId, { ...kept, status: 'parked', findings });
      }),
    change: (scope, legId, decide) =>
      answer(() => {
        const rows = rowsOf(scope);
        const operationId = rows.legs.get(legId)?.operationId;
        const before = operationId === undefined ? undefined : stateOf(rows, operationId);
        if (before === undefined) return undefined;
        const after = decide(before);
        if (after !== before) storeDecision(rows, before, copyOf(after), after);
        return after;
      }),
    saveAnswer: (scope, operationId, given, at) =>
      answer(() => {
        const { operations } = rowsOf(scope);
        const known = operations.get(operationId);
        if (known === undefined || known.answer !== undefined) return;
        operations.set(operationId, { ...known, answer: copyOf(given), updatedAt: at });
      }),
    abandon: (scope, operationId, at) =>
      answer(() => {
        const { operations, legs } = rowsOf(scope);
        const known = operations.get(operationId);
        const hasLeg = [...legs.values()].some((leg) => leg.operationId === operationId);
        if (known === undefined || known.answer !== undefined || hasLeg) return;
        const { idempotencyKey: _freed, ...keyless } = known;
        operations.set(operationId, { ...keyless, status: 'failed', settledAt: at, updatedAt: at });
      }),
    dueLegs: (scope, now, limit, except = []) =>
      answer(() => {
        const rows = rowsOf(scope);
        return [...rows.legs.values()]
          .filter((leg) => unfinished.has(leg.status) && (leg.leaseUntil ?? 0) <= now)
          .filter((leg) => leg.nextPollAt !== undefined && leg.nextPollAt <= now)
          .filter((leg) => !except.includes(leg.connectionId))
          .sort((a, b) => (a.nextPollAt ?? 0) - (b.nextPollAt ?? 0))
          .slice(0, limit)
          .flatMap((leg) => legOf(rows, leg.id) ?? []);
      }),
    leg: (scope, legId, reach = { kind: 'everything' }) =>
      answer(() => {
        const rows = rowsOf(scope);
        const leg = legOf(rows, legId);
        const of = leg && rows.operations.get(leg.operationId);
        return of !== undefined && isInReach(reach, of) ? leg : undefined;
      }),
    mediaBuy: (scope, id) => answer(() => recordOf(rowsOf(scope), id)),
    mediaBuys: (scope, { reach = { kind: 'everything' }, ...filter }) =>
      answer(() => {
        const rows = rowsOf(scope);
        const { principalId, ids, buyerRefs, account, isOpen, after, limit } = filter;
        const order = filter.sort === 'oldest' ? -1 : 1;
        const isWanted = wantedBy(filter, rows);
        return [...rows.buys.values()]
          .filter((buy) => principalId === undefined || buy.principalId === principalId)
          .filter((buy) => isInReach(reach, buy) && isWanted(buy))
          .filter(
            (buy) =>
              (ids === undefined && buyerRefs === undefined) ||
              ids?.includes(buy.id) === true ||
              (buy.buyerRef !== undefined && buyerRefs?.includes(buy.buyerRef) === true),
          )
          .filter((buy) => account === undefined || isOfAccount(buy, account))
          .filter((buy) => isOpen !== true || !isBuyOver(buy.status))
          .sort((a, b) => order * (b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)))
          .filter(
            ({ createdAt, id }) =>
              after === undefined ||
              (order > 0 ? createdAt < after.madeAt : createdAt > after.madeAt) ||
              (createdAt === after.madeAt && (order > 0 ? id > after.id : id < after.id)),
          )
          .slice(0, limit)
          .flatMap((buy) => recordOf(rows, buy.id) ?? []);
      }),
    legsAbout: (scope, mediaBuyId) =>
      answer(() => {
        const rows = rowsOf(scope);
        const parts = [...rows.sellerBuys.values()].filter((item) => item.mediaBuyId === mediaBuyId);
        const made = rows.buys.get(mediaBuyId)?.operationId;
        return [...rows.legs.values()]
          .filter((leg) => leg.operationId === made || parts.some(({ id }) => id === leg.sellerBuyId))
          .sort((a, b) => a.createdAt - b.createdAt || (a.seller < b.seller ? -1 : 1))
          .flatMap((leg) => legOf(rows, leg.id) ?? []);
      }),
    changesOf: (scope, mediaBuyId, limit) =>
      answer(() =>
        rowsOf(scope)
          .changes.filter((change) => change.mediaBuyId === mediaBuyId && change.action !== 'create')
          .toSorted((a, b) => b.at - a.at)
          .slice(0, limit)
          .map((change) => {
            const principalId = rowsOf(scope).operations.get(change.operationId)?.principalId;
            return { ...change, ...(principalId !== undefined && { principalId }) };
          }),
      ),
    sellerBuyOf: (scope, connectionId, id) => answer(() => sellerBuyNamed(rowsOf(scope), connectionId, id)),
    holdersOf: (scope, connectionId, id) =>
      answer(() => {
        const own = sellerBuyNamed(rowsOf(scope), connectionId, id);
        return { elsewhere: others.word, ...(own && { own }) };
      }),
    saveOffers: (scope, quotes) =>
      answer(() => {
        for (const { connectionId, offer } of quotes) {
          const key = `${connectionId} ${offer.productId}`;
          const { offers } = rowsOf(scope);
          if ((offers.get(key)?.offeredAt ?? offer.offeredAt) <= offer.offeredAt)
            offers.set(key, copyOf(offer));
        }
      }),
    saveProposals: (scope, quotes) =>
      answer(() => {
        for (const { connectionId, proposal } of quotes) {
          const { proposals } = rowsOf(scope);
          const key = `${connectionId} ${proposal.proposalId}`;
          const { proposedAt } = proposal;
          if ((proposals.get(key)?.proposedAt ?? proposedAt) <= proposedAt)
            proposals.set(key, copyOf(proposal));
        }
      }),
    proposals: (scope, prefixedIds) =>
      answer(
        () =>
          new Map(
            [...rowsOf(scope).proposals.values()]
              .map((proposal) => [`${proposal.seller}:${proposal.proposalId}`, proposal] as const)
              .filter(([id]) => prefixedIds.includes(id)),
          ),
      ),
    offers: (scope, prefixedIds) =>
      answer(
        () =>
          new Map(
            [...rowsOf(scope).offers.values()]
              .map((offer) => [`${offer.seller}:${offer.productId}`, offer] as const)
              .filter(([id]) => prefixedIds.includes(id)),
          ),
      ),
  };
}

/** Further filters of a list for people. */
function wantedBy(filter: BuyFilter, rows: Rows): (buy: MediaBuy) => boolean {
  const { statuses, shownAs, seller, clientId, brandDomain, campaignId, since, until, refStart } = filter;
  const { runsAfter = -Infinity, runsBefore = Infinity } = filter;
  const partsOf = (id: string) => [...rows.sellerBuys.values()].filter((part) => part.mediaBuyId === id);
  const shownOf = (buy: MediaBuy) =>
    shownStatus({ buy, legs: [...rows.legs.values()].filter((leg) => leg.operationId === buy.operationId) });
  return (buy) =>
    // It stores no impairments.
    filter.isImpaired !== true &&
    (filter.isPartRefused !== true || partsOf(buy.id).some((part) => !isMadeOrMayBe(part))) &&
    (statuses === undefined || statuses.includes(buy.status)) &&
    (shownAs === undefined || shownAs.includes(shownOf(buy))) &&
    (seller === undefined || partsOf(buy.id).some((part) => part.seller === seller)) &&
    (clientId === undefined || buy.clientId === clientId) &&
    (brandDomain === undefined || buy.brandDomain === brandDomain) &&
    (campaignId === undefined || (buy.campaignId ?? null) === campaignId) &&
    (since === undefined || buy.createdAt >= since) &&
    (until === undefined || buy.createdAt < until) &&
    [buy, ...partsOf(buy.id).map((part) => flightAtSeller(buy, part))].some(
      ({ startTime, endTime }) => Date.parse(endTime) > runsAfter && Date.parse(startTime) < runsBefore,
    ) &&
    (refStart === undefined || buy.buyerRef?.startsWith(refStart) === true);
}
