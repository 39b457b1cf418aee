import { randomUUID } from 'node:crypto';
import { creativeEffects, movedOn } from '@switchyard/buys';
import type {
  BuyFilter,
  Elsewhere,
  MediaBuyRecord,
  OperationDraft,
  OperationState,
  OperationStore,
} from '@switchyard/buys';
import { isTerminal, readTaskStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { againAfterDeadlock } from '../core/again-after-deadlock.js';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';
import type { Rows, Statement, TenantClient } from '../core/tenant-client.js';
import { announceMove, type Announce } from '../outbox/announce.js';
import { wakeReports } from '../outbox/report-streams.js';
import { rotateRegistration } from '../outbox/rotate-registrations.js';
import { keepApproval } from '../approvals/keep-approval.js';
import { creativesIn, keepEffects } from '../creatives/keep-effects.js';
import { lockCreatives } from '../creatives/lock-creatives.js';
import { alarmRefusals } from './alarm-refusals.js';
import { beginOperation } from './begin-operation.js';
import {
  changeColumns,
  changedLegColumns,
  changedPackageColumns,
  changedSellerBuyColumns,
  packageColumns,
} from './columns.js';
import { insertRows, updateRow } from './insert-rows.js';
import { readOffers, saveOffers } from './offers.js';
import { readProposals, saveProposals } from './proposals.js';
import { readMediaBuys, readState } from './read-state.js';
import { changeOf, legOf, operationOf, sellerBuyOf, type Row } from './rows.js';

export interface OperationStoreOptions {
  /** Words the webhooks that a change of status owes; they are written together with the change. */
  readonly announce?: Announce;
  /**
   * False where a change need not be on disk when it is answered, because what it was made of can be asked for again: a
   * power cut may then take back those of the last half second. Whoever commits something durable after it has flushed
   * it with that. Default true.
   */
  readonly flushesChanges?: boolean;
}

/** The buys' store on PostgreSQL, with hand-written statements: every request of a buyer passes through it. */
export function operationStore(store: Store, options: OperationStoreOptions = {}): OperationStore {
  const inTenant: Store['inTenant'] = (scope, work) => store.inTenant(scope, work);
  /** One SELECT by a key: the BEGIN and the COMMIT travel with it. */
  const byKey = <R extends object>(scope: TenantScope, statement: Statement): Promise<Rows<R>> =>
    store.inTenant(scope, (client) => client.lastQuery<R>(statement), 'by_keys');
  const oneState = (
    scope: TenantScope,
    where: string,
    values: readonly unknown[],
  ): Promise<OperationState | undefined> => inTenant(scope, (client) => readState(client, where, values));
  return {
    begin: (scope, draft: OperationDraft) =>
      againAfterDeadlock(() => inTenant(scope, (client) => beginOperation(client, draft))),
    byKey: (scope, principalId, key) =>
      inTenant(scope, async (client) => {
        const text = 'SELECT * FROM operation WHERE principal_id = $1 AND idempotency_key = $2';
        const { rows } = await client.query<Row>(text, [principalId, storableText(key)]);
        return rows[0] === undefined ? undefined : operationOf(rows[0]);
      }),
    state: (scope, operationId) => oneState(scope, 'id = $1', [operationId]),
    byTaskId: (scope, principalId, taskId) =>
      oneState(scope, 'task_id = $1 AND principal_id = $2', [storableText(taskId), principalId]),
    takeLeg: (scope, legId, now, leaseUntil) =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(takeLeg, [legId, new Date(now), new Date(leaseUntil)]);
        return rows[0] === undefined ? undefined : legOf(rows[0]);
      }),
    releaseLeg: (scope, legId, nextAt) =>
      inTenant(scope, async (client) => {
        await client.query('UPDATE leg SET lease_until = NULL, next_poll_at = $2 WHERE id = $1', [
          legId,
          new Date(nextAt),
        ]);
      }),
    parkLeg: (scope, legId, reason, at) =>
      inTenant(scope, async (client) => {
        const finding = storableJson([{ code: 'LEG_PARKED', message: reason }]);
        await client.query(parkLeg, [legId, finding, new Date(at)]);
      }),
    change: (scope, legId, decide) =>
      againAfterDeadlock(() =>
        store.inTenant(scope, (client) => changeState(client, legId, decide, options), 'by_keys'),
      ),
    saveAnswer: (scope, operationId, answer, at) =>
      inTenant(scope, async (client) => {
        const saved = await client.query(saveAnswer, [operationId, storableJson(answer), new Date(at)]);
        // What changed while the answer was on its way is news to the buyer: it was told the older status.
        const told = readTaskStatus(answer['status']);
        // From its acknowledgment on, an update's addresses are those of its buy.
        await rotateRegistration(client, operationId, at);
        if (saved.rowCount === 0 || told === undefined || options.announce === undefined) return;
        const state = await readState(client, 'id = $1', [operationId]);
        if (state !== undefined) await announceMove(client, options.announce, told, state);
      }),
    dueLegs: (scope, now, limit) =>
      inTenant(scope, async (client) =>
        (await client.query<Row>(dueLegs, [new Date(now), limit])).rows.map(legOf),
      ),
    leg: async (scope, legId) => {
      const { rows } = await byKey<Row>(scope, { text: oneLeg, values: [legId] });
      return rows[0] === undefined ? undefined : legOf(rows[0]);
    },
    mediaBuy: (scope, id) =>
      inTenant(scope, async (client): Promise<MediaBuyRecord | undefined> => {
        const [found] = await readMediaBuys(client, { ids: [id], limit: 1 });
        return found;
      }),
    mediaBuys: (scope, filter: BuyFilter) => inTenant(scope, (client) => readMediaBuys(client, filter)),
    legsAbout: (scope, mediaBuyId) =>
      inTenant(scope, async (client) =>
        (await client.query<Row>(legsAbout, [storableText(mediaBuyId)])).rows.map(legOf),
      ),
    changesOf: (scope, mediaBuyId, limit) =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(changesOf, [storableText(mediaBuyId), limit]);
        return rows.map(changeOf);
      }),
    sellerBuyOf: async (scope, connectionId, sellerMediaBuyId) => {
      const values = [connectionId, storableText(sellerMediaBuyId)];
      const { rows } = await byKey<Row>(scope, {
        text: sellerBuyNamed,
        values,
      });
      return rows[0] === undefined ? undefined : sellerBuyOf(rows[0]);
    },
    standsElsewhere: async (scope, connectionId, sellerMediaBuyId) => {
      const { rows } = await byKey<{ told: Elsewhere }>(scope, {
        text: elsewhere,
        values: [connectionId, storableText(sellerMediaBuyId)],
      });
      // A connection that is not this tenant's has no word: nothing is taken for its own.
      return rows[0]?.told ?? 'taken';
    },
    saveOffers: (scope, quotes) => inTenant(scope, (client) => saveOffers(client, quotes)),
    offers: (scope, prefixedIds) => readOffers(store, scope, prefixedIds),
    saveProposals: (scope, quotes) => inTenant(scope, (client) => saveProposals(client, quotes)),
    proposals: (scope, prefixedIds) => readProposals(store, scope, prefixedIds),
  };
}

