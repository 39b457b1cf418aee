import { findTask, readTaskStatus, taskTable } from '@switchyard/protocol';
import { isJsonObject, isoOf, type JsonObject } from '@switchyard/values';
import type { DoorAnswer } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { rpcCodes, rpcError, rpcResult } from '../json-rpc.js';
import { unauthorizedAnswer } from '../unauthorized-answer.js';
import { writeTask } from './a2a-task.js';
import type { A2aCall } from './a2a-call.js';

/** `ListTasks` of 1.0: the caller's own tasks, without their results, which `GetTask` brings. */
export async function listTasks(call: A2aCall, doors: DoorsContext): Promise<DoorAnswer> {
  const { status, pageSize, pageToken, statusTimestampAfter: since, contextId } = call.params;
  const known = statusOf(status);
  const filters = {
    ...(known === undefined ? {} : { statuses: [known] }),
    ...(typeof since === 'string' && since !== '' ? { updated_after: since } : {}),
    ...(typeof contextId === 'string' && contextId !== '' ? { context_id: contextId } : {}),
  };
  const pagination = {
    ...(typeof pageSize === 'number' && pageSize > 0 ? { max_results: pageSize } : {}),
    ...(typeof pageToken === 'string' && pageToken !== '' ? { cursor: pageToken } : {}),
  };
  const reply = await doors.tasks.call({
    door: 'a2a',
    task: taskTable.listTasks.name,
    // A cursor is a word of 3.x: an older form would page by number.
    args: { adcp_version: '3.1', filters, pagination, sort: { field: 'updated_at', direction: 'desc' } },
    exact: new Map(),
    caller: call.caller,
    signal: call.signal,
  });
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  if (reply.isError) {
    const why = reply.errors[0]?.message ?? 'The tasks could not be read.';
    const code = reply.httpStatus < 500 ? rpcCodes.invalidParams : rpcCodes.internal;
    return { status: 200, body: rpcError(call.id, code, why, reply.body) };
  }
  const page = isJsonObject(reply.body['pagination']) ? reply.body['pagination'] : {};
  const listed = Array.isArray(reply.body['tasks']) ? reply.body['tasks'].filter(isJsonObject) : [];
  const tasks = listed.map((item) => taskOf(item, isoOf(doors.clock.now())));
  const { cursor, total_count: total } = page;
  const result = {
    tasks,
    nextPageToken: typeof cursor === 'string' ? cursor : '',
    pageSize: tasks.length,
    totalSize: typeof total === 'number' ? total : tasks.length,
  };
  return { status: 200, body: rpcResult(call.id, result) };
}

function taskOf(item: JsonObject, now: string): JsonObject {
  const { task_id: id, task_type: type, status, updated_at: at, context_id: session } = item;
  const taskId = typeof id === 'string' ? id : '';
  const task = writeTask(
    {
      id: taskId,
      contextId: typeof session === 'string' ? session : taskId,
      status: readTaskStatus(status) ?? 'unknown',
      timestamp: typeof at === 'string' ? at : now,
      data: item,
      name: typeof type === 'string' && findTask(type) ? type : 'task',
    },
    '1.0',
  );
  // A list leaves results out; what stands there is no result.
  const { artifacts: _left, ...bare } = task;
  return bare;
}

/** `TASK_STATE_INPUT_REQUIRED` as our own word; nothing for none. */
function statusOf(state: unknown): string | undefined {
  if (typeof state !== 'string' || state === '' || state === 'TASK_STATE_UNSPECIFIED') return undefined;
  return state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}
