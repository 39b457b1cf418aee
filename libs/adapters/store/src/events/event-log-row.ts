import type { WebhookVerdict } from '@switchyard/events';
import type { CopySeen, EventDecision, LoggedEvent } from './event-log.js';
import { rowReader } from '../core/row-mapper.js';

export interface LoggedRow {
  readonly id: string;
  readonly operation_id: string | null;
  readonly seen_at: Date;
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

const readLogged = rowReader<Omit<LoggedEvent, 'receivedAt'>>()(`
  id, seller, kind, state, sender, registration_id, connection_id, copies, reason, idempotency_key, operation_id, leg_id,
  applied_at, copy_of`);

export function loggedOf(row: LoggedRow): LoggedEvent {
  return { ...readLogged(row), receivedAt: row.seen_at.getTime() };
}

export const decisionOf = rowReader<EventDecision>()(
  'decision, reason, principal_id, principal_name, decided_at, was',
);

export const copyOf = rowReader<CopySeen>()('body_hash, is_same_body, copies, first_seen_at, last_seen_at');
