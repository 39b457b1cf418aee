import type { WireProfile } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/**
 * Adds our own members to an answer: at the top level in the `service` form, under `ext.switchyard` elsewhere, like the
 * rows of sellers. `undefined` and empty lists are omitted. Findings are merged, each once; any other member is
 * replaced.
 */
export function withOurs(
  payload: JsonObject,
  members: Readonly<Record<string, JsonValue | undefined>>,
  profile: WireProfile,
): JsonObject {
  const isFlat = profile.form === 'service';
  const ext = isJsonObject(payload['ext']) ? payload['ext'] : {};
  const ours = isFlat ? payload : isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
  const reported = Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, JsonValue][] => {
      if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
      return [[name, name === 'findings' ? joined(ours[name], value) : value]];
    }),
  );
  if (Object.keys(reported).length === 0) return payload;
  if (isFlat) return { ...payload, ...reported };
  return { ...payload, ext: { ...ext, switchyard: { ...ours, ...reported } } };
}

function joined(before: JsonValue | undefined, added: JsonValue): JsonValue {
  if (!Array.isArray(before) || !Array.isArray(added)) return added;
  const seen = new Set(before.map(identityOf));
  return [...before, ...added.filter((one) => !seen.has(identityOf(one)))];
}

/** Two findings are equal if they say the same of the same member of the same seller. */
function identityOf(finding: JsonValue): string {
  if (!isJsonObject(finding)) return JSON.stringify(finding);
  return JSON.stringify(['seller', 'code', 'field', 'message'].map((name) => finding[name] ?? null));
}
