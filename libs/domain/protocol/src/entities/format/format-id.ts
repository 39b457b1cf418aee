import {
  defined,
  isJsonObject,
  withoutEndSlashes,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';
import { numberAt, textAt } from '../../message/pick.js';

export interface FormatId {
  readonly agentUrl: string;
  readonly id: string;
  /** Parameters of a format: pixels, and milliseconds. */
  readonly width?: number;
  readonly height?: number;
  readonly durationMs?: number;
}

/**
 * Reads a format id, which is never changed (docs/protocol/requests-and-versions.md#ids); `undefined` where it is not a
 * pair of texts.
 */
export function readFormatId(value: JsonValue | undefined): FormatId | undefined {
  if (!isJsonObject(value)) return undefined;
  const agentUrl = textAt(value, 'agent_url');
  const id = textAt(value, 'id');
  if (agentUrl === undefined || id === undefined) return undefined;
  const [width, height, durationMs] = ['width', 'height', 'duration_ms'].map((name) => numberAt(value, name));
  return { agentUrl, id, ...defined({ width, height, durationMs }) };
}

export function readFormatIds(values: readonly JsonValue[] | undefined): readonly FormatId[] {
  return (values ?? []).map(readFormatId).filter((id) => id !== undefined);
}

export function projectFormatId(id: FormatId): JsonObject {
  const { width, height, durationMs } = id;
  return { agent_url: id.agentUrl, id: id.id, ...defined({ width, height, duration_ms: durationMs }) };
}

/**
 * Whether one format matches another: same agent and id, and no parameter differs. A format without parameters, such as
 * a template, matches each of its sizes.
 */
export function isSameFormat(one: FormatId, other: FormatId): boolean {
  if (one.id !== other.id || agentOf(one) !== agentOf(other)) return false;
  return (['width', 'height', 'durationMs'] as const).every(
    (name) => one[name] === undefined || other[name] === undefined || one[name] === other[name],
  );
}

/** Scheme and host in lower case, without the default port and the final slash (docs/protocol/products.md#formats). */
function agentOf({ agentUrl }: FormatId): string {
  const parsed = URL.canParse(agentUrl) ? new URL(agentUrl).href : agentUrl;
  return withoutEndSlashes(parsed);
}
