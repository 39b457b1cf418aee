import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { Finding } from '../losses/finding.js';
import { type TaskStatus, isTerminal, readTaskStatus } from '../entities/task/task-status.js';
import { readReply } from './reply.js';
import type { ExactNumbers } from '../task-spec.js';
import type { SellerReply } from '../errors/seller-reply.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { exactBelow } from './amount.js';
import { is3x } from './form.js';
import { listAt, member, objectAt, textAt } from './pick.js';

/** A parsed webhook body (MCP style). */
export interface WebhookEnvelope {
  /** Absent only on bodies of form 2.5. */
  readonly idempotencyKey?: string;
  /** Empty where a delivery report has none. */
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

interface WebhookReading {
  readonly envelope: WebhookEnvelope;
  /** Exact numbers of `result`, with pointers relative to it. */
  readonly resultExact: ExactNumbers;
  readonly findings: readonly Finding[];
}

interface EnvelopeError {
  readonly code: 'missing_envelope_fields';
  readonly message: string;
  /** Fields that are missing or have a wrong type. */
  readonly fields: readonly string[];
}

/**
 * Reads the body of a webhook. A report without an envelope is rejected like any invalid envelope
 * (docs/protocol/webhooks-in.md#quarantine). Only 2.5 bodies may lack a key (docs/protocol/webhooks-in.md#duplicates).
 * A missing `operation_id` is a finding; the registration decides whether it is required.
 */
export function readWebhookEnvelope(
  value: JsonValue,
  exact: ExactNumbers,
  form?: Form,
): Result<WebhookReading, EnvelopeError> {
  if (!isJsonObject(value)) return broken(['body']);
  const status = readTaskStatus(member(value, 'status'));
  const timestamp = textAt(value, 'timestamp');
  const taskType = textAt(value, 'task_type');
  const idempotencyKey = textAt(value, 'idempotency_key');
  const result = objectAt(value, 'result');
  const isReport = taskType === 'media_buy_delivery' || listAt(result, 'media_buy_deliveries') !== undefined;
  const taskId = textAt(value, 'task_id') ?? (isReport ? '' : undefined);
  const absent = [
    ...(status === undefined ? ['status'] : []),
    ...(timestamp === undefined || Number.isNaN(Date.parse(timestamp)) ? ['timestamp'] : []),
    ...(taskType === undefined ? ['task_type'] : []),
    ...(taskId === undefined ? ['task_id'] : []),
    ...(idempotencyKey === undefined && form !== '2.5' ? ['idempotency_key'] : []),
    ...(result === undefined && member(value, 'result') !== undefined ? ['result'] : []),
  ];
  if (absent.length > 0 || status === undefined || timestamp === undefined || taskType === undefined) {
    return broken(absent);
  }
  const envelope: WebhookEnvelope = {
    taskId: taskId ?? '',
    taskType,
    status,
    timestamp,
    ...defined({
      idempotencyKey,
      operationId: textAt(value, 'operation_id'),
      notificationId: textAt(value, 'notification_id'),
      protocol: textAt(value, 'protocol') ?? textAt(value, 'domain'),
      contextId: textAt(value, 'context_id'),
      message: textAt(value, 'message'),
      token: textAt(value, 'token'),
      context: objectAt(value, 'context'),
      result,
    }),
  };
  return ok({ envelope, resultExact: exactBelow(exact, '/result'), findings: findingsOf(envelope) });
}

/**
 * Writes the body of our webhook in the receiver's form (`domain` or `protocol`:
 * docs/protocol/webhooks-out.md#content-by-status).
 */
export function writeWebhookEnvelope(envelope: WebhookEnvelope, to: WireProfile): JsonObject {
  return defined({
    idempotency_key: envelope.idempotencyKey,
    notification_id: envelope.notificationId,
    operation_id: envelope.operationId,
    task_id: envelope.taskId,
    task_type: envelope.taskType,
    [is3x(to.form) ? 'protocol' : 'domain']: envelope.protocol,
    status: envelope.status,
    timestamp: envelope.timestamp,
    context_id: envelope.contextId,
    message: envelope.message,
    token: envelope.token,
    context: envelope.context === undefined ? undefined : structuredClone(envelope.context),
    result: envelope.result === undefined ? undefined : structuredClone(envelope.result),
  }) as JsonObject;
}

/** A task webhook as if it were the answer. The envelope's status is the task's, whatever its result has. */
export function replyOfEnvelope(envelope: WebhookEnvelope): SellerReply {
  const { status, taskId, taskType, message } = envelope;
  const reply = readReply(taskType, envelope.result ?? {}, status === 'failed');
  const outer = defined({ taskId: taskId === '' ? undefined : taskId, message: message?.slice(0, 2_000) });
  if (status === 'completed' && reply.status !== 'completed' && isTerminal(reply.status))
    return { ...reply, ...outer };
  if (reply.status === status) return { ...reply, ...outer };
  const received = readReply(taskType, { ...envelope.result, status, ...messageOf(message) }, false);
  const errors = received.status === status ? received.errors : [];
  return { ...received, ...outer, status, errors, payload: envelope.result ?? {} };
}

function messageOf(message: string | undefined): JsonObject {
  return message === undefined ? {} : { message };
}

function findingsOf(envelope: WebhookEnvelope): readonly Finding[] {
  const findings: Finding[] = [];
  if (envelope.operationId === undefined) {
    findings.push({
      code: 'OPERATION_ID_MISSING',
      message: 'The envelope names no operation.',
      field: 'operation_id',
    });
  }
  if (envelope.taskId === '') {
    findings.push({ code: 'TASK_ID_MISSING', message: 'The envelope names no task.', field: 'task_id' });
  }
  return findings;
}

function broken(fields: readonly string[]): Result<never, EnvelopeError> {
  const message = `The webhook envelope lacks, or has in a wrong type: ${fields.join(', ')}.`;
  return err({ code: 'missing_envelope_fields', message, fields });
}
