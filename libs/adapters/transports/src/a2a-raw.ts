import type { SellerAnswer } from '@switchyard/sellers';
import { atOnce, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { readParts, withText } from './payload.js';

const failedStates: ReadonlySet<string | undefined> = new Set(['failed', 'rejected']);
const finalStates: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'rejected', 'canceled']);

interface Seen {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly state?: string;
  readonly interim?: JsonObject;
  readonly artifact?: JsonObject;
  readonly text?: string;
}

/**
 * Merges the raw results of one A2A call, of protocol 0.3 or 1.0, into one answer: a message, a task, or the updates of
 * a stream. Data is found as docs/protocol/requests-and-versions.md#transports says.
 */
export function mergeA2aResults(results: readonly JsonObject[]): SellerAnswer | undefined {
  if (results.length === 0) return undefined;
  const { taskId, contextId, state, interim, artifact, text } = results.reduce<Seen>(folded, {});
  const payload = finalStates.has(state) ? (artifact ?? interim) : (interim ?? artifact);
  // A completed task or a plain message without data has no answer; a task in progress may have none yet.
  if (payload === undefined && (state === undefined || state === 'completed')) return undefined;
  return {
    payload: state === undefined ? (payload ?? {}) : withText(payload ?? {}, text),
    isError: failedStates.has(state),
    a2a: {
      ...(taskId === undefined ? {} : { taskId }),
      ...(contextId === undefined ? {} : { contextId }),
      ...(state === undefined ? {} : { state }),
    },
  };
}

/** Release 1.0 wraps each result in a member that names its kind; 0.3 has the kind inside. */
function folded(before: Seen, result: JsonObject): Seen {
  const named = ['task', 'message', 'statusUpdate', 'artifactUpdate'].find((name) =>
    isJsonObject(result[name]),
  );
  const object = named === undefined ? result : (result[named] as JsonObject);
  const taskId =
    textOf(object['taskId']) ?? (named === 'task' || 'status' in object ? textOf(object['id']) : undefined);
  const contextId = textOf(object['contextId']);
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const state = stateOf(status['state']);
  const reported = isJsonObject(status['message']) ? status['message']['parts'] : object['parts'];
  const {
    data: [interim],
    text,
  } = partsIn(reported);
  const artifacts = Array.isArray(object['artifacts']) ? object['artifacts'] : [object['artifact']];
  const artifact = isJsonObject(artifacts[0]) ? partsIn(artifacts[0]['parts']).data.at(-1) : undefined;
  return {
    ...before,
    ...(taskId === undefined ? {} : { taskId }),
    ...(contextId === undefined ? {} : { contextId }),
    ...(state === undefined ? {} : { state }),
    ...(interim === undefined ? {} : { interim }),
    ...(text === undefined ? {} : { text }),
    ...(artifact === undefined ? {} : { artifact }),
  };
}

/** `TASK_STATE_INPUT_REQUIRED` and `input-required` are the same state. */
function stateOf(state: JsonValue | undefined): string | undefined {
  return textOf(state)
    ?.replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

function partsIn(parts: JsonValue | undefined) {
  const objects = Array.isArray(parts) ? parts.filter((part) => isJsonObject(part)) : [];
  const read = atOnce(readParts(objects));
  return read === 'too_large' ? { data: [] } : read;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
