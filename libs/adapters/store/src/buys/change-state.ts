import { randomUUID } from 'node:crypto';
import {
  creativeEffects,
  movedOn,
  type BuyPackage,
  type OperationState,
  taskRegression,
  terminalConflict,
  type Leg,
} from '@switchyard/buys';
import { isTerminal, readTaskStatus } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { announceMove, type Announce } from '../outbox/announce.js';
import { wakingReports } from '../outbox/report-streams.js';
import { rotateRegistration } from '../outbox/registration-row.js';
import { storeApproval } from '../approvals/store-approval.js';
import { isSpendMoved, settleSpend, spendOf } from '../spending/settle-spend.js';
import { creativesIn, storeEffects } from '../creatives/store-effects.js';
import { lockCreatives } from '../creatives/lock-creatives.js';
import {
  changeColumns,
  changedLegColumns,
  changedPackageColumns,
  changedSellerBuyColumns,
  frozenLegColumns,
} from './rows.js';
import { joinPackages, targetingsOf } from './insert-packages.js';
import { noteThings } from '../governance/governed-things.js';
import { addressRows } from './begin-operation.js';
import { Writes } from './insert-rows.js';
import { readState } from './read-state.js';
import { raiseAlarm } from '../signing/alarm-repository.js';

export interface ChangeOptions {
  /** Writes the texts of the webhooks that a change of status owes; they are stored together with the change. */
  readonly announce?: Announce;
  /**
   * False if a change need not be on disk when it is answered, because its source can be queried again: a power cut may
   * then lose the changes of the last half second. A later durable commit flushes them too. Default: true.
   */
  readonly flushesChanges?: boolean;
  /** How long a request waits for an internal approval, in milliseconds. */
  readonly approvalMs?: number;
  /** Collects the last step of each change, if several changes share a transaction: run them after the last change. */
  readonly lastSteps?: (() => Promise<void>)[];
}

/**
 * Locks operations and their buys in the order of their ids, before the first of several changes in one transaction.
 * Otherwise the rows of one change would stay locked while the next waits for an operation of another transaction.
 */
export async function lockOperations(client: TenantClient, ids: readonly string[]): Promise<void> {
  await Promise.all([
    client.query('select id from operation where id = any($1::uuid[]) order by id for update', [ids]),
    client.query(
      `select id from media_buy where operation_id = any($1::uuid[])
         or id = any(array(select o.media_buy_id from operation o where o.id = any($1::uuid[])))
       order by id for update`,
      [ids],
    ),
  ]);
}

/**
 * Applies a change under the lock of the operation row. Every change of a leg takes this lock, so two observations of
 * two legs of one operation cannot each see the other leg as open.
 */
export async function changeState(
  client: TenantClient,
  legId: string,
  decide: (state: OperationState) => OperationState,
  { announce, flushesChanges = true, lastSteps }: ChangeOptions,
): Promise<OperationState | undefined> {
  const ofLeg = 'id = (SELECT operation_id FROM leg WHERE id = $1)';
  const [before] = await Promise.all([
    readState(client, ofLeg, [legId], 'FOR UPDATE'),
    flushesChanges ? undefined : client.query(unflushed),
  ]);
  if (before === undefined) return undefined;
  const after = decide(before);
  if (after === before) return before;
  const at = after.operation.updatedAt;
  const writes = new Writes();
  changesOfDeps(writes, before, after, at);
  changesOfWhole(writes, before, after, at);
  const { operation } = after;
  const isNew = ({ id }: BuyPackage): boolean => !before.packages.some((item) => item.id === id);
  const known = new Set(before.packages.map(({ targeting }) => targeting));
  const changedPackages = after.packages.filter((item) => !isNew(item) && !known.has(item.targeting));
  const isMoved = isSpendMoved(before, after);
  const [spend] = await Promise.all([
    writes.send(client, isMoved ? spendOf(after) : undefined),
    noteThings(client, targetingsOf(changedPackages)),
    joinPackages(client, after.packages.filter(isNew)),
  ]);
  // After the packages, because an assignment names its package by the seller's id.
  const changed = after.legs.filter((leg) => !before.legs.includes(leg));
  // Locked for all legs before the first write: two transactions may have their legs in another order.
  await lockCreatives(
    client,
    changed.flatMap((leg) => creativesIn(creativeEffects(after, leg))),
  );
  for (const leg of changed) {
    const earlier = before.legs.find(({ id }) => id === leg.id);
    await alarmRefusals(client, earlier, leg, at);
    // A leg that only got a finding changes no creatives.
    if (earlier?.status === leg.status && earlier.answer === leg.answer) continue;
    await storeEffects(client, creativeEffects(after, leg), at);
    await storeApproval(client, earlier, leg, at);
  }
  // Events are owed from the first answer on, and none if that answer was an end.
  const answered = readTaskStatus(before.operation.answer?.['status']);
  if (answered !== undefined && operation.status === 'completed')
    await rotateRegistration(client, operation.id, at);
  if (announce !== undefined && answered !== undefined && !isTerminal(answered))
    await announceMove(client, announce, before.operation.status, after);
  // Nobody else commits spend of a buy that is locked.
  if (spend.length === 0) return after;
  const settle = (): Promise<void> => settleSpend(client, before, after, at);
  if (lastSteps === undefined) await settle();
  else lastSteps.push(settle);
  return after;
}

