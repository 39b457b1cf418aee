import type { SellerRow, TaskStatus } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Handled } from './handler.js';

type Done = Extract<Handled, { kind: 'done' }>;

/** An answer as it is stored for replays: everything but what the envelope makes anew. */
export function keptAnswer(outcome: Done): JsonObject {
  return {
    status: outcome.status,
    payload: outcome.payload,
    ...(outcome.taskId === undefined ? {} : { task_id: outcome.taskId }),
    ...(outcome.message === undefined ? {} : { message: outcome.message }),
    ...(outcome.sellers === undefined ? {} : { sellers: outcome.sellers as unknown as JsonValue }),
  };
}

export function readKeptAnswer(kept: JsonObject | undefined): Done | undefined {
  const payload = kept?.['payload'];
  if (kept === undefined || !isJsonObject(payload)) return undefined;
  const { task_id: taskId, message, sellers } = kept;
  return {
    kind: 'done',
    status: kept['status'] as TaskStatus,
    payload,
    ...(typeof taskId === 'string' ? { taskId } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(Array.isArray(sellers) ? { sellers: sellers as unknown as readonly SellerRow[] } : {}),
  };
}
