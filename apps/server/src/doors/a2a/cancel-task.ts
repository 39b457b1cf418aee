import { taskTable } from '@switchyard/protocol';
import type { DoorAnswer } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { invalidParams, rpcCodes, rpcError } from '../json-rpc.js';
import { unauthorizedAnswer } from '../unauthorized-answer.js';
import { a2aCodes, type A2aCall } from './a2a-call.js';
import { getTask } from './get-task.js';

/**
 * `tasks/cancel` and `CancelTask`: calls the operation off, as its owner, and answers the task as it then stands. Where
 * every seller refused, the refusals are the error's data.
 */
export async function cancelTask(call: A2aCall, doors: DoorsContext): Promise<DoorAnswer> {
  const id = call.params['id'];
  if (typeof id !== 'string' || id === '')
    return { status: 200, body: invalidParams(call.id, 'id has to be a text.', 'params.id') };
  const reply = await doors.tasks.call({
    door: 'a2a',
    task: taskTable.cancelTask.name,
    args: { task_id: id },
    exact: new Map(),
    caller: call.caller,
    signal: call.signal,
  });
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  if (!reply.isError) return getTask(call, doors);
  if (reply.httpStatus === 404)
    return { status: 200, body: rpcError(call.id, a2aCodes.taskNotFound, 'There is no such task.') };
  const why = reply.errors[0]?.message ?? 'The task cannot be called off.';
  const isRefused = reply.errors.some(({ code }) => refusals.has(code));
  const code = isRefused ? a2aCodes.taskNotCancelable : rpcCodes.internal;
  return { status: 200, body: rpcError(call.id, code, why, reply.body) };
}

/** What keeps a task from being called off, as opposed to what keeps the question from being answered. */
const refusals: ReadonlySet<string> = new Set(['NOT_CANCELLABLE', 'CONFLICT', 'INVALID_STATE']);
