import { credentialPlaces } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** A stored request without the secrets of its task: they are never shown again, not even to their sender. */
export function withoutSecrets(task: string, request: JsonObject): JsonObject {
  const shown = structuredClone(request);
  for (const place of credentialPlaces(task)) remove(shown, place.split('.'));
  remove(shown, ['push_notification_config', 'token']);
  remove(shown, ['reporting_webhook', 'token']);
  return shown;
}

/** Removes the value at a path, where `*` is any member and `name[]` any item of a list. */
function remove(value: JsonValue | undefined, [step = '', ...onward]: readonly string[]): void {
  if (!isJsonObject(value)) return;
  const name = step.replace(/\[\]$/, '');
  const names = name === '*' ? Object.keys(value) : [name];
  for (const one of names) {
    if (onward.length === 0) {
      Reflect.deleteProperty(value, one);
      continue;
    }
    const below = value[one];
    const items = step.endsWith('[]') ? (Array.isArray(below) ? below : []) : [below];
    for (const item of items) remove(item, onward);
  }
}
