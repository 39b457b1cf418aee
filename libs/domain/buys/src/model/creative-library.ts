import type { ClientLogin } from '@switchyard/sellers';
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
  /** Absent: full access. `read`: the creative is on a buy in reach. `none`: it is out of reach. */
  readonly access?: 'read' | 'none';
}

/** A creative on one package, and the approval that the seller reported for it. */
export interface LibraryAssignment {
  /** Prefixed with the slug of the seller. */
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
  /** The local id at the seller, where one was issued because another tenant may share the account. */
  readonly sellerCreativeId?: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly status: PlacementStatus;
  readonly reason?: string;
  /** Absent until the seller accepted it. Only accepted creatives may be removed at the seller. */
  readonly syncedAt?: Instant;
  readonly observedAt?: Instant;
}

/** A placement that is due for a poll, and the principal that synced it last, as which the seller is polled. */
export interface DuePlacement extends Placement {
  readonly principalId: string;
  /** The login of its client that it was synced with; absent: the connection's own. */
  readonly login?: ClientLogin;
}

/** What is stored together with the operation that syncs it. */
export interface CreativeDraft {
  readonly creatives: readonly { readonly creative: Creative; readonly bodyHash: string }[];
  readonly placements: readonly {
    readonly creativeId: string;
    /** The id under which it is sent; absent: the buyer's own. */
    readonly sellerCreativeId?: string;
    readonly connectionId: string;
    readonly seller: string;
    readonly legId: string;
  }[];
  /** Ids that a request with the whole library omits. */
  readonly archived: readonly string[];
  /** The creatives that it may replace; absent: those of its principal. */
  readonly reach?: Reach;
}

/** What a seller reported about a creative. */
export interface PlacementSeen {
  readonly creativeId: string;
  /** The id under which it was sent; absent: the buyer's own. */
  readonly sellerCreativeId?: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly status: PlacementStatus;
  readonly source: 'inline' | 'webhook' | 'poll';
  readonly reason?: string;
  /** Why, in a word of the protocol. */
  readonly reasonCode?: string;
  readonly platformId?: string;
  readonly legId?: string;
  readonly operationId?: string;
  /** True where the seller accepted what was sent. */
  readonly isAccepted?: boolean;
}

export interface AssignmentSeen {
  readonly creativeId: string;
  /** Prefixed with the slug of the seller. */
  readonly packageId: string;
  readonly seller: string;
  readonly operationId: string;
}

/** A local package, with what an assignment needs. */
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
  /** The last row of the previous page: its sort value, and its id. */
  readonly after?: { readonly value: string; readonly id: string };
  /** Rows that were added later are not listed. */
  readonly asOf: Instant;
  /** Scopes of the accounts whose requests wrote creatives last (`accountScope`); absent: all. */
  readonly accountScopes?: readonly string[];
  /** Only creatives in reach are listed. Only buys in reach count for filters by buy, and are named. */
  readonly reach: Reach;
}

export interface CreativePage {
  readonly creatives: readonly LibraryCreative[];
  readonly total: number;
  readonly statusSummary: Readonly<Record<string, number>>;
  /** The key of the next page; absent on the last. */
  readonly next?: { readonly value: string; readonly id: string };
}

/** Database functions for creatives. Every function sees the rows of one tenant only. */
export interface CreativeStore {
  /** Sets `access` if `reach` is given. Returns creatives out of reach too, because their ids are taken. */
  byIds(
    scope: TenantScope,
    creativeIds: readonly string[],
    reach?: Reach,
  ): Promise<ReadonlyMap<string, LibraryCreative>>;
  /** Placements of every creative that may be written, is not archived and was accepted by a seller. */
  acceptedPlacements(scope: TenantScope, reach: Reach): Promise<readonly Placement[]>;
  /** Ids of this tenant's connections whose account another tenant may share. */
  sharedConnections(scope: TenantScope): Promise<ReadonlySet<string>>;
  /** Whether another tenant may share the account of this connection; true for a connection of another tenant. */
  sharesAccount(scope: TenantScope, connectionId: string): Promise<boolean>;
  /** Ids of all creatives that may be written and are not archived. */
  active(scope: TenantScope, reach: Reach): Promise<readonly string[]>;
  packages(
    scope: TenantScope,
    reach: Reach,
    packageIds: readonly string[],
  ): Promise<ReadonlyMap<string, AssignablePackage>>;
  list(scope: TenantScope, query: CreativeQuery): Promise<CreativePage>;
  /** Applies what was reported; returns the number of changed rows. Adds no row for a creative that was not sent. */
  observe(scope: TenantScope, seen: readonly PlacementSeen[], at: Instant): Promise<number>;
  /** Creatives whose seller has not decided and is due for a poll, grouped by connection. */
  due(scope: TenantScope, now: Instant, limit: number): Promise<readonly DuePlacement[]>;
  /** Sets the time of the next poll, except where the seller has decided since they were found due. */
  markPolled(scope: TenantScope, seen: readonly Placement[], nextAt: Instant): Promise<void>;
}

/** The functions that show which creatives are the organization's, and at which sellers the account may be shared. */
export type CreativeOwnership = Pick<CreativeStore, 'byIds' | 'sharedConnections'>;

/** Ports for requests that name creatives. Without a library each creative is sent under the buyer's own id. */
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
