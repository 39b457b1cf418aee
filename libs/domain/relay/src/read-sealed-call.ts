import { findTask, type AnyTaskSpec } from '@switchyard/protocol';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { RelayFaultCode } from './relay-fault.js';

export interface SealedCall {
  /** The JSON-RPC id as sent. The answer has the same id. */
  readonly rpcId: string | number;
  readonly method: string;
  /** The task's row in the task table. */
  readonly spec: AnyTaskSpec;
  /** The task's name in the request. */
  readonly taskName: string;
  readonly args: JsonObject;
  /** JSON pointer of `args` in the body. Numbers that a double cannot represent are stored by pointer. */
  readonly argsPointer: string;
  /** For A2A: the native push configuration of the message. */
  readonly push?: JsonObject;
}

const a2aSends = new Set(['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage']);

/**
 * Reads which task a sealed body calls, without changing the body. A delegation names tasks, so a body without a known
 * task is refused. A batch has no single task and is refused.
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

/** Exactly one data part must name a skill: with more, the message would be ambiguous. */
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
