import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';

export type OutboxKind = 'task' | 'report' | 'impairment' | 'change';

/**
 * `waiting`: to be sent, or sent again. The others are final: `delivered`; `refused`, by a receiver that will never
 * accept these bytes, or by our own guard; `expired`, after a day, because receivers retain keys no longer.
 */
export type OutboxState = 'waiting' | 'delivered' | 'refused' | 'expired';

/** A webhook for a buyer, stored together with the change that it reports. */
export interface OutboxDraft {
  /** UUID. */
  readonly id: string;
  readonly registrationId: string;
  readonly principalId: string;
  readonly operationId: string;
  readonly mediaBuyId?: string;
  /** Events of one stream are sent one after another. */
  readonly stream: string;
  readonly kind: OutboxKind;
  readonly notificationType?: string;
  readonly notificationId?: string;
  readonly sequenceNumber?: number;
  /** Random, and the same for every attempt. */
  readonly idempotencyKey: string;
  /** Frozen from the first attempt on. The registration's token is added at each send, and is in no table. */
  readonly body: Buffer;
  readonly createdAt: Instant;
  /** When it is first sent; absent: at once. */
  readonly dueAt?: Instant;
}

/** An event leased for one attempt, with its address. */
export interface ClaimedEvent extends OutboxDraft {
  readonly registration: BuyerRegistration;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** The trace in which it was written (W3C Trace Context), where that was recorded. */
  readonly traceParent?: string;
  /** When an earlier attempt first got the answer of a missing receiver; absent if none did. */
  readonly missingSince?: Instant;
}

/** How long an event is retried, in milliseconds: receivers retain keys for a day. */
export const outboxHorizonMs = 86_400_000;

/** How long an event is retried at a receiver that answers 403, 404 or 410, in milliseconds. */
export const missingHorizonMs = 3_600_000;

/** One stream per address and task or buy, so that a receiver gets its events in order, which is not guaranteed. */
export function streamOf(registrationId: string, subject: string): string {
  return `${registrationId} ${subject}`;
}
