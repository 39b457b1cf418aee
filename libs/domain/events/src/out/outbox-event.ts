import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';

export type OutboxKind = 'task' | 'report' | 'impairment';

/**
 * `waiting`: to be sent, or sent again. The others are ends: `delivered`; `refused` by a receiver that will never take
 * these bytes, or by our own guard; `expired` after a day, for receivers remember keys no longer than that.
 */
export type OutboxState = 'waiting' | 'delivered' | 'refused' | 'expired';

/** A webhook that we owe a buyer, as it is written together with the change that it tells of. */
export interface OutboxDraft {
  /** UUID. */
  readonly id: string;
  readonly registrationId: string;
  readonly principalId: string;
  readonly operationId: string;
  readonly mediaBuyId?: string;
  /** Events of one stream go out one after another. */
  readonly stream: string;
  readonly kind: OutboxKind;
  readonly notificationType?: string;
  readonly notificationId?: string;
  readonly sequenceNumber?: number;
  /** Random, ours, and the same for every attempt. */
  readonly idempotencyKey: string;
  /** Frozen, from the first attempt on. The registration's token is put in when it is sent, so that it lies in no table. */
  readonly body: Buffer;
  readonly createdAt: Instant;
  /** When it is first sent; at once where absent. */
  readonly dueAt?: Instant;
}

/** An event taken for one attempt, with the address it goes to. */
export interface ClaimedEvent extends OutboxDraft {
  readonly registration: BuyerRegistration;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
}

/** How long an event is tried at all, in milliseconds: receivers keep keys for a day. */
export const outboxHorizonMs = 86_400_000;

/** One stream per address and task or buy: kind to the receiver, although nothing is promised. */
export function streamOf(registrationId: string, subject: string): string {
  return `${registrationId} ${subject}`;
}
