import { crowdedBy, movedOn } from '@switchyard/buys';
import type {
  BuyerAccount,
  Begun,
  BuyChange,
  BuyGuard,
  BuyPackage,
  Elsewhere,
  InsertBudget,
  Leg,
  MediaBuy,
  MediaBuyRecord,
  Offer,
  Operation,
  OperationState,
  OperationStore,
  Proposal,
  RegistrationDraft,
  SellerBuy,
} from '@switchyard/buys';
import { isBuyOver } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

interface Rows {
  readonly operations: Map<string, Operation>;
  readonly legs: Map<string, Leg & { readonly leaseUntil?: Instant }>;
  readonly buys: Map<string, MediaBuy>;
  readonly sellerBuys: Map<string, SellerBuy>;
  readonly packages: Map<string, BuyPackage>;
  readonly registrations: Map<string, RegistrationDraft>;
  readonly offers: Map<string, Offer>;
  readonly proposals: Map<string, Proposal>;
  readonly changes: BuyChange[];
  /** When requests were stored, by the scope that they count in. */
  readonly inserts: Map<string, readonly Instant[]>;
}

export interface MemoryOperationStore extends OperationStore {
  /** What is stored of one tenant, as it stands. */
  rowsOf(scope: TenantScope): Rows;
  /** What other tenants have to do with each buy of every seller from now on; `own` before. */
  nowElsewhere(word: Elsewhere): void;
}

const unfinished = new Set(['pending', 'sent', 'submitted', 'working', 'input-required', 'auth-required']);

