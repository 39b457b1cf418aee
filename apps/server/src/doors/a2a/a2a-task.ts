import { randomUUID } from 'node:crypto';
import type { TaskStatus } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** The two generations: what differs between them on the wire is in this file and in `a2a-request.ts`. */
export type Generation = '0.3' | '1.0';

/** A task of A2A before it is worded for either generation. */
export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  /** RFC 3339. */
  readonly timestamp: string;
  /** The answer of our task, or how far it has come. */
  readonly data: JsonObject;
  /** Name of our task. */
  readonly name: string;
}

const final: readonly TaskStatus[] = ['completed', 'failed', 'canceled', 'rejected'];

/** Final data is the last data part of the first artifact, interim data the first of the status message (ruling 28). */
export function writeTask(task: A2aTask, generation: Generation): JsonObject {
  const isFinal = final.includes(task.status);
  const part: JsonObject =
    generation === '1.0'
      ? { data: task.data, mediaType: 'application/json' }
      : { kind: 'data', data: task.data };
  const artifact: JsonObject = { artifactId: 'result', name: task.name, parts: [part] };
  const message: JsonObject = {
    ...(generation === '1.0' ? {} : { kind: 'message' }),
    messageId: randomUUID(),
    role: generation === '1.0' ? 'ROLE_AGENT' : 'agent',
    taskId: task.id,
    contextId: task.contextId,
    parts: [part],
  };
  return {
    ...(generation === '1.0' ? {} : { kind: 'task' }),
    id: task.id,
    contextId: task.contextId,
    status: {
      state: stateOf(task.status, generation),
      timestamp: task.timestamp,
      ...(isFinal ? {} : { message }),
    },
    ...(isFinal ? { artifacts: [artifact] } : {}),
  };
}

function stateOf(status: TaskStatus, generation: Generation): string {
  if (generation === '0.3') return status;
  if (status === 'unknown') return 'TASK_STATE_UNSPECIFIED';
  return `TASK_STATE_${status.toUpperCase().replaceAll('-', '_')}`;
}
