import { randomBytes, randomUUID } from 'node:crypto';
import type { TaskStatus } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { summarizeAnswer } from '../tasks/answer/summarize-answer.js';
import type { AnsweredTask } from '../tasks/operation/answered-tasks.js';

/** The two generations: their differences on the wire are in this file and in `a2a-request.ts`. */
export type Generation = '0.3' | '1.0';

/** A task of A2A before it is written for either generation. */
export type A2aTask = AnsweredTask;

const final: readonly TaskStatus[] = ['completed', 'failed', 'canceled', 'rejected'];

/** True if the task will not change any more. */
export function isOver({ status }: Pick<A2aTask, 'status'>): boolean {
  return final.includes(status);
}

/**
 * Final data is the last data part of the first artifact, interim data the first of the status message
 * (docs/protocol/requests-and-versions.md#transports). The status message has the answer as a text too, for a model that
 * reads nothing else.
 */
export function writeTask(task: A2aTask, generation: Generation): JsonObject {
  return {
    ...(generation === '1.0' ? {} : { kind: 'task' }),
    id: task.id,
    contextId: task.contextId,
    status: statusOf(task, generation, [textOf(task, generation)]),
    ...(isOver(task) ? { artifacts: [artifactOf(task, generation)] } : {}),
  };
}

/** A task of a list: without its result, and without a text, which a list of many has no room for. */
export function writeListedTask(task: A2aTask): JsonObject {
  return { id: task.id, contextId: task.contextId, status: statusOf(task, '1.0', []) };
}

/** The current status of a task as an event of a stream: in 0.3 it says whether it is the last one. */
export function statusUpdate(task: A2aTask, generation: Generation): JsonObject {
  const { id: taskId, contextId } = task;
  const update = { taskId, contextId, status: statusOf(task, generation, [textOf(task, generation)]) };
  if (generation === '1.0') return { statusUpdate: update };
  return { kind: 'status-update', ...update, final: isOver(task) };
}

/** The data of a task that is over, as an event of a stream. */
export function artifactUpdate(task: A2aTask, generation: Generation): JsonObject {
  const { id: taskId, contextId } = task;
  const update = {
    taskId,
    contextId,
    artifact: artifactOf(task, generation),
    append: false,
    lastChunk: true,
  };
  return generation === '1.0' ? { artifactUpdate: update } : { kind: 'artifact-update', ...update };
}

function statusOf(task: A2aTask, generation: Generation, texts: readonly JsonObject[]): JsonObject {
  const parts = [...(isOver(task) ? [] : [partOf(task, generation)]), ...texts];
  const message: JsonObject = {
    ...(generation === '1.0' ? {} : { kind: 'message' }),
    messageId: randomUUID(),
    role: generation === '1.0' ? 'ROLE_AGENT' : 'agent',
    taskId: task.id,
    contextId: task.contextId,
    parts,
  };
  return {
    state: stateOf(task.status, generation),
    timestamp: task.timestamp,
    ...(parts.length === 0 ? {} : { message }),
  };
}

function artifactOf(task: A2aTask, generation: Generation): JsonObject {
  return { artifactId: 'result', name: task.name, parts: [partOf(task, generation)] };
}

function partOf({ data }: A2aTask, generation: Generation): JsonObject {
  return generation === '1.0' ? { data, mediaType: 'application/json' } : { kind: 'data', data };
}

function textOf({ name, data }: A2aTask, generation: Generation): JsonObject {
  const mark = randomBytes(9).toString('base64url');
  const text = summarizeAnswer(name, data, mark, 'The whole answer is in the data part.');
  return generation === '1.0' ? { text } : { kind: 'text', text };
}

function stateOf(status: TaskStatus, generation: Generation): string {
  if (generation === '0.3') return status;
  if (status === 'unknown') return 'TASK_STATE_UNSPECIFIED';
  return `TASK_STATE_${status.toUpperCase().replaceAll('-', '_')}`;
}
