import { createHash } from 'node:crypto';
import { errorRule, type SellerReply } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { canQueryTask, listsTaskTool, queryTaskOrRelearn } from './query-task.js';
import { findBuyAtSeller } from './find-buy-at-seller.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { pollPaceOf } from '../apply/poll-pace.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../call/leg-run.js';
import { isMarketRead } from '../apply/market-read.js';
import { pollRead } from './poll-read.js';
import { storeObservation } from './store-observation.js';

/**
 * Polls a seller for the status of a task. Over A2A natively, over MCP by the task tool. The buy itself is
 * looked up where the task is `completed` without its result, as in releases up to 3.0, where the seller no
 * longer knows it, and where it has no id.
 */
export async function pollLeg(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<OperationState | undefined> {
  const received = isMarketRead(leg.task)
    ? await pollRead(ports, leg, run)
    : await pollReply(ports, scope, leg, run);
  const at = ports.clock.now();
  const [reply, waitMs] =
    received !== undefined && 'waitMs' in received ? [undefined, received.waitMs] : [received, 0];
  await ports.store.releaseLeg(scope, leg, at + Math.max(spread(pollPaceOf(leg, at), leg.id), waitMs));
  if (reply === undefined) return undefined;
  return (await storeObservation(ports, scope, leg, { source: 'poll', at, reply }))?.state;
}

/** Adds up to a tenth, so that legs that began together are not always polled together. */
function spread(paceMs: number, legId: string): number {
  const part = createHash('sha256').update(legId).digest().readUInt16BE(0) / 0xffff;
  return Math.round(paceMs * (1 + part / 10));
}

/** After that time of refused polls a person is told, in milliseconds: the outcome would otherwise be missed for a day. */
const refusedForMs = 5 * 60_000;

/** A poll that is refused for good says nothing of the task, and the next one will be refused as well. */
async function tellRefused(
  { pollRefused, clock }: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  { code, waitMs }: { readonly code: string; readonly waitMs?: number },
): Promise<void> {
  const passes = waitMs !== undefined || errorRule(code).recovery === 'transient';
  if (passes || code === 'REFERENCE_NOT_FOUND' || clock.now() - leg.createdAt < refusedForMs) return;
  await pollRefused?.(scope, leg, code).catch(() => undefined);
}

/** A seller that requested a pause before the next poll. */
interface Wait {
  readonly waitMs: number;
}

/** The seller's current reply; undefined where it sent nothing usable and is polled again later. */
async function pollReply(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<SellerReply | Wait | undefined> {
  const lookUp = async (): Promise<SellerReply | 'no_answer' | undefined> => {
    const found = await findBuyAtSeller(ports, scope, leg, run);
    if (found.kind === 'no_answer') return 'no_answer';
    if (found.kind !== 'found') return undefined;
    return { status: 'completed', replayed: false, payload: found.payload, errors: [] };
  };
  if (!canQueryTask(leg)) {
    const found = await lookUp();
    return found === 'no_answer' ? undefined : found;
  }
  const received = await queryTaskOrRelearn(ports, scope, leg, run);
  if (received.kind === 'refused') await tellRefused(ports, scope, leg, received);
  if (received.kind === 'refused' && received.waitMs !== undefined) return { waitMs: received.waitMs };
  // A task that its seller no longer knows is lost; what it created is not (docs/protocol/task-states.md#polling).
  if (received.kind === 'refused' && received.code === 'REFERENCE_NOT_FOUND') {
    const found = await lookUp();
    return found === 'no_answer' ? undefined : found;
  }
  // A seller without a tool for tasks shows the buy itself.
  if (received.kind !== 'answered') {
    const found = listsTaskTool(run.connection) ? 'no_answer' : await lookUp();
    return found === 'no_answer' ? undefined : found;
  }
  const { reply } = received;
  if (reply.status !== 'completed' || Object.keys(reply.payload).length > 0) return reply;
  const found = await lookUp();
  return found === 'no_answer' ? undefined : (found ?? reply);
}
