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
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { announceMove, type Announce } from '../outbox/announce.js';
import { wakeReports } from '../outbox/report-streams.js';
import { rotateRegistration } from '../outbox/rotate-registrations.js';
import { keepApproval } from '../approvals/keep-approval.js';
import { keepEffects } from '../creatives/keep-effects.js';
import { beginOperation } from './begin-operation.js';
import {
  changeColumns,
  changedLegColumns,
  changedPackageColumns,
  changedSellerBuyColumns,
} from './columns.js';
import { insertRows, updateRow } from './insert-rows.js';
import { readOffers, saveOffers } from './offers.js';
import { readMediaBuys, readState } from './read-state.js';
import { changeOf, legOf, operationOf, sellerBuyOf, type Row } from './rows.js';

export interface OperationStoreOptions {
  /** Words the webhooks that a change of status owes; they are written together with the change. */
  readonly announce?: Announce;
}

/** The buys' store on PostgreSQL, with hand-written statements: every request of a buyer passes through it. */
export function operationStore(store: Store, options: OperationStoreOptions = {}): OperationStore {
  const inTenant: Store['inTenant'] = (scope, work) => store.inTenant(scope, work);
  const oneState = (
    scope: TenantScope,
    where: string,
    values: readonly unknown[],
  ): Promise<OperationState | undefined> => inTenant(scope, (client) => readState(client, where, values));
  return {
    begin: (scope, draft: OperationDraft) => inTenant(scope, (client) => beginOperation(client, draft)),
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
      inTenant(scope, (client) => changeState(client, legId, decide, options)),
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
    leg: (scope, legId) =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>('SELECT * FROM leg WHERE id = $1', [legId]);
        return rows[0] === undefined ? undefined : legOf(rows[0]);
      }),
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
    sellerBuyOf: (scope, connectionId, sellerMediaBuyId) =>
      inTenant(scope, async (client) => {
        const text = 'SELECT * FROM seller_buy WHERE connection_id = $1 AND seller_media_buy_id = $2';
        const { rows } = await client.query<Row>(text, [connectionId, storableText(sellerMediaBuyId)]);
        return rows[0] === undefined ? undefined : sellerBuyOf(rows[0]);
      }),
    standsElsewhere: (scope, connectionId, sellerMediaBuyId) =>
      inTenant(scope, async (client) => {
        const text = 'SELECT stands_elsewhere(id, $2) AS told FROM connection WHERE id = $1';
        const { rows } = await client.query<{ told: Elsewhere }>(text, [
          connectionId,
          storableText(sellerMediaBuyId),
        ]);
        // A connection that is not this tenant's has no word: nothing is taken for its own.
        return rows[0]?.told ?? 'taken';
      }),
    saveOffers: (scope, quotes) => inTenant(scope, (client) => saveOffers(client, quotes)),
    offers: (scope, prefixedIds) => inTenant(scope, (client) => readOffers(client, prefixedIds)),
  };
}

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
  { announce }: OperationStoreOptions,
): Promise<OperationState | undefined> {
  const lock = 'id = (SELECT operation_id FROM leg WHERE id = $1) FOR UPDATE';
  const before = await readState(client, lock, [legId]);
  if (before === undefined) return undefined;
  const after = decide(before);
  if (after === before) return before;
  const at = after.operation.updatedAt;
  for (const leg of after.legs) {
    if (before.legs.includes(leg)) continue;
    const next = leg.nextPollAt === undefined ? null : new Date(leg.nextPollAt);
    const isLetGo = before.legs.find(({ id }) => id === leg.id)?.status === 'held';
    await updateRow(client, 'leg', leg.id, {
      ...changedLegColumns(leg, at),
      ...(isLetGo ? { outbound: leg.outbound } : {}),
      next_poll_at: next,
      lease_until: null,
    });
  }
  for (const sellerBuy of after.sellerBuys) {
    if (before.sellerBuys.includes(sellerBuy)) continue;
    await updateRow(client, 'seller_buy', sellerBuy.id, changedSellerBuyColumns(sellerBuy, at));
  }
  for (const item of after.packages) {
    if (before.packages.includes(item)) continue;
    await updateRow(client, 'buy_package', item.id, changedPackageColumns(item));
  }
  // After the packages: an assignment names its package by the seller's id.
  for (const leg of after.legs) {
    if (before.legs.includes(leg)) continue;
    const earlier = before.legs.find(({ id }) => id === leg.id);
    await keepEffects(client, creativeEffects(after, leg), at);
    await keepApproval(client, earlier, leg, at);
  }
  const { operation, buy } = after;
  const settledAt = operation.settledAt === undefined ? null : new Date(operation.settledAt);
  await updateRow(client, 'operation', operation.id, {
    status: operation.status,
    updated_at: new Date(at),
    settled_at: settledAt,
    history: movedOn(before.operation, operation),
    ...(releasesKey(after) ? { idempotency_key: null } : {}),
  });
  if (buy !== undefined)
    await updateRow(client, 'media_buy', buy.id, {
      status: buy.status,
      revision: buy.revision,
      start_time: buy.startTime,
      end_time: buy.endTime,
      updated_at: new Date(at),
    });
  await insertRows(
    client,
    'buy_change',
    (after.changes ?? []).map((change) => ({
      id: randomUUID(),
      ...changeColumns(operation.organizationId, change),
    })),
  );
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

/**
 * Only success is remembered under a key: a request that failed may be mended and sent under the same one. One that
 * was answered as submitted was a success to its buyer, and replays as such whatever it came to (signing-webhooks 10).
 */
function releasesKey({ operation }: OperationState): boolean {
  return (
    operation.settledAt !== undefined && operation.status !== 'completed' && operation.answer === undefined
  );
}
