import {
  getTask,
  isOutdated,
  profileOf,
  replyOfTask,
  taskError,
  type SellerReply,
  type WireProfile,
} from '@switchyard/protocol';
import { traitsOf } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { callSeller, type SellerTaskCall } from '../call/call-seller.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../call/leg-run.js';
import { retryAfterMs } from '../call/send-with-retries.js';

/** Result of polling a seller for a task. */
type ReceivedTask =
  | { readonly kind: 'answered'; readonly reply: SellerReply }
  /** The answer was not about the task. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      /** The requested pause in milliseconds, if any. */
      readonly waitMs?: number;
    }
  /** The call failed, or there is no task id. */
  | { readonly kind: 'silent' };

/** Whether there is a task id to poll with. */
export function canQueryTask({ a2aTaskId, sellerTaskId }: Leg): boolean {
  return a2aTaskId !== undefined || sellerTaskId !== undefined;
}

/** Polls a seller for the status of a task: over A2A natively, over MCP by the task tool. */
export async function queryTask(
  ports: Pick<BuysPorts, 'transport'>,
  leg: Leg,
  run: LegRun,
): Promise<ReceivedTask> {
  // The seller is asked in what it speaks now, which may be more than when the leg was sent; about a sealed request in
  // what its brand speaks.
  const profile = leg.sealed === true ? leg.profile : profileOf(run.connection);
  const question = questionOf(leg, profile);
  if (question === undefined) return { kind: 'silent' };
  const reported = await callSeller(ports.transport, run, question, run.signal);
  if (!reported.ok)
    return reported.error.refusal === 'task_not_found'
      ? { kind: 'refused', code: 'REFERENCE_NOT_FOUND' }
      : { kind: 'silent' };
  const { reply } = reported.value;
  if (leg.a2aTaskId !== undefined) return { kind: 'answered', reply };
  const read = getTask.readAnswer(reply.payload, profile);
  // An account may have other tasks: an answer about another task is ignored.
  if (read.ok && read.value.answer.taskId !== leg.sellerTaskId) return { kind: 'silent' };
  if (read.ok) return { kind: 'answered', reply: replyOfTask(leg.task, read.value.answer) };
  const [error] = reply.errors;
  if (error === undefined) return { kind: 'silent' };
  const waitMs = retryAfterMs(reply);
  return { kind: 'refused', code: error.code, ...(waitMs === undefined ? {} : { waitMs }) };
}

/**
 * The same; a seller that refuses the version of the question is learnt again and asked once more. Else a task of a
 * seller whose release was misread would never be seen to end.
 */
export async function queryTaskOrRelearn(
  ports: Pick<BuysPorts, 'transport' | 'relearn'>,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<ReceivedTask> {
  const received = await queryTask(ports, leg, run);
  if (received.kind !== 'refused' || !isOutdated({ errors: [taskError(received.code, '')] })) return received;
  const connection = await ports.relearn?.(scope, run.connection).catch(() => undefined);
  return connection === undefined ? received : queryTask(ports, leg, { ...run, connection });
}

/** Whether the seller lists a tool for its tasks; true where its tools are not known. */
export function listsTaskTool({ tools, protocol, dialect }: LegRun['connection']): boolean {
  if (tools === undefined || !traitsOf(protocol).listsTools) return true;
  return getTask.names[dialect].some((name) => Object.hasOwn(tools, name));
}

function questionOf(leg: Leg, profile: WireProfile): SellerTaskCall | undefined {
  if (leg.a2aTaskId !== undefined)
    return { task: leg.task, calledTask: getTask.name, args: {}, a2aTaskId: leg.a2aTaskId };
  if (leg.sellerTaskId === undefined) return undefined;
  const request = { taskId: leg.sellerTaskId, includeResult: true };
  return { task: getTask.name, args: getTask.projectRequest(request, profile).args };
}
