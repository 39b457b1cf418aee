import { findTask, type AnyTaskSpec } from '@switchyard/protocol';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { RelayFaultCode } from './relay-fault.js';

export interface SealedCall {
  /** Of JSON-RPC, as sent: the answer to it has the same. */
  readonly rpcId: string | number;
  readonly method: string;
  /** The task as the table knows it. */
  readonly spec: AnyTaskSpec;
  /** The name by which the request calls it. */
  readonly taskName: string;
  readonly args: JsonObject;
  /** JSON pointer of `args` in the body: numbers that a double cannot hold are kept by pointer. */
  readonly argsPointer: string;
  /** On A2A: the native push configuration of the message. */
  readonly push?: JsonObject;
}

const a2aSends = new Set(['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage']);

/**
 * Reads what a sealed body calls, without changing a byte of it: a delegation is about tasks, so a body whose task
 * cannot be told is not relayed. Batches have no single task and are refused.
 */
export function readSealedCall(
  protocol: 'mcp' | 'a2a',
  body: JsonValue | undefined,
): Result<SealedCall, RelayFaultCode> {
  if (!isJsonObject(body) || body['jsonrpc'] !== '2.0') return err('RELAY_BODY_MALFORMED');
  const { id, method, params } = body;
  if (typeof id !== 'string' && typeof id !== 'number') return err('RELAY_BODY_MALFORMED');
  if (typeof method !== 'string' || !isJsonObject(params)) return err('RELAY_BODY_MALFORMED');
  const read = protocol === 'mcp' ? toolCall(method, params) : skillCall(method, params);
  if (!read.ok) return read;
  const spec = findTask(read.value.taskName);
  if (spec === undefined) return err('RELAY_TASK_UNKNOWN');
  return ok({ rpcId: id, method, spec, ...read.value });
}

type Called = Pick<SealedCall, 'taskName' | 'args' | 'argsPointer' | 'push'>;

function toolCall(method: string, params: JsonObject): Result<Called, RelayFaultCode> {
  if (method !== 'tools/call') return err('RELAY_METHOD_NOT_ALLOWED');
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string' || !isJsonObject(args)) return err('RELAY_BODY_MALFORMED');
  return ok({ taskName: name, args, argsPointer: '/params/arguments' });
}

/** One data part that names a skill: more than one would be two readings of one message. */
function skillCall(method: string, params: JsonObject): Result<Called, RelayFaultCode> {
  if (!a2aSends.has(method)) return err('RELAY_METHOD_NOT_ALLOWED');
  const message = params['message'];
  const parts = isJsonObject(message) ? message['parts'] : undefined;
  if (!Array.isArray(parts)) return err('RELAY_BODY_MALFORMED');
  const calls = parts.flatMap((part, at) => {
    const data = isJsonObject(part) ? part['data'] : undefined;
    return isJsonObject(data) && data['skill'] !== undefined ? [{ data, at }] : [];
  });
  const [only] = calls;
  if (only === undefined || calls.length > 1) return err('RELAY_BODY_MALFORMED');
  const { skill, parameters, input } = only.data;
  if (parameters !== undefined && input !== undefined) return err('RELAY_BODY_MALFORMED');
  const args = parameters ?? input ?? {};
  if (typeof skill !== 'string' || !isJsonObject(args)) return err('RELAY_BODY_MALFORMED');
  const member = parameters === undefined ? 'input' : 'parameters';
  const configuration = params['configuration'];
  const push = isJsonObject(configuration)
    ? (configuration['pushNotificationConfig'] ?? configuration['taskPushNotificationConfig'])
    : undefined;
  return ok({
    taskName: skill,
    args,
    argsPointer: `/params/message/parts/${only.at}/data/${member}`,
    ...(isJsonObject(push) ? { push } : {}),
  });
}
