import type { JsonObject, JsonValue } from '@switchyard/values';
import { isJsonObject } from '@switchyard/values';
import type { FormatId } from '../model.js';
import { textAt } from './pick.js';

/** Format ids travel untouched (ruling 13); one that is no pair of texts reads as `undefined`. */
export function readFormatId(value: JsonValue | undefined): FormatId | undefined {
  if (!isJsonObject(value)) return undefined;
  const agentUrl = textAt(value, 'agent_url');
  const id = textAt(value, 'id');
  return agentUrl === undefined || id === undefined ? undefined : { agentUrl, id };
}

export function readFormatIds(values: readonly JsonValue[] | undefined): readonly FormatId[] {
  return (values ?? []).map(readFormatId).filter((id) => id !== undefined);
}

export function projectFormatId(id: FormatId): JsonObject {
  return { agent_url: id.agentUrl, id: id.id };
}
