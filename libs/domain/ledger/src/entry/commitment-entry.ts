import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { entryOf, type LedgerEntry } from './entry.js';
import type { EntryKind } from './entry-draft.js';

/** A change of a commitment to a seller: a row beside the state of its buy, written in the same transaction. */
interface CommitmentChange {
  /** UUID. A change has one entry, so its id shows whether it is in the chain. */
  readonly id: string;
  readonly mediaBuyId: string;
  readonly sellerBuyId: string;
  readonly operationId: string;
  readonly legId: string;
  /** The seller's slug. */
  readonly seller: string;
  /** Our revision of the buy after this change. */
  readonly revision: number;
  readonly actor: string;
  readonly action: string;
  /** The seller's own id of the package; absent where the whole buy changed. */
  readonly packageId?: string;
  readonly detail: JsonObject;
  readonly at: Instant;
}

/** A stored change, as the verification reads it. */
export interface ChangeRow extends CommitmentChange {
  /** Absent until it is in the chain. */
  readonly entryId?: string;
}

const kinds: Readonly<Record<string, EntryKind>> = {
  create: 'bought',
  cancel: 'canceled',
  reject: 'canceled',
  remove_packages: 'canceled',
  // A refused transition changed nothing, but the report of it is evidence.
  refused_transition: 'observation',
};

/**
 * Creates the entry of one change of a commitment (docs/ledger.md#commitments and
 * docs/ledger.md#facts-versions-and-finality). It has no postings: a budget is a limit and not a debt, and a
 * quoted fee is owed only when it is invoiced. The terms are in its facts.
 */
export function commitmentEntry(change: CommitmentChange, entryId: string): LedgerEntry {
  return entryOf({
    id: entryId,
    kind: kinds[change.action] ?? 'changed',
    operationId: change.operationId,
    mediaBuyId: change.mediaBuyId,
    seller: change.seller,
    occurredAt: change.at,
    postings: [],
    facts: changeFacts(change),
  });
}

/** Whether a change is a refused transition. */
export function isRefused({ action }: Pick<CommitmentChange, 'action'>): boolean {
  return action === 'refused_transition';
}

export function changeFacts(change: CommitmentChange): JsonObject {
  return {
    change_id: change.id,
    seller_buy_id: change.sellerBuyId,
    leg_id: change.legId,
    revision: change.revision,
    actor: change.actor,
    action: change.action,
    package_id: change.packageId ?? null,
    at: isoOf(change.at),
    detail: change.detail,
  };
}
