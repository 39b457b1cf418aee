import { servingTask, readTaskStatus, taskTable } from '@switchyard/protocol';
import { err, isJsonObject, isoOf, ok, type Result } from '@switchyard/values';
import type { HttpAnswer } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import { invalidParams, rpcResult } from '../http/json-rpc.js';
import { unauthorizedAnswer } from '../http/access/unauthorized-answer.js';
import { writeTask, type A2aTask } from './a2a-task.js';
import { noTask, refusedBy, type A2aCall } from './a2a-call.js';
import { countFault } from './push-block.js';

/** `tasks/get` and `GetTask`: reads the caller's own task; anybody else's does not exist. */
export async function getTask(call: A2aCall, http: HttpContext): Promise<HttpAnswer> {
  const fault = countFault(call.params['historyLength'], 'params.historyLength', { from: 0 });
  if (fault) return { status: 200, body: invalidParams(call.id, fault.message, fault.field ?? '') };
  const task = await readTask(call, call.params['id'], 'params.id', http);
  if (!task.ok) return task.error;
  return { status: 200, body: rpcResult(call.id, writeTask(task.value, call.generation)) };
}

/**
 * The caller's task with the id at `field` of the request: a stored final answer, or the operation itself. A refusal is
 * a JSON-RPC answer.
 */
export async function readTask(
  call: A2aCall,
  id: unknown,
  field: string,
  http: HttpContext,
): Promise<Result<A2aTask, HttpAnswer>> {
  if (typeof id !== 'string' || id === '')
    return err({ status: 200, body: invalidParams(call.id, 'The id of a task must be a text.', field) });
  const answered = await http.answeredTasks.find(call.caller, id);
  if (answered !== undefined) return ok(answered);
  const reply = await http.tasks.call({
    endpoint: 'a2a',
    task: taskTable.getTask.name,
    args: { task_id: id, include_result: true },
    exact: new Map(),
    caller: call.caller,
    signal: call.signal,
  });
  if (reply.httpStatus === 401) return err(unauthorizedAnswer(reply));
  if (reply.isError) {
    if (reply.httpStatus === 404) return err(noTask(call, undefined, field));
    return err(refusedBy(call, reply, 'The task could not be read.', { task_id: field }));
  }
  const { status, result, task_type: taskType, updated_at: updatedAt, context_id: contextId } = reply.body;
  return ok({
    id,
    contextId: typeof contextId === 'string' ? contextId : id,
    status: readTaskStatus(status) ?? 'unknown',
    timestamp: typeof updatedAt === 'string' ? updatedAt : isoOf(http.clock.now()),
    data: isJsonObject(result) ? result : reply.body,
    name: typeof taskType === 'string' && servingTask(taskType) ? taskType : 'task',
  });
}
