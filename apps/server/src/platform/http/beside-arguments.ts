import { credentialIn } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { HttpFault } from './http-answer.js';

/** Members of the transports themselves: MCP's token of a progress stream, A2A's block for a native callback. */
const exceptions = [
  'params._meta.progressToken',
  'params.configuration.pushNotificationConfig.authentication.credentials',
  'params.configuration.taskPushNotificationConfig.authentication.credentials',
  // The methods that register a native callback later: the block alone, in each generation.
  'params.pushNotificationConfig.authentication.credentials',
  'params.authentication.credentials',
];

/**
 * Where a message holds a credential outside the arguments of its task, or `undefined`: in `_meta` or `metadata`, in
 * another data part, beside `params`. `pointer` is the place of the arguments, which have exceptions of their own.
 */
export function credentialBeside(message: JsonValue, pointer?: string): string | undefined {
  const steps = pointer?.split('/').slice(1) ?? [];
  return credentialIn(steps.length === 0 ? message : without(message, steps), exceptions);
}

/** The refusal of a message that calls no task. It names only the place. */
export function credentialFault(field: string): HttpFault {
  return {
    code: 'CREDENTIAL_IN_ARGS',
    message: 'The message contains a credential or trust material.',
    field,
    suggestion:
      'Send credentials in the Authorization header only, and replace this one: it has been exposed.',
  };
}

function without(value: JsonValue, [name = '', ...deeper]: readonly string[]): JsonValue {
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === name ? without(item, deeper) : item));
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return value;
  const rest: JsonObject = { ...value };
  const below = rest[name];
  if (deeper.length > 0 && below !== undefined) return { ...rest, [name]: without(below, deeper) };
  return Object.fromEntries(Object.entries(rest).filter(([key]) => key !== name));
}
