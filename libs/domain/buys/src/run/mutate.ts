import { taskError, type Brand, type Finding, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { defined, err, ok, type Instant, type JsonObject, type Result } from '@switchyard/values';
import { brandNamed, placeDraft } from '../campaigns/place-draft.js';
import { creativeTaken } from '../model/creative-owner.js';
import type { Mutation } from '../model/caller.js';
import { governanceFindings } from '../model/governance-context.js';
import { crowdedError, insertBudget } from '../model/insert-budget.js';
import type { Operation } from '../model/operation.js';
import type { OperationDraft } from '../model/operation-store.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import { canMakeKeys } from '../call/draft-leg.js';
import type { Drafted } from '../call/reencode.js';
import { requestHash, scopedKey } from '../model/keys.js';
import { runLegs } from './run-legs.js';
import { noRateError, overLimitError } from '../spending/limit-errors.js';
import { staleRevision } from '../model/stale-revision.js';
import type { Mutated } from '../model/mutated.js';

type Claim =
  | { readonly kind: 'fresh'; readonly operation: Operation }
  | { readonly kind: 'replay'; readonly state: OperationState };

type KeyedMutation = Mutation<{
  readonly idempotencyKey?: string;
  readonly buyerRef?: string;
  readonly context?: JsonObject;
  readonly contextId?: string;
  readonly account?: unknown;
  readonly brand?: Brand;
}>;

/**
 * Creates an operation for a request, or finds the one with its key
 * (docs/protocol/idempotency.md#the-same-request).
 *
 * The key is the buyer's own; for a buyer without one, its reference
 * (docs/protocol/idempotency.md#requests-without-a-key). The same body is a replay, another body is a
 * conflict, and the conflict reveals nothing about the first request.
 */
export async function claim(
  ports: BuysPorts,
  task: string,
  mutation: KeyedMutation,
): Promise<Result<Claim, readonly TaskError[]>> {
  const { request, scope, principalId } = mutation;
  const key = keyOf(task, mutation);
  const hash = mutation.requestHash ?? requestHash(mutation.args);
  const known = key === undefined ? undefined : await ports.store.byKey(scope, principalId, key);
  const at = ports.clock.now();
  // A buyer's own reference does not expire after a day: it names its buy as long as the buy is stored.
  const isOver = request.idempotencyKey !== undefined && known !== undefined && hasExpired(known, at);
  if (isOver) return err([taskError('IDEMPOTENCY_EXPIRED', expiredText, { suggestion: expiredHint })]);
  if (known !== undefined) return replay(ports, mutation, { known, task, hash });
  return ok({ kind: 'fresh', operation: freshOperation(ports, task, mutation) });
}

/** Returns the operation of a request, whether or not its key is in use. */
export function freshOperation(
  ports: Pick<BuysPorts, 'ids' | 'clock'>,
  task: string,
  mutation: KeyedMutation,
): Operation {
  const { request, scope, principalId } = mutation;
  const key = keyOf(task, mutation);
  const contextId = request.contextId ?? mutation.contextId;
  const at = ports.clock.now();
  return {
    id: ports.ids.uuid(),
    organizationId: scope.organizationId,
    principalId,
    task,
    taskId: ports.ids.token('task'),
    requestHash: mutation.requestHash ?? requestHash(mutation.args),
    profile: mutation.profile,
    request: mutation.args,
    status: 'submitted',
    createdAt: at,
    updatedAt: at,
    ...defined({
      idempotencyKey: key,
      buyerRef: request.buyerRef,
      context: request.context,
      contextId,
      version: mutation.version,
      signedBy: mutation.signedBy,
      program: mutation.program,
    }),
  };
}

/**
 * The scope of a key is the account of the request: the resolved account where the request names one, else
 * only the brand. The account that a brand or nothing resolves to may change later, and the same bytes would
 * then count as a new request.
 */
function keyOf(task: string, { request, principalId, account }: KeyedMutation): string | undefined {
  const { idempotencyKey, buyerRef, brand } = request;
  if (idempotencyKey === undefined) return buyerRef === undefined ? undefined : `${task}:${buyerRef}`;
  const ofBrand = { brandDomain: brand?.domain ?? '', brandId: brand?.brandId ?? '', operator: '' };
  return scopedKey(principalId, request.account === undefined ? ofBrand : account, idempotencyKey);
}

/** How long a key is replayed, in seconds, as the capabilities declare. */
export const replayTtlSeconds = 86_400;
/** Tolerated clock difference in seconds, in favor of the buyer. */
const toleranceSeconds = 60;

const expiredText = 'This idempotency key was used before, and its stored answer has expired.';
const expiredHint =
  'Check with get_media_buys whether the first request took effect before you use a new key.';

function hasExpired({ createdAt }: Operation, at: Instant): boolean {
  return at - createdAt > (replayTtlSeconds + toleranceSeconds) * 1_000;
}

async function replay(
  ports: BuysPorts,
  mutation: Pick<Mutation<unknown>, 'scope'>,
  { known, task, hash }: { readonly known: Operation; readonly task: string; readonly hash: string },
): Promise<Result<Claim, readonly TaskError[]>> {
  const state =
    known.task === task && known.requestHash === hash
      ? await ports.store.state(mutation.scope, known.id)
      : undefined;
  if (state !== undefined) return ok({ kind: 'replay', state });
  return err([taskError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for a different request.')]);
}

/** Leases the secrets of sellers. An error if one of them has no secret for its keys: nothing may be sent then. */
export type LeaseSellers = (
  sellers: readonly Connection[],
) => Promise<Result<ReadonlyMap<string, LegSecrets>, readonly TaskError[]>>;

/** What a mutation would store, and the sellers that it would call, with the secrets of each. */
export interface Prepared {
  readonly draft: Drafted;
  readonly secrets: ReadonlyMap<string, LegSecrets>;
  readonly sellers: readonly Connection[];
  /** Findings on the whole request, for this answer alone. */
  readonly findings?: readonly Finding[];
  /** The mutation as it is executed, where that is not as it was sent. */
  readonly executed?: Mutation<unknown>;
}

/**
 * Every change that calls sellers, in the same four steps: claim the key of the request, prepare what is stored and sent,
 * store it, and call the sellers. What differs is how a task prepares. `prepare` stores nothing that a repetition of it
 * must not store again: it runs again where ids of its creatives were taken meanwhile.
 */
export function mutate(
  ports: BuysPorts,
  task: string,
  mutation: KeyedMutation,
  prepare: (operation: Operation, lease: LeaseSellers) => Promise<Result<Prepared, readonly TaskError[]>>,
): Promise<Result<Mutated & { readonly findings: readonly Finding[] }, readonly TaskError[]>> {
  return untilClaimed(async () => {
    const claimed = await claim(ports, task, mutation);
    if (!claimed.ok) return claimed;
    if (claimed.value.kind === 'replay')
      return ok({ state: claimed.value.state, replayed: true, findings: [] });
    const { operation } = claimed.value;
    const prepared = await prepare(operation, (sellers) => leaseOf(ports, mutation, operation, sellers));
    if (!prepared.ok) return prepared;
    const { findings = [], executed = mutation } = prepared.value;
    const done = await execute(ports, executed, prepared.value);
    return done.ok ? ok({ ...done.value, findings }) : done;
  });
}

export const vaultClosed = taskError(
  'SERVICE_UNAVAILABLE',
  'The credentials of these sellers cannot be used now.',
);

async function leaseOf(
  ports: BuysPorts,
  { scope }: Pick<Mutation<unknown>, 'scope'>,
  { id, task }: Operation,
  sellers: readonly Connection[],
): ReturnType<LeaseSellers> {
  if (sellers.length === 0) return ok(new Map());
  const secrets = await ports.lease(scope, sellers, { operationId: id, purpose: task });
  return secrets.ok && canMakeKeys(secrets.value, sellers) ? ok(secrets.value) : err([vaultClosed]);
}

/** Stores the draft and runs its legs. If the same request was stored first, its outcome is the answer. */
async function execute(
  ports: BuysPorts,
  mutation: Mutation<unknown>,
  { draft: { again, ...drafted }, secrets, sellers }: Prepared,
): Promise<Result<Mutated, readonly TaskError[]>> {
  const { scope, account } = mutation;
  const brand = account && brandNamed(account.brandDomain, account.brandId);
  const placed = await placeDraft(ports, { scope, brand }, drafted);
  if (!placed.ok) return err([placed.error]);
  const allowed = (await mutation.authorize?.(placed.value.draft)) ?? ok([]);
  if (!allowed.ok) return allowed;
  const draft = withFirstFindings(placed.value.draft, [
    ...placed.value.findings,
    ...allowed.value,
    ...governanceFindings(drafted),
  ]);
  // The buy that is created, or the changed one, whose new addresses replace the old ones.
  const mediaBuyId = draft.buy?.id ?? draft.operation.mediaBuyId;
  const callbacks = await mutation.registerCallbacks?.({
    operationId: draft.operation.id,
    ...(mediaBuyId === undefined ? {} : { mediaBuyId }),
  });
  if (callbacks?.ok === false) return callbacks;
  const { creatives } = draft;
  const begun = await ports.store.begin(mutation.scope, {
    ...draft,
    ...(creatives && { creatives: { ...creatives, ...(mutation.reach && { reach: mutation.reach }) } }),
    ...insertBudget(ports.insertCeilings, mutation.principalId, mutation.account),
    callbacks: callbacks?.value ?? [],
  });
  if (begun.kind === 'exists') {
    const duplicate = await replay(ports, mutation, {
      known: begun.operation,
      task: draft.operation.task,
      hash: draft.operation.requestHash,
    });
    if (!duplicate.ok) return duplicate;
    return duplicate.value.kind === 'replay' ? ok({ state: duplicate.value.state, replayed: true }) : err([]);
  }
  if (begun.kind === 'crowded') return err([crowdedError(begun, ports.clock.now())]);
  if (begun.kind === 'busy') return err([busyPart(begun.seller)]);
  if (begun.kind === 'stale') return err([staleRevision(begun.revision)]);
  if (begun.kind === 'taken')
    return err(begun.seller === undefined ? [creativeTaken(begun.creativeId, 'creatives')] : takenMeanwhile);
  if (begun.kind === 'over') return err([overLimitError(begun.breaches)]);
  if (begun.kind === 'no_rate') return err([noRateError(begun)]);
  if (begun.approvalId !== undefined) {
    const waiting = await ports.store.state(mutation.scope, draft.operation.id);
    if (waiting === undefined) throw new Error('An operation that was stored cannot be read.');
    return ok({ state: waiting, replayed: false });
  }
  const signer = ports.signerFor?.(mutation.scope, mutation.principalId, {
    operationId: draft.operation.id,
    purpose: draft.operation.task,
  });
  const state = await runLegs(ports, mutation.scope, draft, {
    ...(signer === undefined ? {} : { signer }),
    connections: new Map(sellers.map((connection) => [connection.id, connection])),
    secrets,
    again,
    deadlineMs: mutation.deadlineMs,
    ...(mutation.onAnswered === undefined ? {} : { onAnswered: mutation.onAnswered }),
  });
  return ok({ state, replayed: false });
}

/** Findings on the whole request are stored on its first leg, for every later answer. */
function withFirstFindings(draft: OperationDraft, findings: readonly Finding[]): OperationDraft {
  if (findings.length === 0) return draft;
  const legs = draft.legs.map((leg, at) =>
    at === 0 ? { ...leg, findings: [...leg.findings, ...findings] } : leg,
  );
  return { ...draft, legs };
}

/** How often a request is planned again because ids of its creatives were taken meanwhile. */
const plansAtMost = 5;

/** The error does not say why, so that it does not reveal creatives of other tenants. */
const takenMeanwhile = [
  taskError('CONFLICT', 'Another request changed this first.', {
    suggestion: 'Repeat the request.',
    retryAfter: 1,
  }),
];

/**
 * Plans and stores a request with creatives, and repeats it where an id was taken between the two: the next
 * plan uses a local id for the creative. Nothing was stored before, and no seller was called.
 */
async function untilClaimed<Done>(
  attempt: () => Promise<Result<Done, readonly TaskError[]>>,
): Promise<Result<Done, readonly TaskError[]>> {
  for (let plans = 1; ; plans += 1) {
    const done = await attempt();
    if (done.ok || done.error !== takenMeanwhile || plans === plansAtMost) return done;
  }
}

/** Changes of one seller's part run one after another: the second needs the revision that the first leads to. */
function busyPart(seller: string): TaskError {
  return taskError('CONFLICT', `Another change is being sent to the seller ${seller}.`, {
    field: 'media_buy_id',
    suggestion: 'Repeat the change in a few seconds.',
    retryAfter: 5,
    details: { seller },
  });
}
