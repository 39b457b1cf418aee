import type { WebhookVerdict } from '@switchyard/events';
import { present } from '../core/present.js';
import type { CopySeen, EventDecision, LoggedEvent, LoggedState } from './event-log.js';

export interface LoggedRow {
  readonly id: string;
  readonly seller: string;
  readonly kind: string;
  readonly state: LoggedState;
  readonly reason: string | null;
  readonly sender: string;
  readonly idempotency_key: string | null;
  readonly operation_id: string | null;
  readonly leg_id: string | null;
  readonly registration_id: string;
  readonly connection_id: string;
  readonly seen_at: Date;
  readonly applied_at: Date | null;
  readonly copy_of: string | null;
  readonly copies: number;
  readonly body_hash: string;
}

export interface EvidenceRow {
  readonly keyid: string | null;
  readonly verdict: WebhookVerdict;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly body_purged_at: Date | null;
  readonly sealed_id: string | null;
}

export interface CopyRow {
  readonly body_hash: string;
  readonly is_same_body: boolean;
  readonly copies: number;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
}

export interface DecisionRow {
  readonly decision: EventDecision['decision'];
  readonly reason: string;
  readonly was: string | null;
  readonly principal_id: string;
  readonly principal_name: string;
  readonly decided_at: Date;
}

export function loggedOf(row: LoggedRow): LoggedEvent {
  return {
    id: row.id,
    seller: row.seller,
    kind: row.kind,
    state: row.state,
    sender: row.sender,
    registrationId: row.registration_id,
    connectionId: row.connection_id,
    receivedAt: row.seen_at.getTime(),
    copies: row.copies,
    ...present({
      reason: row.reason,
      idempotencyKey: row.idempotency_key,
      operationId: row.operation_id,
      legId: row.leg_id,
      appliedAt: row.applied_at?.getTime(),
      copyOf: row.copy_of,
    }),
  };
}

export function decisionOf(row: DecisionRow): EventDecision {
  return {
    decision: row.decision,
    reason: row.reason,
    principalId: row.principal_id,
    principalName: row.principal_name,
    decidedAt: row.decided_at.getTime(),
    ...present({ was: row.was }),
  };
}

export function copyOf(row: CopyRow): CopySeen {
  return {
    bodyHash: row.body_hash,
    isSameBody: row.is_same_body,
    copies: row.copies,
    firstSeenAt: row.first_seen_at.getTime(),
    lastSeenAt: row.last_seen_at.getTime(),
  };
}
