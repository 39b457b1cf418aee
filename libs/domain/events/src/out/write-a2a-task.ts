import { isTerminal } from '@switchyard/protocol';
import { isoOf, type JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import type { TaskUpdate } from './write-task-event.js';

/**
 * Writes an A2A task for the native channel: final data in the last data part of the first artifact, interim
 * data in the first part of the status message (docs/protocol/requests-and-versions.md#transports). A2A has
 * no members for the key and the buyer's operation, so both are in the metadata.
 */
export function writeA2aTask(
  update: TaskUpdate & { readonly idempotencyKey: string; readonly operationId: string },
  registration: Pick<BuyerRegistration, 'envelope' | 'contextId'>,
): JsonObject {
  const isNewer = registration.envelope === 'a2a-1.0';
  const contextId = registration.contextId ?? update.taskId;
  const data: JsonObject = {
    ...update.result,
    ...(update.context === undefined ? {} : { context: structuredClone(update.context) }),
  };
  const part: JsonObject = isNewer ? { data, mediaType: 'application/json' } : { kind: 'data', data };
  const message: JsonObject = {
    ...(isNewer ? {} : { kind: 'message' }),
    messageId: update.idempotencyKey,
    role: isNewer ? 'ROLE_AGENT' : 'agent',
    taskId: update.taskId,
    contextId,
    parts: [part],
  };
  const isEnd = isTerminal(update.status);
  return {
    ...(isNewer ? {} : { kind: 'task' }),
    id: update.taskId,
    contextId,
    status: {
      state: isNewer ? `TASK_STATE_${update.status.toUpperCase().replaceAll('-', '_')}` : update.status,
      timestamp: isoOf(update.at),
      ...(isEnd ? {} : { message }),
    },
    ...(isEnd ? { artifacts: [{ artifactId: 'result', name: update.taskType, parts: [part] }] } : {}),
    metadata: { idempotency_key: update.idempotencyKey, operation_id: update.operationId },
  };
}
