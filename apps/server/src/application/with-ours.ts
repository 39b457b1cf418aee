import type { Voice } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/**
 * Our own members beside an answer: at the top level in the `service` form, under `ext.switchyard` elsewhere, as the
 * rows of sellers are. What is `undefined` or an empty list is not said.
 */
export function withOurs(
  payload: JsonObject,
  members: Readonly<Record<string, JsonValue | undefined>>,
  voice: Voice,
): JsonObject {
  const said = Object.fromEntries(
    Object.entries(members).filter(
      (entry): entry is [string, JsonValue] =>
        entry[1] !== undefined && !(Array.isArray(entry[1]) && entry[1].length === 0),
    ),
  );
  if (Object.keys(said).length === 0) return payload;
  if (voice.form === 'service') return { ...payload, ...said };
  const ext = isJsonObject(payload['ext']) ? payload['ext'] : {};
  const ours = isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
  return { ...payload, ext: { ...ext, switchyard: { ...ours, ...said } } };
}
