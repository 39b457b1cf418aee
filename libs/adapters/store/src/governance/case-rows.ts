import type { ContentCheck, ListChange, ListKind, Revocation, TouchedPackage } from '@switchyard/sellers';
import type { Instant, JsonObject } from '@switchyard/values';
import type { governance_caseModel } from '../generated/models.js';

export type CaseKind =
  | 'rights_revoked'
  | 'rights_ended'
  | 'publisher_withdrew'
  | 'content_checked'
  | 'content_standards_changed'
  | 'creative_stopped'
  | ListKind;
type CaseState = 'open' | 'acting' | 'asked' | 'done';

/** Something that was done about a case. */
export interface CaseAction {
  /** RFC 3339. */
  readonly at: string;
  readonly act: string;
  readonly media_buy_id?: string;
  readonly outcome?: string;
  readonly detail?: string;
}

/** What a case says of a change. */
export interface CaseChanges {
  /** As its owner told it in an event. */
  readonly told?: Pick<ListChange, 'added' | 'removed' | 'total'> & {
    /** RFC 3339: since when no copy may be used any more. */
    readonly valid_until?: string;
  };
  /** As it was read at its owner, against what was read there before. */
  readonly read?: {
    /** RFC 3339. */
    readonly at: string;
    readonly total: number;
    /** Absent where it was read for the first time. */
    readonly added?: number;
    readonly removed?: number;
    /** The first of them. */
    readonly added_entries?: readonly string[];
    readonly removed_entries?: readonly string[];
  };
  /** Of content that a seller pushed: where it is. */
  readonly batch?: {
    /** The event in which it came. */
    readonly event_id: string;
    readonly seller: string;
    readonly media_buy_id: string;
    /** The seller's own. */
    readonly batch_id?: string;
    readonly pushed: number;
  };
  /** What the agent of the standards said of it. */
  readonly checked?: Pick<ContentCheck, 'sent' | 'failed' | 'binding' | 'failures'> & {
    /** RFC 3339. */
    readonly at: string;
  };
  /** Why it could not be read, or checked, there. */
  readonly problem?: string;
}

export interface GovernanceCase extends Revocation {
  readonly id: string;
  readonly kind: CaseKind;
  /** The agent that decides, or of `publisher_withdrew` the seller; absent: it is not connected. */
  readonly connectionId?: string;
  readonly owner: string;
  readonly state: CaseState;
  readonly actions: readonly CaseAction[];
  readonly changes?: CaseChanges;
  /** The packages that it is about, as far as that was stored. */
  readonly packageIds: readonly string[];
  /** When the first change was sent. */
  readonly begunAt?: Instant;
}

export interface NewCase extends Revocation {
  readonly id: string;
  /** Of a case about a list its id is in `rightsId`, of one about a publisher its domain. */
  readonly kind: CaseKind;
  readonly state: CaseState;
  readonly connectionId?: string;
  readonly owner: string;
  readonly eventId: string;
  /** What it touches, where that is known already. */
  readonly buys?: readonly TouchedPackage[];
  readonly changes?: CaseChanges;
  /** When the workers act; absent: never. */
  readonly actAt?: Instant;
}

export interface CaseChange {
  readonly state: CaseState;
  /** The state as it was read: one that a person has changed meanwhile stays, and only what was done is added. */
  readonly from?: CaseState;
  /** Absent: as before. */
  readonly reason?: string;
  readonly effectiveAt?: Instant;
  readonly changes?: CaseChanges;
  readonly buys?: readonly TouchedPackage[];
  readonly actions: readonly CaseAction[];
  /** Absent: the workers are done with it. */
  readonly nextAt?: Instant;
}

export const caseColumns =
  'id, kind, connection_id, owner, subject, reason, deadline, uses, state, actions, begun_at, changes, buys';

export const shownPackage = ({ mediaBuyId, packageId, seller, creativeIds }: TouchedPackage): JsonObject => ({
  media_buy_id: mediaBuyId,
  package_id: packageId,
  seller,
  creative_ids: [...creativeIds],
});

/** A case as the buyer of one of its buys sees it. */
export const shownCase = (
  { id, kind, subject, owner, state, reason, deadline }: CaseRow,
  packages: readonly string[],
): JsonObject => ({
  case_id: id,
  ...{ kind, subject, owner, state, reason },
  deadline: deadline.toISOString(),
  package_ids: [...packages],
});

export type CaseRow = Pick<
  governance_caseModel,
  'id' | 'connection_id' | 'owner' | 'subject' | 'reason' | 'deadline' | 'uses' | 'begun_at'
> & {
  readonly kind: CaseKind;
  readonly state: CaseState;
  readonly actions: readonly CaseAction[];
  readonly changes: CaseChanges | null;
  readonly buys: readonly { readonly package_id: string }[];
};

export const caseOf = (row: CaseRow): GovernanceCase => ({
  id: row.id,
  kind: row.kind,
  ...(row.connection_id !== null && { connectionId: row.connection_id }),
  owner: row.owner,
  rightsId: row.subject,
  reason: row.reason,
  effectiveAt: row.deadline.getTime(),
  uses: row.uses,
  state: row.state,
  actions: row.actions,
  packageIds: row.buys.map(({ package_id: packageId }) => packageId),
  ...(row.changes !== null && { changes: row.changes }),
  ...(row.begun_at !== null && { begunAt: row.begun_at.getTime() }),
});
