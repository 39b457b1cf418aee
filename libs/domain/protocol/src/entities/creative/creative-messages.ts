import type { JsonObject } from '@switchyard/values';
import type { AccountRef } from '../account/account-ref.js';
import type { Original } from '../../message/original.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { TaskError } from '../../errors/task-fault.js';

/**
 * State of one creative in a library or at a seller (docs/protocol/creatives.md#states). `suspended` exists since 3.1.
 */
export type CreativeStatus =
  | 'processing'
  | 'pending_review'
  | 'approved'
  | 'suspended'
  | 'rejected'
  | 'archived';

/**
 * Assets and a format under the buyer's own id, which is never changed (docs/protocol/requests-and-versions.md#ids).
 */
export interface Creative {
  readonly creativeId: string;
  readonly name?: string;
  /** The format id unchanged, with the sizes and durations that make formats equal or not. */
  readonly format?: JsonObject;
  /** 3.1 only: a canonical kind in place of a format id. */
  readonly formatKind?: string;
  readonly assets: JsonObject;
  readonly tags: readonly string[];
  /** The buyer's decision on a generated draft; older forms use `approved`. */
  readonly verdict?: 'approved' | 'rejected';
  readonly original: Original;
}

export interface CreativeAssignment {
  readonly creativeId: string;
  readonly packageId: string;
  /** 0 to 100. 3.x only. */
  readonly weight?: number;
  readonly placementIds?: readonly string[];
}

export interface SyncCreativesRequest extends RequestExtras {
  readonly creatives: readonly Creative[];
  /** Restricts the sync to these creatives. */
  readonly creativeIds?: readonly string[];
  readonly assignments: readonly CreativeAssignment[];
  /** Our extension: sellers that get the creatives without an assignment (`ext.switchyard.sellers`). */
  readonly sellers?: readonly string[];
  readonly deleteMissing: boolean;
  readonly dryRun: boolean;
  /** `strict`: one invalid item fails the call. */
  readonly validationMode: 'strict' | 'lenient';
}

export type CreativeAction = 'created' | 'updated' | 'unchanged' | 'failed' | 'deleted';

/**
 * A seller's approval of a creative on one package. It may differ from the state in the seller's library
 * (docs/protocol/creatives.md#states).
 */
export interface CreativeApproval {
  readonly creativeId: string;
  readonly status: 'pending_review' | 'approved' | 'rejected';
  readonly reason?: string;
}

/** The approval on one package, by the package's id as buyers know it. */
export interface PackageApproval {
  readonly packageId: string;
  readonly status: CreativeApproval['status'];
  readonly reason?: string;
  /** RFC 3339. */
  readonly asOf?: string;
}

/** The placement of a creative at one seller. */
export interface CreativeAtSeller {
  readonly seller: string;
  readonly status: CreativeStatus | 'not_synced';
  readonly action?: CreativeAction;
  readonly reason?: string;
  /** RFC 3339. */
  readonly asOf?: string;
  /** The seller's approvals by package. Absent where the seller gave none. */
  readonly packages?: readonly PackageApproval[];
}

export interface SyncedCreative {
  readonly creativeId: string;
  readonly action: CreativeAction;
  readonly status?: CreativeStatus;
  readonly platformId?: string;
  readonly changes: readonly string[];
  readonly errors: readonly TaskError[];
  readonly warnings: readonly string[];
  readonly assignedTo: readonly string[];
  /** By package id, why the creative is not assigned to it. */
  readonly assignmentErrors: Readonly<Record<string, string>>;
  /** Our extension: one row for each seller that got the creative. */
  readonly sellers?: readonly CreativeAtSeller[];
}

export interface SyncCreativesAnswer {
  readonly creatives: readonly SyncedCreative[];
  readonly dryRun: boolean;
  /** Members that a seller's form cannot carry, with the seller's slug. */
  readonly findings: readonly { readonly code: string; readonly message: string; readonly seller?: string }[];
}

export interface CreativeFilters {
  /** By address and id, with sizes where the filter gives them. */
  readonly formats?: readonly JsonObject[];
  /** 2.5 filters by id only. */
  readonly formatNames?: readonly string[];
  readonly statuses?: readonly string[];
  /** The creative must have all of these tags. */
  readonly tags?: readonly string[];
  readonly tagsAny?: readonly string[];
  readonly nameContains?: string;
  readonly creativeIds?: readonly string[];
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly updatedAfter?: string;
  readonly updatedBefore?: string;
  readonly packageIds?: readonly string[];
  readonly mediaBuyIds?: readonly string[];
  readonly buyerRefs?: readonly string[];
  /** Accounts whose requests last wrote the creatives. An account that the caller does not have matches nothing. */
  readonly accounts?: readonly AccountRef[];
  /** The buyer's own ids of groups of creatives. */
  readonly conceptIds?: readonly string[];
  readonly unassigned?: boolean;
}

type CreativeSortField = 'created_date' | 'updated_date' | 'name' | 'status' | 'assignment_count';

export interface CreativeSort {
  readonly field: CreativeSortField;
  readonly direction: 'asc' | 'desc';
}

export interface ListCreativesRequest extends RequestExtras {
  readonly filters: CreativeFilters;
  readonly sort: CreativeSort;
  /** 1 to 100. */
  readonly limit: number;
  /** 2.5 alone. */
  readonly offset?: number;
  readonly cursor?: string;
  readonly includeAssignments: boolean;
  /** Members to show beside the required ones. Absent: all. */
  readonly fields?: readonly string[];
  /** Requested data that is not stored here, such as performance. */
  readonly unanswered: readonly string[];
}

export interface ListedCreative {
  readonly creativeId: string;
  readonly name: string;
  readonly format?: JsonObject;
  readonly formatKind?: string;
  readonly status: CreativeStatus;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly assets?: JsonObject;
  readonly tags: readonly string[];
  readonly assignments?: readonly { readonly packageId: string; readonly assignedAt: string }[];
  /** Our extension: the state at each seller. */
  readonly sellers?: readonly CreativeAtSeller[];
  /** The reason for the state, where a seller gives one. */
  readonly reason?: string;
  readonly original: Original;
}

export interface ListCreativesAnswer {
  readonly creatives: readonly ListedCreative[];
  readonly total: number;
  readonly limit: number;
  readonly offset?: number;
  readonly hasMore: boolean;
  readonly cursor?: string;
  readonly filtersApplied: readonly string[];
  readonly sort: CreativeSort;
  readonly statusSummary: Readonly<Record<string, number>>;
  /** Members to show beside the required ones. Absent: all. */
  readonly fields?: readonly string[];
  readonly findings: readonly { readonly code: string; readonly message: string; readonly field?: string }[];
}
