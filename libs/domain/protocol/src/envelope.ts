import type { JsonObject, JsonValue, Result } from '@switchyard/values';
import type { Finding, TaskStatus } from './model.js';
import type { ExactNumbers } from './task-spec.js';
import type { Form, Voice } from './voice.js';

/** A webhook body (MCP-style), read. */
export interface WebhookEnvelope {
  /** Absent only on bodies of form 2.5. */
  readonly idempotencyKey?: string;
  /** Empty where a delivery report came without one. */
  readonly taskId: string;
  readonly operationId?: string;
  readonly notificationId?: string;
  readonly taskType: string;
  /** `protocol` in 3.x, `domain` in `service` and 2.5. */
  readonly protocol?: string;
  readonly status: TaskStatus;
  /** ISO 8601, as sent. */
  readonly timestamp: string;
  readonly contextId?: string;
  readonly message?: string;
  readonly token?: string;
  readonly context?: JsonObject;
  readonly result?: JsonObject;
}

export interface WebhookReading {
  readonly envelope: WebhookEnvelope;
  /** Exact numbers of `result`, their pointers relative to it. */
  readonly resultExact: ExactNumbers;
  readonly findings: readonly Finding[];
}

export interface EnvelopeError {
  readonly code: 'missing_envelope_fields';
  readonly message: string;
  /** What is missing or of a wrong type. */
  readonly fields: readonly string[];
}

export function readWebhookEnvelope(
  _value: JsonValue,
  _exact: ExactNumbers,
  _form?: Form,
): Result<WebhookReading, EnvelopeError> {
  throw new Error('not written yet');
}

export function writeWebhookEnvelope(_envelope: WebhookEnvelope, _to: Voice): JsonObject {
  throw new Error('not written yet');
}