const unflushed = {
  name: 'unflushed',
  text: `select set_config('synchronous_commit', 'off', true)`,
};

const oneLeg = 'SELECT * FROM leg WHERE id = $1';

const sellerBuyNamed = `
  SELECT * FROM seller_buy
  WHERE connection_id = $1 AND seller_media_buy_id = $2`;

const elsewhere = `
  SELECT stands_elsewhere(id, $2) AS told FROM connection WHERE id = $1`;

const takeLeg = `
  UPDATE leg SET status = 'sent', attempts = attempts + 1, sent_at = $2, lease_until = $3, next_poll_at = $3, updated_at = $2
  WHERE id = $1 AND NOT sealed AND status IN ('pending', 'sent') AND (lease_until IS NULL OR lease_until <= $2)
  RETURNING *`;

const parkLeg = `
  UPDATE leg SET status = 'parked', lease_until = NULL, next_poll_at = NULL, updated_at = $3,
    findings = coalesce(findings, '[]'::jsonb) || $2::jsonb
  WHERE id = $1 AND status IN ('pending', 'sent')`;

const legsAbout = `
  SELECT l.* FROM leg l
  WHERE l.operation_id = (SELECT operation_id FROM media_buy WHERE id = $1)
     OR l.seller_buy_id IN (SELECT id FROM seller_buy WHERE media_buy_id = $1)
  ORDER BY l.created_at, l.seller, l.id`;

const changesOf = `
  SELECT * FROM buy_change WHERE media_buy_id = $1 AND action <> 'create' ORDER BY at DESC, id LIMIT $2`;

const saveAnswer = 'UPDATE operation SET answer = $2, updated_at = $3 WHERE id = $1 AND answer IS NULL';

const dueLegs = `
  SELECT * FROM leg
  WHERE status IN ('pending', 'sent', 'submitted', 'working', 'input-required', 'auth-required')
    AND next_poll_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
  ORDER BY next_poll_at LIMIT $2`;

/**
 * The operation row is the lock: whoever changes a leg holds it, so two observations of two legs of one operation
 * cannot each believe the other leg still open.
 */
