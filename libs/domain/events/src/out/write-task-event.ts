import { Buffer } from 'node:buffer';
import { writeWebhookEnvelope, type TaskStatus } from '@switchyard/protocol';
import { defined, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import { streamOf, type OutboxDraft } from './outbox-event.js';
import { writeA2aTask } from './write-a2a-task.js';

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
