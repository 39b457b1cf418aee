import { taskTable } from '@switchyard/protocol';
import type { DoorAnswer } from '../door-answer.js';
import type { HttpContext } from '../http-context.js';
import { invalidParams, rpcError, rpcFault } from '../json-rpc.js';
import { unauthorizedAnswer } from '../access/unauthorized-answer.js';
import { a2aCodes, noTask, refusedBy, renamed, type A2aCall } from './a2a-call.js';
import { getTask } from './get-task.js';

/**
 * `tasks/cancel` and `CancelTask`: cancels the operation, as its owner, and answers the canceled task. If a seller
 * refused, the task continues: the error's data has the result of each part.
 */
export async function cancelTask(call: A2aCall, doors: HttpContext): Promise<DoorAnswer> {
  const id = call.params['id'];
  if (typeof id !== 'string' || id === '')
    return { status: 200, body: invalidParams(call.id, 'id must be a string.', 'params.id') };
  const reply = await doors.tasks.call({
    door: 'a2a',
    task: taskTable.cancelTask.name,
    args: { task_id: id },
    exact: new Map(),
    caller: call.caller,
    signal: call.signal,
  });
  if (reply.isError && (await doors.answeredTasks.find(call.caller, id)) !== undefined)
    return { status: 200, body: rpcFault(call.id, a2aCodes.taskNotCancelable, over) };
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  if (!reply.isError && reply.body['status'] === 'canceled') return getTask(call, doors);
  // By the specification, an answered task means that it was canceled; a task that continues is an error.
  if (!reply.isError)
    return { status: 200, body: rpcError(call.id, a2aCodes.taskNotCancelable, continues, reply.body) };
  if (reply.httpStatus === 404) return noTask(call);
  const why = 'The task cannot be canceled.';
  if (!reply.errors.some(({ code }) => refusals.has(code))) return refusedBy(call, reply, why, places);
  const reported = reply.errors[0]?.message ?? why;
  return {
    status: 200,
    body: rpcError(call.id, a2aCodes.taskNotCancelable, reported, renamed(reply.body, places)),
  };
}

const over = { code: 'INVALID_REQUEST', message: 'The task has ended.', field: 'params.id' } as const;

const places = { task_id: 'params.id' };

const continues = 'Not every seller canceled its part: the task continues with the others.';

/** Codes that mean the task cannot be canceled; the others mean that the request failed. */
const refusals: ReadonlySet<string> = new Set(['NOT_CANCELLABLE', 'CONFLICT', 'INVALID_STATE']);
