import { isJsonObject, type JsonObject } from '@switchyard/values';

const callbacks = ['push_notification_config', 'reporting_webhook'];

/**
 * Removes callback secrets from a request before it is stored: no legacy credential and no token may be in a
 * table in clear text, also not in the addresses under `updates` of a change.
 */
export function stripCallbackSecrets(args: JsonObject): JsonObject {
  const { updates } = args;
  const stored = withoutSecrets(args);
  return isJsonObject(updates) ? { ...stored, updates: withoutSecrets(updates) } : stored;
}

function withoutSecrets(args: JsonObject): JsonObject {
  const stored = { ...args };
  for (const name of callbacks) {
    const callback = stored[name];
    if (!isJsonObject(callback)) continue;
    const { authentication, token: _token, ...rest } = callback;
    stored[name] = isJsonObject(authentication)
      ? { ...rest, authentication: { schemes: authentication['schemes'] ?? [] } }
      : rest;
  }
  return stored;
}
