import { findTask, readTaskStatus, taskTable } from '@switchyard/protocol';
import { isJsonObject, isoOf } from '@switchyard/values';
import type { DoorAnswer } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { invalidParams, rpcResult } from '../json-rpc.js';
import { unauthorizedAnswer } from '../unauthorized-answer.js';
import { writeTask } from './a2a-task.js';
import { noTask, refusedBy, type A2aCall } from './a2a-call.js';

/** `tasks/get` and `GetTask`: reads the operation itself, as its owner; anybody else's does not exist. */
export async function getTask(call: A2aCall, doors: DoorsContext): Promise<DoorAnswer> {
  const id = call.params['id'];
  if (typeof id !== 'string' || id === '') {
    return { status: 200, body: invalidParams(call.id, 'id has to be a text.', 'params.id') };
  }
  const reply = await doors.tasks.call({
    door: 'a2a',
    task: taskTable.getTask.name,
    args: { task_id: id, include_result: true },
    exact: new Map(),
    caller: call.caller,
    signal: call.signal,
  });
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  if (reply.isError) {
    if (reply.httpStatus === 404) return noTask(call);
    return refusedBy(call, reply, 'The task could not be read.', { task_id: 'params.id' });
  }
  const { status, result, task_type: taskType, updated_at: updatedAt, context_id: contextId } = reply.body;
  const task = writeTask(
    {
      id,
      contextId: typeof contextId === 'string' ? contextId : id,
      status: readTaskStatus(status) ?? 'unknown',
      timestamp: typeof updatedAt === 'string' ? updatedAt : isoOf(doors.clock.now()),
      data: isJsonObject(result) ? result : reply.body,
      name: typeof taskType === 'string' && findTask(taskType) ? taskType : 'task',
    },
    call.generation,
  );
  return { status: 200, body: rpcResult(call.id, task) };
}
