import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { entryOf, type LedgerEntry } from './entry.js';

/** A stored decision on which client and campaign a buy belongs to. */
export interface AssignmentRow {
  /** UUID. An assignment has one entry, so its id shows whether it is in the chain. */
  readonly id: string;
  readonly mediaBuyId: string;
  /** The operation that created the buy. */
  readonly operationId: string;
  /** UUID; absent: no campaign. */
  readonly campaignId?: string;
  /** UUID. */
  readonly clientId?: string;
  readonly source: string;
  readonly reason?: string;
  /** UUID of the principal that caused it. */
  readonly principalId?: string;
  readonly at: Instant;
  /** Absent until it is in the chain. */
  readonly entryId?: string;
}

/** Creates the entry of one assignment (docs/ledger.md#assignments). It has no postings, because it moves no money. */
export function assignmentEntry(assignment: AssignmentRow, entryId: string): LedgerEntry {
  return entryOf({
    id: entryId,
    kind: 'assignment',
    operationId: assignment.operationId,
    mediaBuyId: assignment.mediaBuyId,
    seller: '',
    occurredAt: assignment.at,
    postings: [],
    facts: assignmentFacts(assignment),
  });
}

export function assignmentFacts(assignment: AssignmentRow): JsonObject {
  return {
    assignment_id: assignment.id,
    campaign_id: assignment.campaignId ?? null,
    client_id: assignment.clientId ?? null,
    source: assignment.source,
    reason: assignment.reason ?? null,
    principal_id: assignment.principalId ?? null,
    at: isoOf(assignment.at),
  };
}