const unflushed = {
  name: 'unflushed',
  text: `select set_config('synchronous_commit', 'off', true)`,
};

/** Changed legs, sellers' buys and packages. */
function changesOfDeps(writes: Writes, before: OperationState, after: OperationState, at: Instant): void {
  for (const leg of after.legs) {
    if (before.legs.includes(leg)) continue;
    const next = leg.nextPollAt === undefined ? null : new Date(leg.nextPollAt);
    const isReencoded = before.legs.find(({ id }) => id === leg.id)?.outbound !== leg.outbound;
    writes.update('leg', leg.id, {
      ...changedLegColumns(leg, at),
      ...(isReencoded ? frozenLegColumns(leg) : {}),
      next_poll_at: next,
      lease_until: null,
    });
  }
  for (const sellerBuy of after.sellerBuys)
    if (!before.sellerBuys.includes(sellerBuy))
      writes.update('seller_buy', sellerBuy.id, changedSellerBuyColumns(sellerBuy, at));
  for (const item of after.packages)
    if (!before.packages.includes(item) && before.packages.some(({ id }) => id === item.id))
      writes.update('buy_package', item.id, changedPackageColumns(item));
}

/** The operation, its buy, and the events about the change. */
function changesOfWhole(writes: Writes, before: OperationState, after: OperationState, at: Instant): void {
  const { operation, buy } = after;
  writes.update('operation', operation.id, {
    status: operation.status,
    updated_at: new Date(at),
    settled_at: operation.settledAt === undefined ? null : new Date(operation.settledAt),
    history: movedOn(before.operation, operation),
    ...(releasesKey(after) ? { idempotency_key: null } : {}),
  });
  if (buy !== undefined) {
    writes.update('media_buy', buy.id, {
      status: buy.status,
      revision: buy.revision,
      start_time: buy.startTime,
      end_time: buy.endTime,
      updated_at: new Date(at),
    });
    // Who may still join a buy, and whether it is over, decides which reports are owed to its buyer.
    writes.add(1, (place) => wakingReports(place([buy.id])));
  }
  writes.insert('webhook_registration', addressRows(operation, after.registrations ?? [], at));
  writes.insert(
    'buy_change',
    (after.changes ?? []).map((change) => ({
      id: randomUUID(),
      ...changeColumns(operation.organizationId, change),
    })),
  );
}

/**
 * Whether the key is free again. Only success is stored under a key: a failed request may be corrected and sent with
 * the same key. A request that was answered as submitted was a success for its buyer, and replays as such whatever its
 * result (docs/protocol/idempotency.md#the-same-request).
 */
function releasesKey({ operation }: OperationState): boolean {
  return (
    operation.settledAt !== undefined && operation.status !== 'completed' && operation.answer === undefined
  );
}

const refusals: ReadonlySet<string> = new Set([taskRegression, terminalConflict]);

/**
 * Raises an alarm for a task state that a seller sent and that cannot follow, in the transaction that refuses it. For
 * impossible states of a buy, the alarm is raised when the change is booked in the journal.
 */
async function alarmRefusals(
  client: TenantClient,
  before: Leg | undefined,
  leg: Leg,
  at: Instant,
): Promise<void> {
  for (const finding of leg.findings) {
    if (!refusals.has(finding.code) || before?.findings.includes(finding) === true) continue;
    const { id, operationId, seller, task } = leg;
    const detail = {
      leg_id: id,
      operation_id: operationId,
      seller,
      code: finding.code,
      message: finding.message,
    };
    await raiseAlarm(client, { kind: 'illegal_transition', subject: `task ${task} ${id}`, detail }, at);
  }
}
