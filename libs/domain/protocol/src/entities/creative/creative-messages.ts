import type { JsonObject } from '@switchyard/values';
import type { AccountRef } from '../account/account-ref.js';
import type { Original } from '../../message/original.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { TaskError } from '../../errors/task-error.js';

/**
 * Where one creative stands in a library or at a seller (docs/protocol/creatives.md#states). `suspended` is known from
 * 3.1 on.
 */
export type CreativeStatus =
  'processing' | 'pending_review' | 'approved' | 'suspended' | 'rejected' | 'archived';

/**
 * Assets and a format under the buyer's own id, which travels untouched (docs/protocol/requests-and-versions.md#ids).
 */
export interface Creative {
  readonly creativeId: string;
  readonly name?: string;
  /** The format id verbatim, with the sizes and durations that make formats equal or not. */
  readonly format?: JsonObject;
  /** 3.1 alone: a canonical kind in place of a format id. */
  readonly formatKind?: string;
  readonly assets: JsonObject;
  readonly tags: readonly string[];
  /** The buyer's own word on a generated draft; older forms say it with `approved`. */
  readonly verdict?: 'approved' | 'rejected';
  readonly original: Original;
}

export interface CreativeAssignment {
  readonly creativeId: string;
  readonly packageId: string;
  /** 0 to 100. 3.x alone can say it. */
  readonly weight?: number;
  readonly placementIds?: readonly string[];
}

export interface SyncCreativesRequest extends RequestExtras {
  readonly creatives: readonly Creative[];
  /** Restricts the sync to these of them. */
  readonly creativeIds?: readonly string[];
  readonly assignments: readonly CreativeAssignment[];
  /** Ours: sellers that are to have them without an assignment (`ext.switchyard.sellers`). */
  readonly sellers?: readonly string[];
  readonly deleteMissing: boolean;
  readonly dryRun: boolean;
  /** `strict`: one bad item fails the call. */
  readonly validationMode: 'strict' | 'lenient';
}

export type CreativeAction = 'created' | 'updated' | 'unchanged' | 'failed' | 'deleted';

/**
 * What a seller says of a creative on one package, which its library need not agree with
 * (docs/protocol/creatives.md#states).
 */
export interface CreativeApproval {
  readonly creativeId: string;
  readonly status: 'pending_review' | 'approved' | 'rejected';
  readonly reason?: string;
}

/** An approval as it stands at one package, by the package's id as buyers know it. */
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
  /** What the seller says of it package by package; absent where it has said nothing. */
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
  /** Ours: one row per seller it went to. */
  readonly sellers?: readonly CreativeAtSeller[];
}

export interface SyncCreativesAnswer {
  readonly creatives: readonly SyncedCreative[];
  readonly dryRun: boolean;
  /** What could not be carried over to a seller, said with its name. */
  readonly findings: readonly { readonly code: string; readonly message: string; readonly seller?: string }[];
}

export interface CreativeFilters {
  /** By address and id, sizes included where they are named. */
  readonly formats?: readonly JsonObject[];
  /** 2.5 filters by the id alone. */
  readonly formatNames?: readonly string[];
  readonly statuses?: readonly string[];
  /** All of them. */
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
  /** Those whose requests wrote the creatives last. One that the caller has not matches nothing. */
  readonly accounts?: readonly AccountRef[];
  /** What the buyer groups creatives by, in its own words. */
  readonly conceptIds?: readonly string[];
  readonly unassigned?: boolean;
}

export type CreativeSortField = 'created_date' | 'updated_date' | 'name' | 'status' | 'assignment_count';

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
  /** Members to show beside the required ones; absent: all. */
  readonly fields?: readonly string[];
  /** What the request asks for and we do not hold, such as performance. */
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
  /** Ours: where it stands at each seller. */
  readonly sellers?: readonly CreativeAtSeller[];
  /** Why it stands so, where a seller says. */
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
  /** Members to show beside the required ones; absent: all. */
  readonly fields?: readonly string[];
  readonly findings: readonly { readonly code: string; readonly message: string; readonly field?: string }[];
}
