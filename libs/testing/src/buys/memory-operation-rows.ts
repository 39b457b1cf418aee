import { crowdedBy, movedOn } from '@switchyard/buys';
import type {
  BuyerAccount,
  Begun,
  BuyChange,
  BuyGuard,
  BuyPackage,
  InsertBudget,
  Leg,
  MediaBuy,
  MediaBuyRecord,
  Offer,
  Operation,
  OperationState,
  Proposal,
  RegistrationDraft,
  SellerBuy,
} from '@switchyard/buys';
import type { Instant } from '@switchyard/values';

/** The buys' tables of one tenant: rows by id. */
export interface Rows {
  readonly operations: Map<string, Operation>;
  readonly legs: Map<string, Leg & { readonly leaseUntil?: Instant }>;
  readonly buys: Map<string, MediaBuy>;
  readonly sellerBuys: Map<string, SellerBuy>;
  readonly packages: Map<string, BuyPackage>;
  readonly registrations: Map<string, RegistrationDraft>;
  readonly offers: Map<string, Offer>;
  readonly proposals: Map<string, Proposal>;
  readonly changes: BuyChange[];
  /** Times of stored requests, by the scope that counts them. */
  readonly inserts: Map<string, readonly Instant[]>;
}

export function emptyRows(): Rows {
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

export function holderOf(rows: Rows, principalId: string, key: string | undefined): Operation | undefined {
  if (key === undefined) return undefined;
  return [...rows.operations.values()].find(
    (operation) => operation.principalId === principalId && operation.idempotencyKey === key,
  );
}

/** The result of the check of a buy under its lock, before a change of it is stored. */
export function guardBuy(rows: Rows, guard: BuyGuard | undefined): Begun | undefined {
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

export function crowding(rows: Rows, budget: InsertBudget | undefined, at: Instant): Begun | undefined {
  if (budget === undefined) return undefined;
  const newestFirst = (rows.inserts.get(budget.scope) ?? []).toSorted((one, other) => other - one);
  return crowdedBy(budget.ceilings, newestFirst, at);
}

export function countInsert(rows: Rows, budget: InsertBudget | undefined, at: Instant): void {
  if (budget !== undefined) rows.inserts.set(budget.scope, [...(rows.inserts.get(budget.scope) ?? []), at]);
}

export function legOf(rows: Rows, id: string): Leg | undefined {
  const row = rows.legs.get(id);
  if (row === undefined) return undefined;
  const { leaseUntil: _ours, ...leg } = row;
  return leg;
}

export function stateOf(rows: Rows, operationId: string): OperationState | undefined {
  const operation = rows.operations.get(operationId);
  if (operation === undefined) return undefined;
  const buy = [...rows.buys.values()].find(
    (candidate) => candidate.operationId === operationId || candidate.id === operation.mediaBuyId,
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

export function isOfAccount({ brand, operator }: MediaBuy, account: BuyerAccount): boolean {
  const { domain, brand_id: id = '' } = brand;
  return domain === account.brandDomain && id === account.brandId && operator === account.operator;
}

export function recordOf(rows: Rows, mediaBuyId: string): MediaBuyRecord | undefined {
  const buy = rows.buys.get(mediaBuyId);
  const state = buy === undefined ? undefined : stateOf(rows, buy.operationId);
  if (buy === undefined || state === undefined) return undefined;
  return { buy, sellerBuys: state.sellerBuys, packages: state.packages, legs: state.legs };
}

/** Adds packages to one buy, after its present ones, in their order. */
export function joined(rows: Rows, packages: readonly BuyPackage[]): readonly BuyPackage[] {
  const standing = [...rows.packages.values()].filter((item) => item.mediaBuyId === packages[0]?.mediaBuyId);
  const last = Math.max(-1, ...standing.map(({ position }) => position));
  return packages.map((item, at) => ({ ...item, position: last + 1 + at }));
}

/** Stores what a decision may change: never the frozen bytes or the owner of a row. */
export function storeDecision(
  rows: Rows,
  before: OperationState,
  after: OperationState,
  decided: OperationState,
): void {
  refuseSharedBuys(rows, after.sellerBuys);
  after.legs.forEach((leg, index) => {
    const known = rows.legs.get(leg.id);
    if (known === undefined || before.legs.includes(decided.legs[index]!)) return;
    const { leaseUntil: _ended, ...kept } = known;
    const { attempts, sentAt, createdAt } = kept;
    const { sentAt: _sent, ...changed } = leg;
    // Frozen members do not change, unless all of them are rewritten.
    rows.legs.set(
      leg.id,
      kept.outbound === leg.outbound
        ? { ...changed, attempts, createdAt, ...(sentAt === undefined ? {} : { sentAt }) }
        : { ...leg, createdAt },
    );
  });
  for (const item of after.sellerBuys) rows.sellerBuys.set(item.id, item);
  const standing = after.packages.filter(({ id }) => rows.packages.has(id));
  const added = after.packages.filter((item) => !standing.includes(item));
  for (const item of [...standing, ...joined(rows, added)]) rows.packages.set(item.id, item);
  rows.changes.push(...(after.changes ?? []));
  for (const item of after.registrations ?? []) rows.registrations.set(item.id, item);
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

/** Not `structuredClone`: under Jest its result belongs to another realm, and is equal to nothing. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(item)) as T;
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, copyOf(item)])) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyOf(item)])) as T;
}
