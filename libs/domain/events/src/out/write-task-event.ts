import { Buffer } from 'node:buffer';
import { writeWebhookEnvelope, type TaskStatus, isTerminal } from '@switchyard/protocol';
import { defined, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import { streamOf, type OutboxDraft } from './outbox-event.js';

/** A change of a task, in its buyer's own form. */
export interface TaskUpdate {
  readonly status: TaskStatus;
  readonly taskId: string;
  readonly taskType: string;
  readonly protocol: string;
  readonly at: Instant;
  readonly message?: string;
  /** Depends on the status: the whole answer at the end, progress or the reason before. */
  readonly result: JsonObject;
  /** The request's `context`, unchanged. */
  readonly context?: JsonObject;
  /** The buyer's session of the request. */
  readonly contextId?: string;
}

/** Writes the webhook of one status change, frozen. `ids`: two new UUIDs, of the event and its idempotency key. */
export function writeTaskEvent(
  registration: BuyerRegistration,
  update: TaskUpdate,
  ids: { readonly id: string; readonly idempotencyKey: string },
): OutboxDraft {
  return {
    ...ids,
    registrationId: registration.id,
    principalId: registration.principalId,
    operationId: registration.operationId,
    stream: streamOf(registration.id, update.taskId),
    kind: 'task',
    body: bodyOf(registration, update, ids.idempotencyKey),
    createdAt: update.at,
    ...(registration.mediaBuyId === undefined ? {} : { mediaBuyId: registration.mediaBuyId }),
  };
}

function bodyOf(registration: BuyerRegistration, update: TaskUpdate, idempotencyKey: string): Buffer {
  const operationId = registration.buyerOperationId ?? registration.operationId;
  const { taskId, taskType, protocol, status, result, message, context, contextId } = update;
  if (registration.envelope !== 'mcp') {
    const task = writeA2aTask({ ...update, idempotencyKey, operationId }, registration);
    return Buffer.from(JSON.stringify(task), 'utf8');
  }
  const envelope = writeWebhookEnvelope(
    {
      idempotencyKey,
      operationId,
      taskId,
      taskType,
      protocol,
      status,
      timestamp: isoOf(update.at),
      result,
      ...defined({ message, contextId, context }),
    },
    registration.profile,
  );
  // Compact, because receivers of the older mode hash these bytes (docs/protocol/webhooks-out.md#content-by-status).
  return Buffer.from(JSON.stringify(envelope), 'utf8');
}

/**
 * The sent bytes: the frozen ones, with the registration's token as last member. The token is sealed and not
 * stored in the body's row. It is constant per registration, so every attempt has the same bytes.
 */
export function completeBody(frozen: Buffer, token: string | undefined): Buffer {
  if (token === undefined) return frozen;
  const tail = Buffer.from(`,"token":${JSON.stringify(token)}}`, 'utf8');
  return Buffer.concat([frozen.subarray(0, frozen.length - 1), tail]);
}

/**
 * Writes an A2A task for the native channel: final data in the last data part of the first artifact, interim
 * data in the first part of the status message (docs/protocol/requests-and-versions.md#transports). A2A has
 * no members for the key and the buyer's operation, so both are in the metadata.
 */
function writeA2aTask(
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
