import type { LoggedDetail, LoggedEvent, RowNames, StoredMessage } from '@switchyard/store';
import { seesSellers, visibleTo } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import { rowMembers, whoseOfRow } from '../../business/index.js';
import { explainEvent } from './explain-event.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { instant, jsonObject } from '../../platform/routes/fields.js';
import type { Immutable } from '../../platform/routes/route.js';

/** The summary of a webhook. */
export function eventView(event: LoggedEvent, names: RowNames): EventView {
  const { reason, idempotencyKey, operationId, appliedAt, copyOf } = event;
  const explanation = explainEvent(reason);
  return {
    event_id: event.id,
    seller: event.seller,
    kind: event.kind,
    state: event.state,
    sender: event.sender,
    received_at: isoOf(event.receivedAt),
    copies: event.copies,
    ...whoseOfRow(event, names),
    ...(reason === undefined ? {} : { reason }),
    ...(explanation === undefined ? {} : { explanation }),
    ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    ...(operationId === undefined ? {} : { operation_id: operationId }),
    ...(appliedAt === undefined ? {} : { applied_at: isoOf(appliedAt) }),
    ...(copyOf === undefined ? {} : { copy_of: copyOf }),
  };
}

/** The same with each step of the verdict, and with the bytes if requested. */
export function eventDetail(event: LoggedDetail, withRaw: boolean, names: RowNames): EventDetail {
  const { verdict, body, bodyPurgedAt, decision, legId, keyid } = event;
  return {
    ...eventView(event, names),
    registration_id: event.registrationId,
    body_sha256: event.bodyHash,
    steps: verdict?.steps ?? [],
    duplicates: event.duplicates.map((copy) => ({
      body_sha256: copy.bodyHash,
      is_same_body: copy.isSameBody,
      copies: copy.copies,
      first_seen_at: isoOf(copy.firstSeenAt),
      last_seen_at: isoOf(copy.lastSeenAt),
    })),
    ...(legId === undefined ? {} : { leg_id: legId }),
    ...(keyid === undefined ? {} : { keyid }),
    ...(body === undefined ? {} : { body_bytes: body.length }),
    ...(bodyPurgedAt === undefined ? {} : { body_purged_at: isoOf(bodyPurgedAt) }),
    ...(decision === undefined ? {} : { decision: decisionView(decision) }),
    ...(withRaw ? rawOf(event) : {}),
  };
}

const hidden = '[secret]';

/**
 * The event without the address that it arrived at. The address is the secret that lets a seller reach us, and a
 * message may repeat parts of it: every occurrence is replaced.
 */
export function withoutAddress(event: LoggedDetail): LoggedDetail {
  const { registrationId, verdict, headers, body } = event;
  // Many operations of one principal may share the part before the first dot.
  const [standing = registrationId] = registrationId.split('.', 1);
  const clean = (text: string): string =>
    text.replaceAll(registrationId, hidden).replaceAll(standing, hidden);
  return {
    ...event,
    registrationId: hidden,
    ...(verdict === undefined
      ? {}
      : { verdict: JSON.parse(clean(JSON.stringify(verdict))) as typeof verdict }),
    ...(headers === undefined
      ? {}
      : { headers: headers.map(([name, value]) => [name, clean(value)] as const) }),
    // Byte for byte, also if the body is not UTF-8.
    ...(body === undefined ? {} : { body: Buffer.from(clean(body.toString('latin1')), 'latin1') }),
  };
}

/** The same without what names the seller, except what the seller has written in the body. */
export function withoutSeller(event: LoggedDetail): LoggedDetail {
  const { verdict, headers, ...others } = event;
  return {
    ...withoutSender(others),
    ...(verdict && {
      verdict: {
        ...verdict,
        steps: verdict.steps.map(({ step, name, ok }) => ({ step, name, ok, seen: '' })),
      },
    }),
    ...(headers && { headers: headers.filter(([name]) => name.toLowerCase() === 'content-type') }),
  };
}

/** The sender of a message is the address of a seller's agent: the slug replaces it here. */
export function withoutSender<T extends { readonly seller: string; readonly keyid?: string }>(
  shown: T,
): Omit<T, 'keyid'> & { readonly sender: string } {
  const { keyid: _keyid, ...others } = shown;
  return { ...others, sender: shown.seller };
}

/**
 * A message as evidence. The address that it arrived at is a secret that only operators see, and the brand whose own
 * sealed request named it.
 */
export function messageView(message: StoredMessage, seesAddress: boolean): MessageView {
  const { body, bodyPurgedAt, registrationId, verdict, headers } = message;
  const [standing = registrationId] = registrationId.split('.', 1);
  const isShown = body !== undefined && (seesAddress || !body.includes(standing));
  return {
    event_id: message.id,
    seller: message.seller,
    kind: message.kind,
    state: message.state,
    sender: message.sender,
    keyid: message.keyid ?? null,
    received_at: isoOf(message.receivedAt),
    body_sha256: message.bodyHash,
    body_base64: isShown ? body.toString('base64') : null,
    body_purged_at: bodyPurgedAt === undefined ? null : isoOf(bodyPurgedAt),
    ...(message.operationId !== undefined && { operation_id: message.operationId }),
    ...(seesAddress && {
      request: { method: verdict.method, url: verdict.url, headers },
      keys: [...message.senderKeys],
    }),
  };
}

