import { dialects, servingTask, latestForm, readTaskStatus, taskTable } from '@switchyard/protocol';
import {
  err,
  isJsonObject,
  isoOf,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { HttpAnswer, HttpFault } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import { invalidParams, rpcResult } from '../http/json-rpc.js';
import { unauthorizedAnswer } from '../http/access/unauthorized-answer.js';
import { writeListedTask, writeTask } from './a2a-task.js';
import { readTask } from './get-task.js';
import { refusedBy, type A2aCall } from './a2a-call.js';
import { countFault, isUnset, fieldFault, textFault } from './push-block.js';

/** `ListTasks` of 1.0: the caller's own tasks, newest first; with their results where it asks for artifacts. */
export async function listTasks(call: A2aCall, http: HttpContext): Promise<HttpAnswer> {
  const { pageSize, pageToken, statusTimestampAfter: since, contextId } = call.params;
  const status = statusOf(call.params['status']);
  const fault = (status.ok ? undefined : status.error) ?? misfitIn(call.params);
  if (!status.ok || fault) {
    const { message, field = '' } = fault ?? fieldFault('params', 'is not understood');
    return { status: 200, body: invalidParams(call.id, message, field) };
  }
  const filters = {
    ...(status.value === undefined ? {} : { statuses: [status.value] }),
    ...(typeof since === 'string' && since !== '' ? { updated_after: since } : {}),
    ...(typeof contextId === 'string' && contextId !== '' ? { context_id: contextId } : {}),
  };
  const withArtifacts = call.params['includeArtifacts'] === true;
  const requested = typeof pageSize === 'number' ? pageSize : usualPage;
  const size = withArtifacts ? Math.min(requested, mostWithArtifacts) : requested;
  const pagination = {
    max_results: size,
    ...(typeof pageToken === 'string' && pageToken !== '' ? { cursor: pageToken } : {}),
  };
  const reply = await http.tasks.call({
    endpoint: 'a2a',
    task: taskTable.listTasks.name,
    // Cursors exist since 3.x: an older version would page by number.
    args: {
      [dialects.ads.versionField]: latestForm,
      filters,
      pagination,
      sort: { field: 'updated_at', direction: 'desc' },
    },
    exact: new Map(),
    caller: call.caller,
    signal: call.signal,
  });
  if (reply.httpStatus === 401) return unauthorizedAnswer(reply);
  if (reply.isError) return refusedBy(call, reply, 'The tasks could not be read.', places);
  const page = isJsonObject(reply.body['pagination']) ? reply.body['pagination'] : {};
  const listed = Array.isArray(reply.body['tasks']) ? reply.body['tasks'].filter(isJsonObject) : [];
  const bare = listed.map((item) => taskOf(item, isoOf(http.clock.now())));
  const tasks = withArtifacts ? await withResults(bare, call, http) : bare;
  const { cursor, total_count: total } = page;
  const result = {
    tasks,
    nextPageToken: typeof cursor === 'string' ? cursor : '',
    pageSize: size,
    totalSize: typeof total === 'number' ? total : tasks.length,
  };
  return { status: 200, body: rpcResult(call.id, result) };
}

/** The same tasks with the artifacts of those that have ended, one read each. */
async function withResults(
  tasks: readonly JsonObject[],
  call: A2aCall,
  http: HttpContext,
): Promise<readonly JsonObject[]> {
  const shown: JsonObject[] = [];
  for (const task of tasks) {
    const read = await readTask(call, task['id'], 'params', http);
    shown.push(read.ok ? writeTask(read.value, '1.0') : task);
  }
  return shown;
}

function taskOf(item: JsonObject, now: string): JsonObject {
  const { task_id: id, task_type: type, status, updated_at: at, context_id: session } = item;
  const taskId = typeof id === 'string' ? id : '';
  return writeListedTask({
    id: taskId,
    contextId: typeof session === 'string' ? session : taskId,
    status: readTaskStatus(status) ?? 'unknown',
    timestamp: typeof at === 'string' ? at : now,
    data: item,
    name: typeof type === 'string' && servingTask(type) ? type : 'task',
  });
}

/** Fields of the task, and their places in the parameters. */
const places = {
  'pagination.cursor': 'params.pageToken',
  'pagination.max_results': 'params.pageSize',
  'filters.updated_after': 'params.statusTimestampAfter',
  'filters.context_id': 'params.contextId',
};

/** The most tasks of one page, in A2A and in our own task, and how many there are unless a caller says so. */
const mostOfPage = 100;
const usualPage = 50;
/** A page with artifacts is shorter: each of them is a read of its own. */
const mostWithArtifacts = 10;

function booleanFault(value: JsonValue | undefined, field: string): HttpFault | undefined {
  return isUnset(value) || typeof value === 'boolean'
    ? undefined
    : fieldFault(field, 'must be true or false');
}

/** Unknown filters are rejected: ignoring one would return tasks that the caller excluded. */
function misfitIn(params: JsonObject): HttpFault | undefined {
  return (
    countFault(params['pageSize'], 'params.pageSize', { from: 1, to: mostOfPage }) ??
    countFault(params['historyLength'], 'params.historyLength', { from: 0 }) ??
    textFault(params['pageToken'], 'params.pageToken', 10_000) ??
    textFault(params['contextId'], 'params.contextId') ??
    textFault(params['statusTimestampAfter'], 'params.statusTimestampAfter') ??
    booleanFault(params['includeArtifacts'], 'params.includeArtifacts')
  );
}

/** `TASK_STATE_INPUT_REQUIRED` as our own status; undefined for no filter. */
function statusOf(state: JsonValue | undefined): Result<string | undefined, HttpFault> {
  if (isUnset(state) || state === '' || state === 'TASK_STATE_UNSPECIFIED') return ok(undefined);
  const word = typeof state === 'string' ? /^TASK_STATE_([A-Z_]+)$/.exec(state)?.[1] : undefined;
  const status = readTaskStatus(word?.toLowerCase().replaceAll('_', '-'));
  if (status !== undefined && status !== 'unknown') return ok(status);
  return err(fieldFault('params.status', 'must be a state of A2A, for example TASK_STATE_WORKING'));
}