async function changeState(
  client: TenantClient,
  legId: string,
  decide: (state: OperationState) => OperationState,
  { announce, flushesChanges = true }: OperationStoreOptions,
): Promise<OperationState | undefined> {
  const lock = 'id = (SELECT operation_id FROM leg WHERE id = $1) FOR UPDATE';
  const [before] = await Promise.all([
    readState(client, lock, [legId]),
    flushesChanges ? undefined : client.query(unflushed),
  ]);
  if (before === undefined) return undefined;
  const after = decide(before);
  if (after === before) return before;
  const at = after.operation.updatedAt;
  await Promise.all(changesOfParts(client, before, after, at));
  // After the packages: an assignment names its package by the seller's id.
  const changed = after.legs.filter((leg) => !before.legs.includes(leg));
  // Of all legs before the first is written: each takes its own, and two transactions may have them in another order.
  await lockCreatives(
    client,
    changed.flatMap((leg) => creativesIn(creativeEffects(after, leg))),
  );
  for (const leg of changed) {
    const earlier = before.legs.find(({ id }) => id === leg.id);
    await alarmRefusals(client, earlier, leg, at);
    // A leg that was only written a finding on has nothing new to say of creatives.
    if (earlier?.status === leg.status && earlier.answer === leg.answer) continue;
    await keepEffects(client, creativeEffects(after, leg), at);
    await keepApproval(client, earlier, leg, at);
  }
  const { operation, buy } = after;
  await Promise.all(changesOfWhole(client, before, after, at));
  // Who may still join a buy, and whether it is over, decides which reports its buyer is owed.
  if (buy !== undefined) await wakeReports(client, [buy.id]);
  // The first answer is the line: before it nothing is owed, and nothing after one that was an end.
  const answered = readTaskStatus(before.operation.answer?.['status']);
  if (answered !== undefined && operation.status === 'completed')
    await rotateRegistration(client, operation.id, at);
  if (announce !== undefined && answered !== undefined && !isTerminal(answered))
    await announceMove(client, announce, before.operation.status, after);
  return after;
}

/** Legs, sellers' buys and packages that became others. Sent together: none of them reads what another writes. */
function changesOfParts(
  client: TenantClient,
  before: OperationState,
  after: OperationState,
  at: Instant,
): readonly Promise<void>[] {
  const writes: Promise<void>[] = [];
  for (const leg of after.legs) {
    if (before.legs.includes(leg)) continue;
    const next = leg.nextPollAt === undefined ? null : new Date(leg.nextPollAt);
    const isLetGo = before.legs.find(({ id }) => id === leg.id)?.status === 'held';
    writes.push(
      updateRow(client, 'leg', leg.id, {
        ...changedLegColumns(leg, at),
        ...(isLetGo ? { outbound: leg.outbound } : {}),
        next_poll_at: next,
        lease_until: null,
      }),
    );
  }
  for (const sellerBuy of after.sellerBuys) {
    if (before.sellerBuys.includes(sellerBuy)) continue;
    writes.push(updateRow(client, 'seller_buy', sellerBuy.id, changedSellerBuyColumns(sellerBuy, at)));
  }
  for (const item of after.packages) {
    if (before.packages.includes(item)) continue;
    const isKnown = before.packages.some(({ id }) => id === item.id);
    writes.push(
      isKnown
        ? updateRow(client, 'buy_package', item.id, changedPackageColumns(item))
        : insertRows(client, 'buy_package', [packageColumns(before.operation.organizationId, item)]),
    );
  }
  return writes;
}

/** The operation, its buy, and what is to be told of how it changed. Sent together. */
function changesOfWhole(
  client: TenantClient,
  before: OperationState,
  after: OperationState,
  at: Instant,
): readonly Promise<void>[] {
  const { operation, buy } = after;
  const settledAt = operation.settledAt === undefined ? null : new Date(operation.settledAt);
  return [
    updateRow(client, 'operation', operation.id, {
      status: operation.status,
      updated_at: new Date(at),
      settled_at: settledAt,
      history: movedOn(before.operation, operation),
      ...(releasesKey(after) ? { idempotency_key: null } : {}),
    }),
    ...(buy === undefined
      ? []
      : [
          updateRow(client, 'media_buy', buy.id, {
            status: buy.status,
            revision: buy.revision,
            start_time: buy.startTime,
            end_time: buy.endTime,
            updated_at: new Date(at),
          }),
        ]),
    insertRows(
      client,
      'buy_change',
      (after.changes ?? []).map((change) => ({
        id: randomUUID(),
        ...changeColumns(operation.organizationId, change),
      })),
    ),
  ];
}

/**
 * Only success is remembered under a key: a request that failed may be mended and sent under the same one. One that
 * was answered as submitted was a success to its buyer, and replays as such whatever it came to (signing-webhooks 10).
 */
function releasesKey({ operation }: OperationState): boolean {
  return (
    operation.settledAt !== undefined && operation.status !== 'completed' && operation.answer === undefined
  );
}