/** A message as evidence for somebody who may not see who sent it. */
export function messageOfUnnamed(message: StoredMessage, seesAddress: boolean): MessageView {
  const { request: _headers, keys: _keys, ...shown } = messageView(withoutSender(message), seesAddress);
  return shown;
}

/**
 * A message in the export of a chain of custody. An operator sees it as it came. A principal does too where it is about
 * its own sealed request, because it wrote the address itself.
 */
export function messageOfChain(
  message: StoredMessage,
  caller: PrincipalCaller,
  principalId: string,
): MessageView {
  const isKnown = principalId === caller.principalId && message.isSealed;
  const view = isKnown || seesSellers(caller) ? messageView : messageOfUnnamed;
  return view(message, isKnown || visibleTo(caller).kind === 'everything');
}

function decisionView(decision: NonNullable<LoggedDetail['decision']>): NonNullable<EventDetail['decision']> {
  return {
    decision: decision.decision,
    reason: decision.reason,
    by: decision.principalName,
    decided_at: isoOf(decision.decidedAt),
    ...(decision.quarantineReason === undefined ? {} : { was: decision.quarantineReason }),
  };
}

function rawOf({ verdict, headers, body }: LoggedDetail): Pick<EventDetail, 'raw'> {
  if (verdict === undefined || headers === undefined || body === undefined) return {};
  const text = body.toString('utf8');
  return {
    raw: {
      method: verdict.method,
      url: verdict.url,
      headers,
      body_base64: body.toString('base64'),
      ...(Buffer.from(text, 'utf8').equals(body) ? { body_text: text } : {}),
    },
  };
}

/** The state of a webhook. `received` is in progress; the other five are final. */
export const state = z.enum(['received', 'applied', 'duplicate', 'stale', 'quarantined', 'refused']);
export type EventState = z.output<typeof state>;

/** The summary of a webhook. */
export const event = z.strictObject({
  event_id: z.string(),
  seller: z.string(),
  kind: z.string(),
  state,
  reason: z
    .string()
    .exactOptional()
    .describe('Why it has this state. known_without_effect: understood and stored, without effect yet.'),
  explanation: z.string().exactOptional().describe('The reason in words.'),
  sender: z.string(),
  idempotency_key: z.string().exactOptional(),
  operation_id: z.string().exactOptional(),
  received_at: instant,
  applied_at: instant.exactOptional(),
  copy_of: z
    .string()
    .exactOptional()
    .describe('Of a duplicate: the first copy, which is the one that counts.'),
  copies: z.int(),
  ...rowMembers,
});

export type EventView = Immutable<z.output<typeof event>>;

export const detail = z.strictObject({
  ...event.shape,
  registration_id: z
    .string()
    .exactOptional()
    .describe('The secret part of the address that it came to: for operators alone.'),
  leg_id: z.string().exactOptional(),
  keyid: z.string().exactOptional(),
  body_sha256: z.string(),
  body_bytes: z.int().exactOptional(),
  body_purged_at: instant.exactOptional(),
  steps: z
    .array(
      z.strictObject({
        step: z.string(),
        name: z.string(),
        ok: z.boolean(),
        seen: z.string().describe('What the message had.'),
        details: jsonObject.exactOptional().describe('More about the step, by its name.'),
      }),
    )
    .describe('What the verifier looked at, in its order.'),
  duplicates: z.array(
    z.strictObject({
      body_sha256: z.string(),
      is_same_body: z.boolean(),
      copies: z.int(),
      first_seen_at: instant,
      last_seen_at: instant,
    }),
  ),
  decision: z
    .strictObject({
      decision: z.enum(['admitted', 'dismissed']),
      reason: z.string(),
      was: z.string().exactOptional(),
      by: z.string(),
      decided_at: instant,
    })
    .exactOptional(),
  raw: z
    .strictObject({
      method: z.string(),
      url: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      body_base64: z.string(),
      body_text: z.string().exactOptional().describe('The same as text, where it is UTF-8.'),
    })
    .exactOptional()
    .describe('With raw=true only: the message as it came, the secrets of its headers replaced.'),
});

export type EventDetail = Immutable<z.output<typeof detail>>;

/** One message as evidence: the ledger entry names it by hash; the verdict says how it was proved. */
export const message = z.strictObject({
  event_id: z.string(),
  seller: z.string(),
  kind: z.string(),
  state,
  sender: z.string(),
  keyid: z.string().nullable(),
  operation_id: z.string().exactOptional().describe('The operation whose address it came to.'),
  received_at: instant,
  body_sha256: z.string(),
  body_base64: z
    .string()
    .nullable()
    .describe(
      'The bytes as they came; null where they were given up, hold a secret, or name an address that the caller may not see.',
    ),
  body_purged_at: instant.nullable(),
  request: z
    .strictObject({
      method: z.string(),
      url: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
    })
    .exactOptional()
    .describe('For operators alone: what a signature covers. The address is the secret part of it.'),
  keys: z
    .array(jsonObject.describe('Sender, key id, first time and the public key itself as a JWK.'))
    .exactOptional()
    .describe('For operators alone: public keys that verified messages with this key id, as they were then.'),
});

export type MessageView = Immutable<z.output<typeof message>>;
