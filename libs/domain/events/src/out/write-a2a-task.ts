import { isTerminal } from '@switchyard/protocol';
import { isoOf, type JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import type { TaskNews } from './write-task-event.js';

/**
 * A task of A2A as its native channel carries it: final data in the last data part of the first artifact, interim data
 * in the first of the status message (docs/protocol/requests-and-versions.md#transports). A2A has no place for our key
 * and the buyer's operation, so both stand in the metadata.
 */
export function writeA2aTask(
  news: TaskNews & { readonly idempotencyKey: string; readonly operationId: string },
  registration: Pick<BuyerRegistration, 'envelope' | 'contextId'>,
): JsonObject {
  const isNewer = registration.envelope === 'a2a-1.0';
  const contextId = registration.contextId ?? news.taskId;
  const data: JsonObject = {
    ...news.result,
    ...(news.context === undefined ? {} : { context: structuredClone(news.context) }),
  };
  const part: JsonObject = isNewer ? { data, mediaType: 'application/json' } : { kind: 'data', data };
  const message: JsonObject = {
    ...(isNewer ? {} : { kind: 'message' }),
    messageId: news.idempotencyKey,
    role: isNewer ? 'ROLE_AGENT' : 'agent',
    taskId: news.taskId,
    contextId,
    parts: [part],
  };
  const isEnd = isTerminal(news.status);
  return {
    ...(isNewer ? {} : { kind: 'task' }),
    id: news.taskId,
    contextId,
    status: {
      state: isNewer ? `TASK_STATE_${news.status.toUpperCase().replaceAll('-', '_')}` : news.status,
      timestamp: isoOf(news.at),
      ...(isEnd ? {} : { message }),
    },
    ...(isEnd ? { artifacts: [{ artifactId: 'result', name: news.taskType, parts: [part] }] } : {}),
    metadata: { idempotency_key: news.idempotencyKey, operation_id: news.operationId },
  };
}
