import { randomUUID } from 'node:crypto';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { AnsweredTask } from '../tasks/operation/answered-tasks.js';
import type { PushRequest, PushConfig } from '../tasks/operation/task-push.js';
import type { HttpAnswer } from '../http/http-answer.js';
import type { HttpContext } from '../http/http-context.js';
import { invalidParams, rpcCodes, rpcError, rpcResult } from '../http/json-rpc.js';
import { a2aCodes, noTask, type A2aCall } from './a2a-call.js';
import type { Generation } from './a2a-task.js';
import { readTask } from './get-task.js';
import { countFault, isUnset, pushFault, readPush } from './push-block.js';

export type PushMethod = 'set' | 'get' | 'list' | 'delete';

/**
 * `tasks/pushNotificationConfig/*` and its names in 1.0, on the caller's own tasks. The task itself checks who may see
 * it, so that a stranger gets the answer for a missing task.
 */
export async function pushConfig(method: PushMethod, call: A2aCall, http: HttpContext): Promise<HttpAnswer> {
  const { params, generation, caller } = call;
  // In 0.3 the task is `id`, except in `set`.
  const isOlder = generation === '0.3' && method !== 'set';
  const taskId = params[isOlder ? 'id' : 'taskId'];
  const field = `params.${isOlder ? 'id' : 'taskId'}`;
  if (typeof taskId !== 'string' || taskId === '')
    return invalid(call, 'The id of the task must be a string.', field);
  const fault = countFault(params['pageSize'], 'params.pageSize', { from: 1 });
  if (fault) return invalid(call, fault.message, fault.field ?? '');
  const answered = await http.answeredTasks.find(caller, taskId);
  if (answered !== undefined) return ofAnswered(method, call, answered, http);
  const seen = await readTask(call, taskId, field, http);
  if (!seen.ok) return seen.error;
  if (caller.kind === 'public') return noTask(call, undefined, field);
  const query = { caller, taskId };
  if (method === 'set') return setConfig(call, query, http);
  if (method === 'list') {
    const all = await http.taskPush.list(query);
    if (!all.ok) return refused(call, all.error);
    const configs = all.value.map((config) => shown(config, taskId, generation));
    return answer(call, generation === '0.3' ? configs : { configs, nextPageToken: '' });
  }
  const name = generation === '0.3' ? 'pushNotificationConfigId' : 'id';
  const id = params[name];
  // A `get` without an id reads the only address of the task.
  const isNamed = typeof id === 'string';
  if (!isNamed && !(method === 'get' && isUnset(id)))
    return invalid(call, 'The id of the address must be a string.', `params.${name}`);
  if (method === 'delete' && isNamed) {
    const gone = await http.taskPush.remove({ ...query, id });
    if (!gone.ok) return refused(call, gone.error);
    return answer(call, generation === '0.3' ? null : {});
  }
  const all = await http.taskPush.list(query);
  if (!all.ok) return refused(call, all.error);
  const found = isNamed ? all.value.find((each) => each.id === id) : all.value[0];
  if (found === undefined) return noTask(call, 'The task has no such address.', `params.${name}`);
  return answer(call, shown(found, taskId, generation));
}

/**
 * A task that was final at once: its addresses are kept with it, as the card says that addresses are taken, and nothing
 * is sent to them. A caller without a credential has none.
 */
