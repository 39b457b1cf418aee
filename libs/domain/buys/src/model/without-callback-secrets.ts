import { isJsonObject, type JsonObject } from '@switchyard/values';

const callbacks = ['push_notification_config', 'reporting_webhook'];

/**
 * The stored request keeps no callback secret: neither a legacy credential nor a token may lie in a table in the clear,
 * also where a change of a buy names the buy's addresses among its `updates`.
 */
export function withoutCallbackSecrets(args: JsonObject): JsonObject {
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
