import { taskTable } from '@switchyard/protocol';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { HttpFault } from '../http/http-answer.js';
import type { Generation } from './a2a-task.js';
import { countFault, isUnset, fieldFault, pushFault, readPush, textFault } from './push-block.js';
import type { PushMethod } from './push-config.js';

export type A2aMethod =
  | 'send'
  | 'stream'
  | 'subscribe'
  | 'get'
  | 'list'
  | 'cancel'
  | 'extended_card'
  | `push_${PushMethod}`;

const methods: Readonly<Record<string, readonly [A2aMethod, Generation]>> = {
  'message/send': ['send', '0.3'],
  'tasks/get': ['get', '0.3'],
  'tasks/cancel': ['cancel', '0.3'],
  'message/stream': ['stream', '0.3'],
  'tasks/resubscribe': ['subscribe', '0.3'],
  'tasks/pushNotificationConfig/set': ['push_set', '0.3'],
  'tasks/pushNotificationConfig/get': ['push_get', '0.3'],
  'tasks/pushNotificationConfig/list': ['push_list', '0.3'],
  'tasks/pushNotificationConfig/delete': ['push_delete', '0.3'],
  'agent/getAuthenticatedExtendedCard': ['extended_card', '0.3'],
  SendMessage: ['send', '1.0'],
  GetTask: ['get', '1.0'],
  CancelTask: ['cancel', '1.0'],
  SendStreamingMessage: ['stream', '1.0'],
  SubscribeToTask: ['subscribe', '1.0'],
  ListTasks: ['list', '1.0'],
  CreateTaskPushNotificationConfig: ['push_set', '1.0'],
  GetTaskPushNotificationConfig: ['push_get', '1.0'],
  ListTaskPushNotificationConfigs: ['push_list', '1.0'],
  DeleteTaskPushNotificationConfig: ['push_delete', '1.0'],
  GetExtendedAgentCard: ['extended_card', '1.0'],
};

/** The method name decides the generation, since no name belongs to both. */
export function readMethod(
  name: string,
): { readonly method: A2aMethod; readonly generation: Generation } | undefined {
  const row = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return row && { method: row[0], generation: row[1] };
}

/**
 * True for a supported version. Without a version, or with an empty header, the method decides (A2A 1.0, section
 * 3.6.2).
 */
export function isSpokenVersion(version: string): boolean {
  return /^(|(0\.3|1\.0)(\.\d+)?)$/.test(version.trim());
}

export interface SkillCall {
  readonly skill: string;
  readonly args: JsonValue;
  /** The place of the arguments in the body, as a JSON pointer. */
  readonly pointer: string;
  readonly contextId?: string;
  /** The task that the message continues. */
  readonly taskId?: string;
  readonly push?: JsonObject;
  /** A member beside the arguments that has the wrong type. */
  readonly fault?: HttpFault;
}

/**
 * Reads `{skill, parameters}` out of the first data part of a message; `input` is an alias. A message with
 * only text is a brief for `get_products`.
 */
export function readSkillCall(params: JsonObject): Result<SkillCall, HttpFault> {
  const message = params['message'];
  const parts = isJsonObject(message) ? message['parts'] : undefined;
  if (!isJsonObject(message) || !Array.isArray(parts)) {
    return err(invalid('params.message.parts', 'The message has no parts.'));
  }
  const texts = parts.map((part) => (isJsonObject(part) ? part['text'] : undefined));
  const brief = texts.every((text) => typeof text === 'string') ? texts.join('\n').trim() : '';
  if (brief !== '') {
    const call = {
      skill: taskTable.getProducts.name,
      args: { brief },
      pointer: '/params/message/parts/0/text',
    };
    return ok({ ...call, ...aroundCall(message, params['configuration']) });
  }
  const at = parts.findIndex((part) => isJsonObject(part) && isJsonObject(part['data']));
  const part = parts[at];
  const data = isJsonObject(part) ? part['data'] : undefined;
  if (!isJsonObject(data)) return err(invalid('params.message.parts', 'The message has no data part.'));
  const skill = data['skill'];
  if (typeof skill !== 'string') {
    return err(invalid(`params.message.parts[${at}].data.skill`, 'The data part names no skill.'));
  }
  const member = 'parameters' in data || !('input' in data) ? 'parameters' : 'input';
  return ok({
    skill,
    args: data[member] ?? {},
    pointer: `/params/message/parts/${at}/data/${member}`,
    ...aroundCall(message, params['configuration']),
  });
}

/** The members of a message and its configuration beside the call itself. */
function aroundCall(
  message: JsonObject,
  configuration: JsonValue | undefined,
): Pick<SkillCall, 'contextId' | 'taskId' | 'push' | 'fault'> {
  const { contextId, taskId } = message;
  const push = pushIn(configuration);
  const history = isJsonObject(configuration) ? configuration['historyLength'] : undefined;
  const fault =
    textFault(contextId, 'params.message.contextId') ??
    textFault(taskId, 'params.message.taskId') ??
    (push?.ok === false ? push.error : undefined) ??
    countFault(history, 'params.configuration.historyLength', { from: 0 });
  return {
    ...(typeof contextId === 'string' && contextId !== '' ? { contextId } : {}),
    ...(typeof taskId === 'string' && taskId !== '' ? { taskId } : {}),
    ...(push?.ok === true ? { push: push.value } : {}),
    ...(fault ? { fault } : {}),
  };
}

function pushIn(configuration: JsonValue | undefined): Result<JsonObject, HttpFault> | undefined {
  if (isUnset(configuration)) return undefined;
  const at = 'params.configuration';
  if (!isJsonObject(configuration)) return err(fieldFault(at, 'must be an object'));
  const names = ['pushNotificationConfig', 'taskPushNotificationConfig'];
  const name = names.find((text) => !isUnset(configuration[text]));
  const given = name === undefined ? undefined : configuration[name];
  if (name === undefined || given === undefined) return undefined;
  if (!isJsonObject(given)) return err(fieldFault(`${at}.${name}`, 'must be an object'));
  const fault = pushFault(given, `${at}.${name}`);
  return fault === undefined ? ok(readPush(given)) : err(fault);
}

function invalid(field: string, message: string): HttpFault {
  return {
    code: 'INVALID_REQUEST',
    message,
    field,
    suggestion:
      'Send one data part: {"skill": "get_products", "parameters": {...}}, or a brief as text alone.',
  };
}
