import { Buffer } from 'node:buffer';
import { prefixId, writeWebhookEnvelope } from '@switchyard/protocol';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import { streamOf, type OutboxDraft } from './outbox-event.js';

/** The current state of one impairment of a media buy. */
export interface ImpairmentState {
  /** Local id, also the `notification_id` of every event about it: ids of several sellers may be equal. */
  readonly id: string;
  readonly seller: string;
  /** The object as its seller last sent it. */
  readonly detail: JsonObject;
  readonly resolvedAt?: Instant;
}

interface ImpairmentUpdate {
  readonly mediaBuyId: string;
  readonly impairment: ImpairmentState;
  /** Health of the whole buy, over all its sellers. */
  readonly health: 'ok' | 'impaired';
  /** The task that registered the address. Events contain its type and id, but do not end it. */
  readonly taskId: string;
  readonly taskType: string;
  readonly context?: JsonObject;
  readonly at: Instant;
}

/**
 * Writes the event about a new, changed or resolved impairment for one address. It waits until `dueAt` for
 * further changes; until its first attempt it may be replaced, under the same key.
 */
export function writeImpairment(
  registration: BuyerRegistration,
  update: ImpairmentUpdate,
  ids: { readonly id: string; readonly idempotencyKey: string },
): OutboxDraft & { readonly dueAt: Instant } {
  const { impairment, mediaBuyId, at } = update;
  const envelope = writeWebhookEnvelope(
    {
      idempotencyKey: ids.idempotencyKey,
      notificationId: impairment.id,
      operationId: registration.buyerOperationId ?? registration.operationId,
      taskId: update.taskId,
      taskType: update.taskType,
      protocol: 'media-buy',
      status: 'completed',
      timestamp: isoOf(at),
      result: {
        notification_type: 'impairment',
        media_buy_id: mediaBuyId,
        health: update.health,
        ...shownImpairment(impairment),
        ...(impairment.resolvedAt === undefined ? {} : { resolved_at: isoOf(impairment.resolvedAt) }),
      },
      ...(update.context === undefined ? {} : { context: update.context }),
    },
    registration.profile,
  );
  return {
    ...ids,
    registrationId: registration.id,
    principalId: registration.principalId,
    operationId: registration.operationId,
    mediaBuyId,
    stream: streamOf(registration.id, impairment.id),
    kind: 'impairment',
    notificationType: 'impairment',
    notificationId: impairment.id,
    body: Buffer.from(JSON.stringify(envelope), 'utf8'),
    createdAt: at,
    dueAt: at + coalescenceWindowMs(impairment.detail),
  };
}

/** An impairment as buyers see it, in webhooks and on the buy: the seller's members with our ids. */
export function shownImpairment({ id, seller, detail }: Omit<ImpairmentState, 'resolvedAt'>): JsonObject {
  const { media_buy_id: _sellerBuyId, health: _health, notification_type: _type, ...members } = detail;
  const packages = detail['package_ids'];
  return {
    ...members,
    impairment_id: id,
    package_ids: Array.isArray(packages)
      ? packages.filter((item) => typeof item === 'string').map((item) => prefixId(seller, item))
      : [],
  };
}

/**
 * How long an impairment event waits for further changes, in milliseconds. The protocol allows five minutes;
 * our capabilities declare this shorter window (docs/protocol/webhooks-out.md#coalescence).
 */
export const impairmentWindowMs = 60_000;

/** Words for fraud and brand safety, in the members that name the kind of an impairment. */
const latencySensitive = /fraud|invalid_?traffic|(?:^|_)[gs]?ivt(?:_|$)|brand_?(?:safety|suitability)/;
const namingMembers = ['reason_code', 'resource_type', 'category', 'type', 'kind'];

/**
 * The window of one impairment: zero for fraud and brand safety, which must not wait. Codes are an open list,
 * so their words are matched.
 */
export function coalescenceWindowMs(detail: JsonObject): number {
  const isUrgent = namingMembers.some((name) => {
    const value = detail[name];
    return typeof value === 'string' && latencySensitive.test(value.toLowerCase().replace(/[\s.-]+/g, '_'));
  });
  return isUrgent ? 0 : impairmentWindowMs;
}
