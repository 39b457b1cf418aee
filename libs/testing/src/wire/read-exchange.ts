import { findTask, readA2aEvent, readWireProfile, releaseNamed } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Message } from './judge-message.js';
import type { Spoken } from './published-schemas.js';
import type { Exchange } from './wire-tap.js';

/** Whose server received an exchange: ours, or another party's. */
export type Side = 'ours' | 'theirs';

/** The messages in an exchange that we wrote. */
interface OurWords {
  readonly messages: readonly Alternatives[];
  /** The caller's callback addresses for its tasks and buys, and the form that it used. */
  readonly addresses: readonly Address[];
}

export interface Address {
  readonly url: string;
  /** The caller's id of its operation; absent for reports, which belong to a buy. */
  readonly operationId?: string;
  /** The task of the events: the native channel of A2A does not name it. */
  readonly task: string;
  readonly form: Spoken;
}

/** The message may be in any of these forms: one address was registered in several. */
type Alternatives = readonly Message[];

export type RequestedTask = Pick<Address, 'form' | 'task'>;

const nothing: OurWords = { messages: [], addresses: [] };

/**
 * Our messages in one exchange: answers of our server, and what sellers and receivers of webhooks got.
 *
 * `askedAt` returns the forms and tasks that were registered for a webhook address; without one, the release to check
 * its body against is unknown.
 */
export function readExchange(
  exchange: Exchange,
  side: Side,
  tasksAt: (url: string, operationId: string | undefined) => readonly RequestedTask[],
): OurWords {
  if (exchange.method !== 'POST') return nothing;
  const sent = jsonOf(exchange.sent);
  if (sent === undefined) return nothing;
  return side === 'ours' ? readAnswer(exchange, sent) : readSent(exchange, sent, tasksAt);
}

function readAnswer(exchange: Exchange, sent: JsonObject): OurWords {
  const call = callIn(exchange.path, sent);
  const spoken = call === undefined ? undefined : readWireProfile({ taskName: call.name, args: call.args });
  if (call === undefined || spoken?.ok !== true) return nothing;
  const { profile } = spoken.value;
  const form = profile.release ?? profile.form;
  const task = canonical(call.name);
  const bodies = answersIn(exchange.answered).filter((body) => !isHttpError(body));
  return {
    messages: bodies.map((body) => [{ kind: 'answer' as const, task, form, body }]),
    addresses: configsIn(sent, call.args).flatMap((config) => addressOf(config, form, task)),
  };
}

function addressOf(config: JsonObject, form: Spoken, task: string): readonly Address[] {
  const { url, operation_id: older, operationId = older } = config;
  if (typeof url !== 'string') return [];
  return [{ url, form, task, ...(typeof operationId === 'string' ? { operationId } : {}) }];
}

function readSent(
  exchange: Exchange,
  sent: JsonObject,
  tasksAt: (url: string, operationId: string | undefined) => readonly RequestedTask[],
): OurWords {
  const call = callIn('/mcp', sent);
  if (call !== undefined) {
    const task = canonical(call.name);
    const form = formSpoken(exchange.path, call.args);
    return { messages: [[{ kind: 'request', task, form, body: call.args }]], addresses: [] };
  }
  const url = `http://${exchange.host}${exchange.path}`;
  const { task_type: task, operation_id: id, timestamp } = sent;
  if (typeof task !== 'string' || typeof timestamp !== 'string') return readNative(sent, url, tasksAt);
  const forms = new Set(tasksAt(url, typeof id === 'string' ? id : undefined).map(({ form }) => form));
  const messages = [...forms].map((form) => ({ kind: 'webhook' as const, task, form, body: sent }));
  return { messages: messages.length === 0 ? [] : [messages], addresses: [] };
}

/** An event of A2A's native channel about a task, if it was registered there. */
function readNative(
  sent: JsonObject,
  url: string,
  tasksAt: (url: string, operationId: string | undefined) => readonly RequestedTask[],
): OurWords {
  const event = readA2aEvent(sent);
  if (event?.data === undefined) return nothing;
  const { status, data: result, operationId } = event;
  const messages = tasksAt(url, operationId).map(({ form, task }) => ({
    kind: 'native' as const,
    task,
    form,
    body: { task_type: task, status, result },
  }));
  return { messages: messages.length === 0 ? [] : [messages], addresses: [] };
}

