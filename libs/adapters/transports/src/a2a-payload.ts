import { type Message, TaskState } from '@a2a-js/sdk';
import type { SendMessageResult, Task } from '@a2a-js/sdk';
import type { SellerAnswer } from '@switchyard/sellers';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { jsonObjectIn } from './mcp-payload.js';

type Part = Message['parts'][number];

const stateWords: Readonly<Partial<Record<TaskState, string>>> = {
  [TaskState.TASK_STATE_SUBMITTED]: 'submitted',
  [TaskState.TASK_STATE_WORKING]: 'working',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_REJECTED]: 'rejected',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'auth-required',
};

const failedStates: ReadonlySet<string | undefined> = new Set(['failed', 'rejected']);
const finalStates: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'rejected', 'canceled']);

/**
 * Reads a message or a task as one answer (docs/protocol/requests-and-versions.md#transports): final data is the last
 * data part of the first artifact, interim data the first data part of the status message. A task without data still
 * has a state; a message without data is unreadable: `undefined`.
 */
export function a2aAnswer(result: SendMessageResult): SellerAnswer | undefined {
  if (!isTask(result)) {
    const payload = firstData(result.parts);
    if (payload === undefined) return undefined;
    return { payload, isError: false, a2a: idsOf(result.taskId, result.contextId, undefined) };
  }
  const state = result.status === undefined ? undefined : stateWords[result.status.state];
  const artifact = lastData(result.artifacts[0]?.parts ?? []);
  const interim = firstData(result.status?.message?.parts ?? []);
  const payload = finalStates.has(state) ? (artifact ?? interim) : (interim ?? artifact);
  // A completed task without data has no answer; a task in progress may have none yet.
  if (payload === undefined && state === 'completed') return undefined;
  return {
    payload: withText(payload ?? {}, textIn(result.status?.message?.parts ?? [])),
    isError: failedStates.has(state),
    a2a: idsOf(result.id, result.contextId, state),
  };
}

function isTask(result: SendMessageResult): result is Task {
  return 'artifacts' in result;
}

function firstData(parts: readonly Part[]): JsonObject | undefined {
  for (const part of parts) {
    const data = dataOf(part);
    if (data !== undefined) return data;
  }
  return undefined;
}

/** Adds a seller's plain text beside its data as `message`, the protocol's member for it. */
export function withText(payload: JsonObject, text: string | undefined): JsonObject {
  return text === undefined || typeof payload['message'] === 'string'
    ? payload
    : { ...payload, message: text };
}

function textIn(parts: readonly Part[]): string | undefined {
  const texts = parts.flatMap(({ content }) =>
    content?.$case === 'text' && content.value !== '' && jsonObjectIn(content.value) === undefined
      ? [content.value]
      : [],
  );
  return texts.length === 0 ? undefined : texts.join(' ').slice(0, 2_000);
}

function lastData(parts: readonly Part[]): JsonObject | undefined {
  return firstData([...parts].reverse());
}

function dataOf({ content }: Part): JsonObject | undefined {
  if (content?.$case === 'data') return isJsonObject(content.value) ? content.value : undefined;
  return content?.$case === 'text' ? jsonObjectIn(content.value) : undefined;
}

function idsOf(
  taskId: string,
  contextId: string,
  state: string | undefined,
): NonNullable<SellerAnswer['a2a']> {
  return {
    ...(taskId === '' ? {} : { taskId }),
    ...(contextId === '' ? {} : { contextId }),
    ...(state === undefined ? {} : { state }),
  };
}
