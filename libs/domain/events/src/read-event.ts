import {
  type Form,
  hasFeature,
  readA2aEvent,
  readWebhookChallenge,
  readWebhookEnvelope,
  challengeHash,
  type WebhookChallenge,
  type WebhookEnvelope,
} from '@switchyard/protocol';
import { err, isJsonObject, ok, type JsonValue, type Result } from '@switchyard/values';
import { classifyEvent, kindOfKeyedPayload } from './classify-event.js';
import type { InboxEventKind, WebhookRegistration } from './inbox-port.js';

interface ReadEvent {
  readonly kind: InboxEventKind;
  /** Undefined for a 2.5 body, which has none. */
  readonly idempotencyKey?: string;
  /** A seller's request to prove that we have the address. */
  readonly challenge?: WebhookChallenge;
  /** Absent for messages with a format of their own. */
  readonly envelope?: WebhookEnvelope;
  /** The error in an authentic message: it is accepted and quarantined (docs/protocol/webhooks-in.md#quarantine). */
  readonly wrong?: string;
}

interface EnvelopeFault {
  readonly code: 'missing_envelope_fields' | 'missing_idempotency_key' | 'invalid_envelope_status';
  readonly message: string;
}

/** Reads the body of an authentic webhook and checks it against the registration of its address. */
export function readEvent(
  body: JsonValue,
  exact: ReadonlyMap<string, string>,
  registration: WebhookRegistration,
  form: Form | undefined,
): Result<ReadEvent, EnvelopeFault> {
  if (registration.kind === 'a2a') return readNative(body, registration);
  const challenge = registration.kind === 'events' ? readWebhookChallenge(body) : undefined;
  if (challenge !== undefined)
    return ok({
      kind: 'other',
      idempotencyKey: `challenge:${challengeHash(challenge.challenge)}`,
      challenge,
    });
  const key = isJsonObject(body) ? body['idempotency_key'] : undefined;
  // A key that is no text, or that the database cannot store, counts as missing.
  if (key !== undefined && !isUsableKey(key)) return err(fault('missing_idempotency_key'));
  const keyed = kindOfKeyedPayload(body);
  if (keyed !== undefined) {
    return isUsableKey(key)
      ? ok({ kind: keyed, idempotencyKey: key })
      : err(fault('missing_idempotency_key'));
  }
  const reading = readWebhookEnvelope(body, exact, form);
  if (!reading.ok) return err(fault(codeOf(reading.error.fields, body)));
  const { envelope } = reading.value;
  const kind = classifyEvent(envelope);
  const isTask = registration.kind === 'task' && kind === 'task_status';
  if (isTask && envelope.operationId === undefined && namesOperation(form))
    return err(fault('missing_envelope_fields'));
  const wrong = wrongIn(envelope, kind, registration);
  return ok({
    kind,
    envelope,
    ...(isUsableKey(key) ? { idempotencyKey: key } : {}),
    ...(wrong === undefined ? {} : { wrong }),
  });
}

/**
 * Reads a native A2A body. It has no key of its own, so the key is built from task, state, time and shape. The shape
 * is needed because the end of a task may be sent as a status without data and then as the task with data.
 */
function readNative(body: JsonValue, registration: WebhookRegistration): Result<ReadEvent, EnvelopeFault> {
  const event = readA2aEvent(body);
  if (event === undefined) return err(fault('missing_envelope_fields'));
  const { shape, a2aTaskId, state, timestamp, operationId, idempotencyKey } = event;
  const update = timestamp === undefined ? undefined : `a2a:${shape}:${state}:${timestamp}:${a2aTaskId}`;
  const key = [idempotencyKey, update].find((candidate) => isUsableKey(candidate));
  const isOthers = operationId !== undefined && operationId !== registration.sellerOperationId;
  return ok({
    kind: 'task_status',
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(isOthers ? { wrong: 'operation_id_unknown' } : {}),
  });
}

/** Releases up to 3.0 have no `operation_id` in their envelope; there the task id identifies the leg. */
function namesOperation(form: Form | undefined): boolean {
  return form === undefined || hasFeature(form, 'operationIds');
}

/** What changes a buy comes to the address of its request. */
const changing: ReadonlySet<InboxEventKind> = new Set([
  'task_status',
  'delivery_report',
  'impairment',
  'creative_status',
]);

/**
 * Returns the error in an envelope. An `operation_id` must be the one that was given. Reports need none: sender and
 * buy identify them (docs/protocol/webhooks-in.md#correlation), which is checked when they are applied. A task event
 * of an older release has none either, and is checked by its task id when it is applied.
 */
function wrongIn(
  envelope: WebhookEnvelope,
  kind: InboxEventKind,
  registration: WebhookRegistration,
): string | undefined {
  if (registration.kind === 'events' && changing.has(kind)) return 'not_of_this_address';
  if (kind === 'task_status' && registration.kind === 'report') return 'task_status_at_report_address';
  if (registration.kind === 'report' || registration.kind === 'events' || envelope.operationId === undefined)
    return undefined;
  return envelope.operationId === registration.sellerOperationId ? undefined : 'operation_id_unknown';
}

function isUsableKey(key: JsonValue | undefined): key is string {
  return typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key);
}

function codeOf(fields: readonly string[], body: JsonValue): EnvelopeFault['code'] {
  const [only, ...more] = fields;
  if (more.length > 0 || !isJsonObject(body)) return 'missing_envelope_fields';
  if (only === 'idempotency_key') return 'missing_idempotency_key';
  return only === 'status' && typeof body['status'] === 'string'
    ? 'invalid_envelope_status'
    : 'missing_envelope_fields';
}

const texts: Readonly<Record<EnvelopeFault['code'], string>> = {
  missing_envelope_fields: 'The body is not of the format of this address, or lacks required fields.',
  missing_idempotency_key: 'The envelope has no usable idempotency_key.',
  invalid_envelope_status: 'The status of the envelope is not a task status.',
};

function fault(code: EnvelopeFault['code']): EnvelopeFault {
  return { code, message: texts[code] };
}