async function ofAnswered(
  method: PushMethod,
  call: A2aCall,
  task: AnsweredTask,
  http: HttpContext,
): Promise<HttpAnswer> {
  const { params, generation, caller } = call;
  const known = task.push ?? [];
  if (method === 'list') {
    const configs = known.map((config) => shown(config, task.id, generation));
    return answer(call, generation === '0.3' ? configs : { configs, nextPageToken: '' });
  }
  if (caller.kind === 'public') return noTask(call, 'The task has no such address.', 'params.id');
  if (method === 'set') {
    const read = blockIn(call);
    if (!read.ok) return read.error;
    const { id: named, url, authentication } = readPush(read.value);
    if (typeof url !== 'string') return invalid(call, 'The url is missing.', `${blockAt(generation)}.url`);
    const id = typeof named === 'string' && named !== '' ? named : randomUUID();
    const [scheme] = isJsonObject(authentication) ? listOf(authentication['schemes']) : [];
    const config = { id, url, ...(typeof scheme === 'string' ? { scheme } : {}) };
    const others = known.filter((each) => each.id !== id);
    if (others.length >= mostOfAnswered)
      return invalid(call, 'A task has up to 10 addresses.', 'params.taskId');
    await http.answeredTasks.keep(caller, { ...task, push: [...others, config] });
    return answer(call, shown(config, task.id, generation));
  }
  const name = generation === '0.3' ? 'pushNotificationConfigId' : 'id';
  const id = params[name];
  const found = isUnset(id) && method === 'get' ? known[0] : known.find((each) => each.id === id);
  if (method === 'get')
    return found === undefined
      ? noTask(call, 'The task has no such address.', `params.${name}`)
      : answer(call, shown(found, task.id, generation));
  await http.answeredTasks.keep(caller, { ...task, push: known.filter((each) => each !== found) });
  return answer(call, generation === '0.3' ? null : {});
}

const mostOfAnswered = 10;

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The block of an address in the request, or why it cannot be one. */
function blockIn(call: A2aCall): Result<JsonObject, HttpAnswer> {
  const { params, generation } = call;
  const at = blockAt(generation);
  const block = generation === '0.3' ? params['pushNotificationConfig'] : params;
  if (!isJsonObject(block)) return err(invalid(call, 'The url is missing.', at));
  const { taskId: _named, tenant: _one, ...given } = block;
  const unfit = pushFault(given, at);
  return unfit === undefined ? ok(given) : err(invalid(call, unfit.message, unfit.field ?? at));
}

async function setConfig(call: A2aCall, query: PushRequest, http: HttpContext): Promise<HttpAnswer> {
  const { generation } = call;
  const read = blockIn(call);
  if (!read.ok) return read.error;
  const made = await http.taskPush.set({ ...query, generation, block: readPush(read.value) });
  return made.ok ? answer(call, shown(made.value, query.taskId, generation)) : refused(call, made.error);
}

/** The place of the block: in 1.0 its members are the parameters. */
function blockAt(generation: Generation): string {
  return generation === '0.3' ? 'params.pushNotificationConfig' : 'params';
}

/** Tokens and shared secrets are never shown again. */
function shown({ id, url, scheme }: PushConfig, taskId: string, generation: Generation): JsonObject {
  if (generation === '1.0')
    return { id, taskId, url, ...(scheme === undefined ? {} : { authentication: { scheme } }) };
  const authentication = scheme === undefined ? {} : { authentication: { schemes: [scheme] } };
  return { taskId, pushNotificationConfig: { id, url, ...authentication } };
}

function answer(call: A2aCall, result: JsonValue): HttpAnswer {
  return { status: 200, body: { ...rpcResult(call.id, {}), result } };
}

function invalid(call: A2aCall, message: string, field: string): HttpAnswer {
  return { status: 200, body: invalidParams(call.id, message, field) };
}

function refused(
  call: A2aCall,
  errors: readonly { readonly code: string; readonly message: string; readonly field?: string }[],
): HttpAnswer {
  const [first] = errors;
  const code = codes[first?.code ?? ''] ?? rpcCodes.invalidParams;
  const data = {
    errors: errors.map((error) => ({ ...error, ...placed(call, error.field) })),
  } as unknown as JsonObject;
  return { status: 200, body: rpcError(call.id, code, first?.message ?? 'It was refused.', data) };
}

/** The field's place in the method: an address that comes with a message has another one. */
function placed({ generation }: A2aCall, field: string | undefined): { readonly field?: string } {
  if (field === undefined) return {};
  const inline = 'configuration.pushNotificationConfig';
  if (field === inline || field.startsWith(`${inline}.`))
    return { field: `${blockAt(generation)}${field.slice(inline.length)}` };
  if (field === 'id' && generation === '0.3') return { field: 'params.pushNotificationConfigId' };
  return { field: `params.${field}` };
}

const codes: Readonly<Record<string, number>> = {
  REFERENCE_NOT_FOUND: a2aCodes.taskNotFound,
  INVALID_STATE: a2aCodes.unsupportedOperation,
  SERVICE_UNAVAILABLE: rpcCodes.internal,
};
