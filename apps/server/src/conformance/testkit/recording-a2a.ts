import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { bodyOf } from './recording-mcp.js';
import type { ReceivedCall } from './recording-seller.js';
import type { Script } from './recording-seller.js';
import type { RecordingSeller } from './recording-seller.js';

type Generation = '0.3' | '1.0';

/** The newest seller of a stage uses the newer A2A release, and the others the older one. */
const generationOf = ({ form }: RecordingSeller): Generation => (form === '3.1' ? '1.0' : '0.3');

/** Returns the card of a recording seller, with one skill for each task. */
export function cardOf(seller: RecordingSeller, url: string, tools: readonly string[]): JsonObject {
  const common = {
    name: seller.slug,
    description: 'Writes down what it gets.',
    version: '1',
    capabilities: { streaming: false, pushNotifications: true },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: tools.map((name) => ({ id: name, name, description: name, tags: [] })),
  };
  return generationOf(seller) === '1.0'
    ? { ...common, supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] }
    : { ...common, protocolVersion: '0.3.0', url, preferredTransport: 'JSONRPC' };
}

/**
 * Answers one A2A POST strictly: refuses a message that is not one data part with a skill and its parameters, because
 * strict sellers would ignore it.
 */
export async function answerA2aCall(
  request: IncomingMessage,
  response: ServerResponse,
  hear: (call: ReceivedCall) => ReturnType<Script>,
): Promise<void> {
  const { id, method, params } = await bodyOf(request);
  const say = (body: JsonObject): void =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  const generation: Generation = /^[A-Z]/.test(method) ? '1.0' : '0.3';
  const named = params?.['id'];
  const taskId = typeof named === 'string' ? named : '';
  if (method === 'tasks/get' || method === 'GetTask')
    return say({ result: taskOf(generation, taskId, { status: 'submitted' }) });
  if (method === 'tasks/cancel' || method === 'CancelTask') {
    const received = hear({ tool: 'tasks/cancel', args: { task_id: taskId } });
    const isDone = isJsonObject(received);
    return say(
      isDone ? { result: taskOf(generation, taskId, received) } : { error: { code: -32002, message: 'No.' } },
    );
  }
  const call = receivedIn(params ?? {}, generation);
  if (call === undefined || (method !== 'message/send' && method !== 'SendMessage'))
    return say({ error: { code: -32602, message: 'This is no call of a skill.' } });
  const reported = hear(call);
  if (reported === 'never') return;
  if (reported === undefined) return say({ error: { code: -32602, message: 'There is no such skill.' } });
  const task = taskOf(generation, `a2a ${String(id)}`, reported);
  say({ result: generation === '1.0' ? { task } : task });
}

function receivedIn(params: JsonObject, generation: Generation): ReceivedCall | undefined {
  const { message, configuration } = params;
  if (!isJsonObject(message) || !Array.isArray(message['parts']) || message['parts'].length !== 1)
    return undefined;
  const isFromBuyer =
    generation === '1.0'
      ? message['role'] === 'ROLE_USER'
      : message['role'] === 'user' && message['kind'] === 'message';
  const [part] = message['parts'];
  if (!isFromBuyer || !isJsonObject(part) || !isJsonObject(part['data'])) return undefined;
  const { skill, parameters, ...more } = part['data'];
  if (typeof skill !== 'string' || !isJsonObject(parameters) || Object.keys(more).length > 0)
    return undefined;
  const given = isJsonObject(configuration) ? configuration : {};
  const push = given['pushNotificationConfig'] ?? given['taskPushNotificationConfig'];
  return { tool: skill, args: parameters, ...(isJsonObject(push) ? { beside: { push } } : {}) };
}

/** Final data are in the artifact, interim data in the status message. */
function taskOf(generation: Generation, id: string, payload: JsonObject): JsonObject {
  const { task_id: named, status } = payload;
  const isOver = status === 'canceled' || (typeof named !== 'string' && status !== 'submitted');
  const state = status === 'canceled' ? 'canceled' : isOver ? 'completed' : 'submitted';
  const isNew = generation === '1.0';
  const part = isNew ? { data: payload } : { kind: 'data', data: payload };
  const message = {
    ...(isNew ? { role: 'ROLE_AGENT' } : { kind: 'message', role: 'agent' }),
    messageId: `said in ${id}`,
    parts: [part],
  };
  return {
    ...(isNew ? {} : { kind: 'task' }),
    id,
    contextId: `context of ${id}`,
    status: {
      state: isNew ? `TASK_STATE_${state.toUpperCase()}` : state,
      ...(isOver ? {} : { message }),
    },
    ...(isOver ? { artifacts: [{ artifactId: 'result', parts: [part] }] } : {}),
  };
}
