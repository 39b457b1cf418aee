import type { JsonObject } from '@switchyard/values';
import type { TaskStatus } from './model.js';
import type { Voice } from './voice.js';

/** One row per seller that could have been asked (ruling 12). */
export interface SellerRow {
  readonly seller: string;
  readonly status: 'answered' | 'slow' | 'refused' | 'failed' | 'skipped';
  readonly reason: string;
  readonly code?: string;
  readonly elapsed_ms: number;
  readonly items: number;
}

export interface AnswerEnvelope {
  readonly voice: Voice;
  readonly served?: string;
  readonly status: TaskStatus;
  readonly taskId?: string;
  /** Echoed verbatim. Leave it out of a `CREDENTIAL_IN_ARGS` answer: it may hold the secret. */
  readonly context?: JsonObject;
  readonly contextId?: string;
  readonly message?: string;
  readonly replayed?: boolean;
  readonly operationId?: string;
  readonly sellers?: readonly SellerRow[];
  /** True at the REST door: `sellers` and `operation_id` at the top level in every form. */
  readonly rest?: boolean;
}

export function projectEnvelope(_envelope: AnswerEnvelope, _payload: JsonObject): JsonObject {
  throw new Error('not written yet');
}
