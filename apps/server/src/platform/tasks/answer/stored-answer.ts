import type { SellerRow, TaskStatus } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Handled } from '../call/handler.js';

type Done = Extract<Handled, { kind: 'done' }>;

/**
 * An answer as it is stored for replays: everything except what the envelope makes again. It is stored as text, because
 * a replay returns the payload byte for byte, and JSON in the database reorders members. The status is beside the text
 * for the store, which owes a webhook for each change of it.
 */
export function storedAnswer({ status, payload, taskId, message, sellers, operationId }: Done): JsonObject {
  const stored = { status, payload, task_id: taskId, message, sellers, operation_id: operationId };
  return { status, text: JSON.stringify(stored) };
}

export function readStoredAnswer(stored: JsonObject | undefined): Done | undefined {
  const text = stored?.['text'];
  const read: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
  if (!isJsonObject(read) || !isJsonObject(read['payload'])) return undefined;
  const { status, payload, task_id: taskId, message, sellers, operation_id: operationId } = read;
  return {
    kind: 'done',
    status: status as TaskStatus,
    payload,
    ...(typeof taskId === 'string' ? { taskId } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof operationId === 'string' ? { operationId } : {}),
    ...(Array.isArray(sellers) ? { sellers: sellers as unknown as readonly SellerRow[] } : {}),
  };
}
