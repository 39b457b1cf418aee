import { findCredential } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { SealedCall } from './read-sealed-call.js';

/**
 * Returns the path of a credential in a sealed body, or `undefined`. The task's own exceptions apply to its arguments;
 * outside them, only the callback block of a native A2A registration is exempt.
 * A sealed body is signed and cannot be changed. So a body that would put a secret into a seller's logs is refused
 * (docs/protocol/accounts.md#credentials-in-payloads).
 */
export function scanSealed(body: JsonObject, call: SealedCall): string | undefined {
  return findCredential(call.taskName, call.args) ?? findCredential('', around(body, call));
}

/** Returns the body without the arguments and without the one secret that the protocol defines there. */
function around(body: JsonObject, call: SealedCall): JsonValue {
  const path = call.argsPointer.split('/').slice(1);
  const rest = without(body, path);
  if (call.push === undefined || !isJsonObject(rest)) return rest;
  return ['pushNotificationConfig', 'taskPushNotificationConfig'].reduce<JsonValue>(
    (value, name) => without(value, ['params', 'configuration', name, 'authentication', 'credentials']),
    rest,
  );
}

function without(value: JsonValue | undefined, path: readonly string[]): JsonValue {
  const [name, ...deeper] = path;
  if (value === undefined || name === undefined) return value ?? null;
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === name ? removed(item, deeper) : item));
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return value;
  if (deeper.length > 0) return { ...value, [name]: without(value[name], deeper) };
  const { [name]: _gone, ...rest } = value;
  return rest;
}

function removed(item: JsonValue, deeper: readonly string[]): JsonValue {
  return deeper.length === 0 ? null : without(item, deeper);
}
