import { Buffer } from 'node:buffer';
import { prefixId, writeWebhookEnvelope } from '@switchyard/protocol';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import { coalescenceWindowMs } from './coalesce-impairments.js';
import { streamOf, type OutboxDraft } from './outbox-event.js';

/** One impairment of one of our media buys, as it stands. */
export interface ImpairmentState {
  /** Ours, and the `notification_id` of every event about it: sellers' ids may meet in one media buy. */
  readonly id: string;
  readonly seller: string;
  /** The object as its seller last sent it. */
  readonly detail: JsonObject;
  readonly resolvedAt?: Instant;
}

export interface ImpairmentUpdate {
  readonly mediaBuyId: string;
  readonly impairment: ImpairmentState;
  /** Of the whole buy, over all its sellers. */
  readonly health: 'ok' | 'impaired';
  /** The task that registered the address: these events carry its name and id, and end nothing. */
  readonly taskId: string;
  readonly taskType: string;
  readonly context?: JsonObject;
  readonly at: Instant;
}

/**
 * The event that tells one address of an impairment, or that it is over. It may wait for more of the same until
 * `dueAt`; until it was first sent it may be written anew, under the same key.
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

/** An impairment as buyers see it, in webhooks and on the buy: the seller's words with ids of ours. */
export function shownImpairment({ id, seller, detail }: Omit<ImpairmentState, 'resolvedAt'>): JsonObject {
  const { media_buy_id: _theirs, health: _ofTheirs, notification_type: _type, ...words } = detail;
  const packages = detail['package_ids'];
  return {
    ...words,
    impairment_id: id,
    package_ids: Array.isArray(packages)
      ? packages.filter((one) => typeof one === 'string').map((one) => prefixId(seller, one))
      : [],
  };
}