/** The buys' tables in memory, tenant by tenant. It passes the same contract suite as the store. */
export function memoryOperationStore(): MemoryOperationStore {
  const tenants = new Map<string, Rows>();
  const others: { word: Elsewhere } = { word: 'own' };
  const rowsOf = ({ organizationId }: TenantScope): Rows => {
    const known = tenants.get(organizationId) ?? emptyRows();
    tenants.set(organizationId, known);
    return known;
  };
  // What goes in and comes out is copied, as a database does: nobody changes a row by holding it.
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
        const twin = holderOf(rows, operation.principalId, operation.idempotencyKey);
        if (twin !== undefined) return { kind: 'exists' as const, operation: twin };
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
        count(rows, draft.budget, operation.createdAt);
        for (const leg of draft.legs)
          rows.legs.set(leg.id, { ...leg, nextPollAt: leg.nextPollAt ?? leg.createdAt });
        if (draft.buy !== undefined) rows.buys.set(draft.buy.id, draft.buy);
        for (const item of draft.sellerBuys) rows.sellerBuys.set(item.id, item);
        for (const item of draft.packages) rows.packages.set(item.id, item);
        for (const item of draft.registrations) rows.registrations.set(item.id, item);
        return { kind: 'stored' as const };
      }),
    byKey: (scope, principalId, key) => answer(() => holderOf(rowsOf(scope), principalId, key)),
    state: (scope, operationId) => answer(() => stateOf(rowsOf(scope), operationId)),
    byTaskId: (scope, principalId, taskId) =>
      answer(() => {
        const rows = rowsOf(scope);
        const found = [...rows.operations.values()].find(
          (one) => one.taskId === taskId && one.principalId === principalId,
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
    releaseLeg: (scope, legId, nextAt) =>
      answer(() => {
        const { legs } = rowsOf(scope);
        const leg = legs.get(legId);
        if (leg === undefined) return;
        const { leaseUntil: _ended, ...kept } = leg;
        legs.set(legId, { ...kept, nextPollAt: nextAt });
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
        if (after !== before) keep(rows, before, copyOf(after), after);
        return after;
      }),
    saveAnswer: (scope, operationId, given, at) =>
      answer(() => {
        const { operations } = rowsOf(scope);
        const known = operations.get(operationId);
        if (known === undefined || known.answer !== undefined) return;
        operations.set(operationId, { ...known, answer: copyOf(given), updatedAt: at });
      }),
    dueLegs: (scope, now, limit) =>
      answer(() => {
        const rows = rowsOf(scope);
        return [...rows.legs.values()]
          .filter((leg) => unfinished.has(leg.status) && (leg.leaseUntil ?? 0) <= now)
          .filter((leg) => leg.nextPollAt !== undefined && leg.nextPollAt <= now)
          .sort((a, b) => (a.nextPollAt ?? 0) - (b.nextPollAt ?? 0))
          .slice(0, limit)
          .flatMap((leg) => legOf(rows, leg.id) ?? []);
      }),
    leg: (scope, legId) => answer(() => legOf(rowsOf(scope), legId)),
    mediaBuy: (scope, id) => answer(() => recordOf(rowsOf(scope), id)),
    mediaBuys: (scope, { principalId, ids, buyerRefs, account, isOpen, after, limit }) =>
      answer(() => {
        const rows = rowsOf(scope);
        return [...rows.buys.values()]
          .filter((buy) => principalId === undefined || buy.principalId === principalId)
          .filter(
            (buy) =>
              (ids === undefined && buyerRefs === undefined) ||
              ids?.includes(buy.id) === true ||
              (buy.buyerRef !== undefined && buyerRefs?.includes(buy.buyerRef) === true),
          )
          .filter((buy) => account === undefined || isOfAccount(buy, account))
          .filter((buy) => isOpen !== true || !isBuyOver(buy.status))
          .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
          .filter(
            ({ createdAt, id }) =>
              after === undefined ||
              createdAt < after.madeAt ||
              (createdAt === after.madeAt && id > after.id),
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
          .changes.filter((one) => one.mediaBuyId === mediaBuyId && one.action !== 'create')
          .toSorted((a, b) => b.at - a.at)
          .slice(0, limit),
      ),
    sellerBuyOf: (scope, connectionId, sellerMediaBuyId) =>
      answer(() =>
        [...rowsOf(scope).sellerBuys.values()].find(
          (item) => item.connectionId === connectionId && item.sellerMediaBuyId === sellerMediaBuyId,
        ),
      ),
    standsElsewhere: () => answer(() => others.word),
    saveOffers: (scope, quotes) =>
      answer(() => {
        for (const { connectionId, offer } of quotes) {
          const key = `${connectionId} ${offer.productId}`;
          rowsOf(scope).offers.set(key, copyOf(offer));
        }
      }),
    saveProposals: (scope, quotes) =>
      answer(() => {
        for (const { connectionId, proposal } of quotes)
          rowsOf(scope).proposals.set(`${connectionId} ${proposal.proposalId}`, copyOf(proposal));
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

function emptyRows(): Rows {
  return {
    operations: new Map(),
    legs: new Map(),
    buys: new Map(),
    sellerBuys: new Map(),
    packages: new Map(),
    registrations: new Map(),
    offers: new Map(),
    proposals: new Map(),
    changes: [],
    inserts: new Map(),
  };
}

function holderOf(rows: Rows, principalId: string, key: string | undefined): Operation | undefined {
  if (key === undefined) return undefined;
  return [...rows.operations.values()].find(
    (one) => one.principalId === principalId && one.idempotencyKey === key,
  );
}

/** What the lock of a buy shows before a change of it is stored. */
function guardBuy(rows: Rows, guard: BuyGuard | undefined): Begun | undefined {
  if (guard === undefined) return undefined;
  const revision = rows.buys.get(guard.mediaBuyId)?.revision;
  if (guard.revision !== undefined && revision !== undefined && revision !== guard.revision)
    return { kind: 'stale', revision };
  const busy = [...rows.legs.values()].find(
    (leg) =>
      leg.sellerBuyId !== undefined &&
      guard.sellerBuyIds.includes(leg.sellerBuyId) &&
      (leg.status === 'pending' || leg.status === 'sent'),
  );
  return busy === undefined ? undefined : { kind: 'busy', seller: busy.seller };
}

function crowding(rows: Rows, budget: InsertBudget | undefined, at: Instant): Begun | undefined {
  if (budget === undefined) return undefined;
  const newestFirst = (rows.inserts.get(budget.scope) ?? []).toSorted((one, other) => other - one);
  return crowdedBy(budget.ceilings, newestFirst, at);
}

function count(rows: Rows, budget: InsertBudget | undefined, at: Instant): void {
  if (budget !== undefined) rows.inserts.set(budget.scope, [...(rows.inserts.get(budget.scope) ?? []), at]);
}

function legOf(rows: Rows, id: string): Leg | undefined {
  const row = rows.legs.get(id);
  if (row === undefined) return undefined;
  const { leaseUntil: _ours, ...leg } = row;
  return leg;
}

function stateOf(rows: Rows, operationId: string): OperationState | undefined {
  const operation = rows.operations.get(operationId);
  if (operation === undefined) return undefined;
  const buy = [...rows.buys.values()].find(
    (one) => one.operationId === operationId || one.id === operation.mediaBuyId,
  );
  const legs = [...rows.legs.values()]
    .filter((leg) => leg.operationId === operationId)
    .sort((a, b) => (a.seller < b.seller ? -1 : 1))
    .flatMap((leg) => legOf(rows, leg.id) ?? []);
  if (buy === undefined) return { operation, legs, sellerBuys: [], packages: [] };
  return {
    operation,
    buy,
    legs,
    sellerBuys: [...rows.sellerBuys.values()]
      .filter((item) => item.mediaBuyId === buy.id)
      .sort((a, b) => (a.seller < b.seller ? -1 : 1)),
    packages: [...rows.packages.values()]
      .filter((item) => item.mediaBuyId === buy.id)
      .sort((a, b) => a.position - b.position),
  };
}

function isOfAccount({ brand, operator }: MediaBuy, account: BuyerAccount): boolean {
  const { domain, brand_id: id = '' } = brand;
  return domain === account.brandDomain && id === account.brandId && operator === account.operator;
}

function recordOf(rows: Rows, mediaBuyId: string): MediaBuyRecord | undefined {
  const buy = rows.buys.get(mediaBuyId);
  const state = buy === undefined ? undefined : stateOf(rows, buy.operationId);
  if (buy === undefined || state === undefined) return undefined;
  return { buy, sellerBuys: state.sellerBuys, packages: state.packages, legs: state.legs };
}

/** Stores what a decision may change: never the frozen bytes, never who a row belongs to. */
function keep(rows: Rows, before: OperationState, after: OperationState, decided: OperationState): void {
  refuseSharedBuys(rows, after.sellerBuys);
  after.legs.forEach((leg, index) => {
    const known = rows.legs.get(leg.id);
    if (known === undefined || before.legs.includes(decided.legs[index]!)) return;
    const { leaseUntil: _ended, ...kept } = known;
    const { attempts, sentAt, createdAt } = kept;
    const { sentAt: _sent, ...changed } = leg;
    // What is frozen stays as it is, unless all of it is frozen anew.
    rows.legs.set(
      leg.id,
      kept.outbound === leg.outbound
        ? { ...changed, attempts, createdAt, ...(sentAt === undefined ? {} : { sentAt }) }
        : { ...leg, createdAt },
    );
  });
  for (const item of after.sellerBuys) rows.sellerBuys.set(item.id, item);
  for (const item of after.packages) rows.packages.set(item.id, item);
  rows.changes.push(...(after.changes ?? []));
  if (after.buy !== undefined) rows.buys.set(after.buy.id, after.buy);
  const { operation } = after;
  const known = rows.operations.get(operation.id);
  if (known === undefined) return;
  const { idempotencyKey: _freed, ...keyless } = known;
  const isReleased =
    operation.settledAt !== undefined && operation.status !== 'completed' && known.answer === undefined;
  const moves = movedOn(known, operation);
  rows.operations.set(operation.id, {
    ...(isReleased ? keyless : known),
    status: operation.status,
    ...(moves.length === 0 ? {} : { history: moves }),
    updatedAt: operation.updatedAt,
    ...(operation.settledAt === undefined ? {} : { settledAt: operation.settledAt }),
  });
}

/** The unique index: one buy of a seller belongs to one leg. */
function refuseSharedBuys(rows: Rows, changed: readonly SellerBuy[]): void {
  for (const item of changed) {
    const isShared = [...rows.sellerBuys.values()].some(
      (other) =>
        other.id !== item.id &&
        item.sellerMediaBuyId !== undefined &&
        other.connectionId === item.connectionId &&
        other.sellerMediaBuyId === item.sellerMediaBuyId,
    );
    if (isShared) throw new Error('Two legs cannot have one buy of a seller.');
  }
}

/** Not `structuredClone`: what that makes belongs to another realm under Jest, and equals nothing. */
function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(item)) as T;
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, copyOf(item)])) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyOf(item)])) as T;
}
