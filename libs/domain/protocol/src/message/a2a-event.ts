import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { type TaskStatus, readTaskStatus } from '../entities/task/task-status.js';
import { objectAt, textAt } from './pick.js';

/** A parsed body of the native A2A channel: a `Task` or a `TaskStatusUpdateEvent` of release 0.3 or 1.0. */
export interface A2aEvent {
  readonly shape: 'task' | 'status-update';
  /** Id of the A2A task, which is not the id of the protocol's task in it. */
  readonly a2aTaskId: string;
  readonly contextId?: string;
  /** `state` is the sender's value; `status` is ours for it, `unknown` where there is none. */
  readonly state: string;
  readonly status: TaskStatus;
  /** ISO 8601, as sent. */
  readonly timestamp?: string;
  /**
   * Final data are the last data part of the first artifact; interim data are the first of the status message
   * (docs/protocol/requests-and-versions.md#transports).
   */
  readonly data?: JsonObject;
  /** Native bodies define neither; a sender may put them into `metadata`. */
  readonly idempotencyKey?: string;
  readonly operationId?: string;
}

const ends: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['completed', 'failed', 'canceled', 'rejected']);

/**
 * Reads a native A2A body; `undefined` for any other. Release 0.3 tells the two shapes apart by `kind`, 1.0 by the
 * member that holds them; the shape of a bare object follows from the name of its id.
 */
export function readA2aEvent(body: JsonValue): A2aEvent | undefined {
  if (!isJsonObject(body)) return undefined;
  const [shape, event] = unwrapped(body);
  const a2aTaskId = textAt(event, shape === 'task' ? 'id' : 'taskId');
  const reported = objectAt(event, 'status');
  const state = textAt(reported, 'state');
  if (a2aTaskId === undefined || a2aTaskId === '' || state === undefined) return undefined;
  const status = readTaskStatus(state) ?? 'unknown';
  const metadata = objectAt(event, 'metadata');
  const interim = firstData(objectAt(reported, 'message')?.['parts']);
  const artifact = shape === 'task' ? lastData(firstArtifact(event)) : undefined;
  const data = ends.has(status) ? (artifact ?? interim) : (interim ?? artifact);
  const text = firstText(objectAt(reported, 'message')?.['parts']);
  return {
    shape,
    a2aTaskId,
    state,
    status,
    ...defined({
      contextId: textAt(event, 'contextId'),
      timestamp: textAt(reported, 'timestamp'),
      data: withText(data, status === 'completed' && data === undefined ? undefined : text),
      idempotencyKey: textAt(metadata, 'idempotency_key'),
      operationId: textAt(metadata, 'operation_id'),
    }),
  };
}

function unwrapped(body: JsonObject): readonly [A2aEvent['shape'], JsonObject] {
  const task = objectAt(body, 'task');
  if (task !== undefined) return ['task', task];
  const update = objectAt(body, 'statusUpdate');
  if (update !== undefined) return ['status-update', update];
  const isUpdate = body['kind'] === 'status-update' || (body['kind'] === undefined && 'taskId' in body);
  return [isUpdate ? 'status-update' : 'task', body];
}

function firstArtifact(event: JsonObject): JsonValue | undefined {
  const artifacts = event['artifacts'];
  const first: JsonValue | undefined = Array.isArray(artifacts) ? artifacts[0] : undefined;
  return isJsonObject(first) ? first['parts'] : undefined;
}

function firstData(parts: JsonValue | undefined): JsonObject | undefined {
  if (!Array.isArray(parts)) return undefined;
  for (const part of parts) {
    const data: JsonValue | undefined = isJsonObject(part) ? part['data'] : undefined;
    if (isJsonObject(data)) return data;
  }
  return undefined;
}

/** Text beside the data becomes the protocol's `message`, unless the data has one. */
function withText(data: JsonObject | undefined, text: string | undefined): JsonObject | undefined {
  if (text === undefined || data?.['message'] !== undefined) return data;
  return { ...data, message: text.slice(0, 2_000) };
}

function firstText(parts: JsonValue | undefined): string | undefined {
  const texts = Array.isArray(parts)
    ? parts.flatMap((part) => (isJsonObject(part) ? [textAt(part, 'text')] : []))
    : [];
  return texts.find((text) => text !== undefined && text !== '');
}

function lastData(parts: JsonValue | undefined): JsonObject | undefined {
  return Array.isArray(parts) ? firstData([...parts].reverse()) : undefined;
}
