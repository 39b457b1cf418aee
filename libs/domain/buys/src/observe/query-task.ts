import { getTask, replyOfTask, type SellerReply } from '@switchyard/protocol';
import { callSeller, type SellerTaskCall } from '../send/call-seller.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../send/run-leg.js';
import { retryAfterMs } from '../send/send-patiently.js';

/** What came of asking a seller how far a task is. */
export type ReceivedTask =
  | { readonly kind: 'told'; readonly reply: SellerReply }
  /** It answered, and not about the task. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      /** How long it wants to be left alone, in milliseconds, where it says so. */
      readonly waitMs?: number;
    }
  /** It could not be asked, or there is no id to ask by. */
  | { readonly kind: 'silent' };

/** Whether there is an id to ask a seller by. */
export function canQueryTask({ a2aTaskId, sellerTaskId }: Leg): boolean {
  return a2aTaskId !== undefined || sellerTaskId !== undefined;
}

/** Asks a seller how far a task is: over A2A natively, over MCP by the task tool. */
export async function queryTask(
  ports: Pick<BuysPorts, 'transport'>,
  leg: Leg,
  run: LegRun,
): Promise<ReceivedTask> {
  const question = questionOf(leg);
  if (question === undefined) return { kind: 'silent' };
  const reported = await callSeller(ports.transport, run, question, run.signal);
  if (!reported.ok)
    return reported.error.refusal === 'task_not_found'
      ? { kind: 'refused', code: 'REFERENCE_NOT_FOUND' }
      : { kind: 'silent' };
  const { reply } = reported.value;
  if (leg.a2aTaskId !== undefined) return { kind: 'told', reply };
  const read = getTask.readAnswer(reply.payload, leg.profile);
  // An account may have more tasks than ours: what is told of another one is not about this leg.
  if (read.ok && read.value.answer.taskId !== leg.sellerTaskId) return { kind: 'silent' };
  if (read.ok) return { kind: 'told', reply: replyOfTask(leg.task, read.value.answer, leg.profile) };
  const [error] = reply.errors;
  if (error === undefined) return { kind: 'silent' };
  const waitMs = retryAfterMs(reply);
  return { kind: 'refused', code: error.code, ...(waitMs === undefined ? {} : { waitMs }) };
}

function questionOf(leg: Leg): SellerTaskCall | undefined {
  if (leg.a2aTaskId !== undefined)
    return { task: leg.task, asks: getTask.name, args: {}, a2aTaskId: leg.a2aTaskId };
  if (leg.sellerTaskId === undefined) return undefined;
  const request = { taskId: leg.sellerTaskId, includeResult: true };
  return { task: getTask.name, args: getTask.projectRequest(request, leg.profile).args };
}
