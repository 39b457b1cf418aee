import { getTask, readReply, type SellerReply } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { callSeller, type SellerTaskCall } from './call-seller.js';
import { pollPaceMs } from './observe-leg.js';
import type { Leg } from './operation.js';
import type { OperationState } from './operation-store.js';
import type { BuysPorts } from './ports.js';
import { lookFor } from './read-back.js';
import { store, type LegRun } from './run-leg.js';

/**
 * Asks a seller how far a task is. Over A2A natively, over MCP by the task tool; where a seller's task says
 * `completed` without its result, as releases up to 3.0 do, the buy itself is looked up.
 */
export async function pollLeg(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<OperationState | undefined> {
  const said = await callSeller(ports.transport, run, questionOf(leg), run.signal);
  const at = ports.clock.now();
  await ports.store.releaseLeg(scope, leg.id, at + pollPaceMs);
  if (!said.ok) return undefined;
  const reply = leg.a2aTaskId === undefined ? taskReply(leg, said.value.reply) : said.value.reply;
  if (reply === undefined) return undefined;
  const found =
    reply.status === 'completed' && Object.keys(reply.payload).length === 0
      ? await lookFor(ports, leg, run)
      : undefined;
  const settled = found?.kind === 'found' ? { ...reply, payload: found.payload } : reply;
  return store(ports, scope, leg.id, { source: 'poll', at, reply: settled });
}

function questionOf(leg: Leg): SellerTaskCall {
  if (leg.a2aTaskId !== undefined)
    return { task: leg.task, asks: getTask.name, args: {}, a2aTaskId: leg.a2aTaskId };
  const request = { taskId: leg.sellerTaskId ?? '', includeResult: true };
  return { task: getTask.name, args: getTask.projectRequest(request, leg.voice).args };
}

/** The task's own answer out of what `tasks/get` said of it; nothing when the question itself failed. */
function taskReply(leg: Leg, said: SellerReply): SellerReply | undefined {
  const read = getTask.readAnswer(said.payload, leg.voice);
  if (!read.ok) return undefined;
  const { status, result, error } = read.value.answer;
  const failed = status === 'failed' || status === 'rejected';
  const inner = result === undefined ? undefined : readReply(leg.task, result, failed, leg.voice);
  const errors =
    inner !== undefined && inner.errors.length > 0 ? inner.errors : error === undefined ? [] : [error];
  return { status, replayed: false, payload: inner?.payload ?? {}, errors: failed ? errors : [] };
}
