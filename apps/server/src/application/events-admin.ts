import type { JsonObject, Result } from '@switchyard/values';
import type { AdminFailure } from './admin.js';
import type { PrincipalCaller } from './task-call.js';

export const eventStates = ['received', 'applied', 'duplicate', 'stale', 'quarantined', 'refused'] as const;

/** What became of a webhook. `received` is on its way; the other five are where it ends. */
export type EventState = (typeof eventStates)[number];

/** One webhook in one line. Instants are RFC 3339 in UTC; nothing in it is a secret. */
export interface EventView {
  readonly event_id: string;
  readonly seller: string;
  readonly kind: string;
  readonly state: EventState;
  /** Why it stands there. `known_without_effect:…`: understood and stored, and nothing follows from it yet. */
  readonly reason?: string;
  /** The reason in words. */
  readonly explanation?: string;
  readonly sender: string;
  readonly idempotency_key?: string;
  readonly operation_id?: string;
  readonly received_at: string;
  readonly applied_at?: string;
  /** Of a duplicate: the first copy, which is the one that counts. */
  readonly copy_of?: string;
  readonly copies: number;
}

export interface EventStep {
  readonly step: string;
  readonly name: string;
  readonly ok: boolean;
  /** What the message had. */
  readonly seen: string;
  /** Of a key that was not found: `failure` and what is known of it. */
  readonly details?: JsonObject;
}

export interface EventDetail extends EventView {
  /** The secret part of the address that it came to: for operators alone. */
  readonly registration_id?: string;
  readonly leg_id?: string;
  readonly keyid?: string;
  readonly body_sha256: string;
  readonly body_bytes?: number;
  readonly body_purged_at?: string;
  /** What the verifier looked at, in its order, and what it saw. */
  readonly steps: readonly EventStep[];
  readonly duplicates: readonly {
    readonly body_sha256: string;
    readonly is_same_body: boolean;
    readonly copies: number;
    readonly first_seen_at: string;
    readonly last_seen_at: string;
  }[];
  readonly decision?: {
    readonly decision: 'admitted' | 'dismissed';
    readonly reason: string;
    readonly was?: string;
    readonly by: string;
    readonly decided_at: string;
  };
  /** Asked for only: the message as it came, the secrets of its headers replaced. */
  readonly raw?: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body_base64: string;
    /** The same as text, where it is UTF-8. */
    readonly body_text?: string;
  };
}

/**
 * Webhooks as people deal with them. The door has checked the caller's permission; the tenant is the caller's.
 */
export interface EventsAdmin {
  list(
    caller: PrincipalCaller,
    filter: { readonly state?: EventState; readonly seller?: string; readonly limit?: number },
  ): Promise<readonly EventView[]>;
  show(
    caller: PrincipalCaller,
    eventId: string,
    options: { readonly raw: boolean },
  ): Promise<Result<EventDetail, AdminFailure>>;
  /** Gives a quarantined event its effect. `CONFLICT` where it is not in quarantine, or cannot mean anything. */
  admit(caller: PrincipalCaller, eventId: string, reason: string): Promise<Result<EventDetail, AdminFailure>>;
  /** Puts a quarantined event away for good, without effect. */
  dismiss(
    caller: PrincipalCaller,
    eventId: string,
    reason: string,
  ): Promise<Result<EventDetail, AdminFailure>>;
}
