import type {
  Creative,
  CreativeAction,
  CreativeApproval,
  CreativeFilters,
  CreativeSort,
  CreativeStatus,
  Finding,
} from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';

/** The status of a creative at a seller: the seller's own, `pending` before it was sent, `failed` if it was refused. */
export type PlacementStatus = CreativeStatus | 'pending' | 'failed';

/** A creative of the organization's library, under the buyer's own id. */
export interface LibraryCreative {
  readonly id: string;
  readonly creative: Creative;
  readonly bodyHash: string;
  readonly status: CreativeStatus;
  readonly archivedAt?: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly placements: readonly Placement[];
  readonly assignments: readonly LibraryAssignment[];
  /** What the caller may do with it, where that is not everything: it is on a buy in reach, or nowhere in reach. */
  readonly access?: 'read' | 'none';
}

/** A creative on one package, and what the package's seller says of it there. */
export interface LibraryAssignment {
  /** As buyers know it, with the seller's name in front. */
  readonly packageId: string;
  readonly seller: string;
  readonly assignedAt: Instant;
  readonly approval?: {
    readonly status: CreativeApproval['status'];
    readonly reason?: string;
    readonly asOf: Instant;
  };
}

/** The placement of a creative at one seller. */
export interface Placement {
  readonly creativeId: string;
  /** The id at the seller, where we made one because another tenant may share the account. */
  readonly sellerCreativeId?: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly status: PlacementStatus;
  readonly reason?: string;
  /** Absent until the seller accepted it: only what it accepted from us may be removed by us. */
  readonly syncedAt?: Instant;
  readonly observedAt?: Instant;
}

/** One whose seller is due to be asked about it, and the principal as whom it is asked: who synced it last. */
export interface DuePlacement extends Placement {
  readonly principalId: string;
}

/** What is written together with the operation that syncs it. */
export interface CreativeDraft {
  readonly creatives: readonly { readonly creative: Creative; readonly bodyHash: string }[];
  readonly placements: readonly {
    readonly creativeId: string;
    /** Under which id it is sent there; absent: the buyer's own. */
    readonly sellerCreativeId?: string;
    readonly connectionId: string;
    readonly seller: string;
    readonly legId: string;
  }[];
  /** Ids that the request leaves out of a whole library. */
  readonly archived: readonly string[];
  /** Whose creatives it may write over; absent: those that its principal brought. */
  readonly reach?: Reach;
}

/** What was learnt of a creative at a seller. */
export interface PlacementSeen {
  readonly creativeId: string;
  /** Under which id it was sent there; absent: the buyer's own. */
  readonly sellerCreativeId?: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly status: PlacementStatus;
  readonly source: 'inline' | 'webhook' | 'poll';
  readonly reason?: string;
  readonly platformId?: string;
  readonly legId?: string;
  readonly operationId?: string;
  /** True where the seller took what we sent. */
  readonly isAccepted?: boolean;
}

export interface AssignmentSeen {
  readonly creativeId: string;
  /** As buyers know it, with the seller's name in front. */
  readonly packageId: string;
  readonly seller: string;
  readonly operationId: string;
}

/** One of our packages as an assignment needs it. */
export interface AssignablePackage {
  readonly packageId: string;
  readonly sellerPackageId: string;
  readonly connectionId: string;
  readonly mediaBuyId: string;
}

export interface CreativeQuery {
  readonly filters: CreativeFilters;
  readonly sort: CreativeSort;
  readonly limit: number;
  readonly offset?: number;
  /** The last row of the page before: the value it was sorted by, and its id. */
  readonly after?: { readonly value: string; readonly id: string };
  /** Rows that came later are no part of this walk. */
  readonly asOf: Instant;
  /** By whose requests creatives were written last, as operations are counted; absent: by anybody's. */
  readonly accountScopes?: readonly string[];
  /** Only creatives that are in reach are shown; only buys that are decide filters by buy, and are named. */
  readonly reach: Reach;
}

export interface CreativePage {
  readonly creatives: readonly LibraryCreative[];
  readonly total: number;
  readonly statusSummary: Readonly<Record<string, number>>;
  /** Where the next page begins; absent on the last. */
  readonly next?: { readonly value: string; readonly id: string };
}

/** What creatives need of the database. Every function sees one tenant's rows only. */
export interface CreativeStore {
  /** With a reach each says what may be done with it; those out of reach are there, for their ids are taken. */
  byIds(
    scope: TenantScope,
    creativeIds: readonly string[],
    reach?: Reach,
  ): Promise<ReadonlyMap<string, LibraryCreative>>;
  /** Every creative that may be written, is not archived and was taken from us by a seller. */
  acceptedPlacements(scope: TenantScope, reach: Reach): Promise<readonly Placement[]>;
  /** Ids of this tenant's connections over whose account another tenant may have creatives as well. */
  sharedConnections(scope: TenantScope): Promise<ReadonlySet<string>>;
  /** Whether another tenant may share the account of this connection; true of one that is not this tenant's. */
  sharesAccount(scope: TenantScope, connectionId: string): Promise<boolean>;
  /** Ids of all creatives that may be written and are not archived. */
  active(scope: TenantScope, reach: Reach): Promise<readonly string[]>;
  packages(
    scope: TenantScope,
    reach: Reach,
    packageIds: readonly string[],
  ): Promise<ReadonlyMap<string, AssignablePackage>>;
  list(scope: TenantScope, query: CreativeQuery): Promise<CreativePage>;
  /** Folds in what was learnt; the number of rows that changed. What no seller was sent is not made up here. */
  observe(scope: TenantScope, seen: readonly PlacementSeen[], at: Instant): Promise<number>;
  /** Creatives whose seller has not decided and is due to be asked, each connection's together. */
  due(scope: TenantScope, now: Instant, limit: number): Promise<readonly DuePlacement[]>;
  /** Puts off the next look at these, except where their seller has decided since they were found due. */
  lookedAt(scope: TenantScope, seen: readonly Placement[], nextAt: Instant): Promise<void>;
}

/** What of the library tells whose creatives are, and at which sellers others may have some as well. */
export type CreativeOwnership = Pick<CreativeStore, 'byIds' | 'sharedConnections'>;

/** Who names creatives, and which of them it may name. */
export type CreativeReader = Pick<Mutation<unknown>, 'scope' | 'principalId' | 'reach'>;

/** Ports of all that names creatives to sellers; without a library each goes under the buyer's own id. */
export interface NamingPorts {
  readonly creatives?: CreativeOwnership;
}

/** What the plan decided before any request was sent. It is stored because the answer is written from it. */
export interface CreativeNotes {
  readonly creatives: readonly {
    readonly creativeId: string;
    readonly action: CreativeAction;
    readonly warnings: readonly string[];
    readonly assignmentErrors: Readonly<Record<string, string>>;
  }[];
  readonly findings: readonly (Finding & { readonly seller?: string })[];
  readonly archived: readonly string[];
}

export function notesAsJson(notes: CreativeNotes): JsonObject {
  return structuredClone(notes) as unknown as JsonObject;
}