interface Call {
  readonly name: string;
  readonly args: JsonObject;
}

/** The task call in a request: an MCP tool, an A2A skill in either generation, or a REST path. */
function callIn(path: string, sent: JsonObject): Call | undefined {
  const byPath = /^\/v1\/tasks\/([^/?]+)(?:\?|$)/.exec(path)?.[1];
  if (byPath !== undefined) return { name: decodeURIComponent(byPath), args: sent };
  const params = objectAt(sent, 'params');
  if (params === undefined) return undefined;
  const method = sent['method'];
  const { name } = params;
  if (method === 'tools/call' && typeof name === 'string')
    return { name, args: objectAt(params, 'arguments') ?? {} };
  if (method !== 'message/send' && method !== 'SendMessage' && method !== 'message/stream') return undefined;
  for (const part of listAt(objectAt(params, 'message'), 'parts')) {
    const data = objectAt(part, 'data');
    const skill = data?.['skill'];
    if (typeof skill === 'string')
      return { name: skill, args: objectAt(data, 'parameters') ?? objectAt(data, 'input') ?? {} };
  }
  return undefined;
}

/** The answers in a response body: bare, in JSON-RPC, or in the events of a stream. */
function answersIn(text: string): readonly JsonObject[] {
  if (text.startsWith('{'))
    return [jsonOf(text)].flatMap((body) => (body === undefined ? [] : unwrapped(body)));
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => jsonOf(line.slice(5)))
    .filter((body) => body !== undefined);
  // Over REST a stream has one event per seller, and the answer last.
  const isRpc = events.some((event) => 'jsonrpc' in event);
  return (isRpc ? events : events.slice(-1)).flatMap(unwrapped);
}

function unwrapped(reported: JsonObject): readonly JsonObject[] {
  if (!('jsonrpc' in reported)) return [reported];
  const result = objectAt(reported, 'result');
  if (result === undefined) return [];
  const structured = objectAt(result, 'structuredContent');
  if (structured !== undefined) return [structured];
  const task = objectAt(result, 'task') ?? result;
  const final = listAt(task, 'artifacts').flatMap((artifact) => dataOf(listAt(artifact, 'parts')).slice(-1));
  const interim = dataOf(listAt(objectAt(objectAt(task, 'status'), 'message'), 'parts')).slice(0, 1);
  return final.length > 0 ? final : interim;
}

function dataOf(parts: readonly JsonObject[]): readonly JsonObject[] {
  return parts.map((part) => objectAt(part, 'data')).filter((data) => data !== undefined);
}

/** The refusal of an unreadable request comes before any task: only errors. */
const isHttpError = (body: JsonObject): boolean =>
  (isJsonObject(body['error']) && !('task_id' in body)) || Object.keys(body).join() === 'errors';

/** The form of a request to a seller: 3.x names its release; of the two older ones the service form names none. */
function formSpoken(path: string, args: JsonObject): Spoken {
  const named = args['adcp_version'] ?? args['ads_version'];
  if (typeof named === 'string')
    return releaseNamed(named)?.name ?? (named.startsWith('3.0') ? '3.0' : '3.1');
  if ('adcp_major_version' in args || 'ads_major_version' in args) return '3.0';
  return /\/v25(\/|$)/.test(path) ? '2.5' : 'service';
}

const canonical = (name: string): string => findTask(name)?.name ?? name;

function configsIn(sent: JsonObject, args: JsonObject): readonly JsonObject[] {
  const updates = objectAt(args, 'updates');
  const configuration = objectAt(objectAt(sent, 'params'), 'configuration');
  return [
    objectAt(args, 'push_notification_config'),
    objectAt(args, 'reporting_webhook'),
    objectAt(updates, 'push_notification_config'),
    objectAt(updates, 'reporting_webhook'),
    objectAt(configuration, 'pushNotificationConfig'),
    objectAt(configuration, 'taskPushNotificationConfig'),
  ].filter((config) => config !== undefined);
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    const read = JSON.parse(text) as JsonValue;
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function objectAt(value: JsonObject | undefined, name: string): JsonObject | undefined {
  const inner = value?.[name];
  return isJsonObject(inner) ? inner : undefined;
}

function listAt(value: JsonObject | undefined, name: string): readonly JsonObject[] {
  const inner = value?.[name];
  return Array.isArray(inner) ? inner.filter(isJsonObject) : [];
}
