import type {
  CreativeFilters,
  ListCreativesAnswer,
  ListCreativesRequest,
  ListedCreative,
  PackageApproval,
  TaskError,
} from '@switchyard/protocol';
import { ownReach, type Reach, type TenantScope } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import type { BuyerAccount } from '../model/buyer-account.js';
import { accountScope } from '../model/keys.js';
import type { CreativeStore, LibraryCreative, Placement } from '../model/creative-library.js';
import { stateOnPackage } from './creative-states.js';
import { readCursor, writeCursor } from './library-cursor.js';
import { shownStatus } from './sync-answer.js';

interface ListingCaller extends TenantScope {
  readonly principalId: string;
  /** Buys whose assignments are listed; absent: the caller's own. */
  readonly reach?: Reach;
  /** The caller's own accounts among those in the filter. */
  readonly accounts: readonly BuyerAccount[];
}

/**
 * Lists the organization's library with the status of each creative at each seller. No seller is called:
 * statuses arrive by webhook and by polling, and each row has its time (`asOf`).
 */
export async function listCreatives(
  ports: { readonly creatives: CreativeStore; readonly clock: Clock },
  caller: ListingCaller,
  request: ListCreativesRequest,
): Promise<Result<ListCreativesAnswer, readonly TaskError[]>> {
  const { organizationId, principalId, reach = ownReach(principalId), accounts } = caller;
  const walk = { organizationId, principalId, request };
  const place = request.cursor === undefined ? undefined : readCursor(request.cursor, walk);
  if (place?.ok === false) return err([place.error]);
  const asOf = place?.value.asOf ?? ports.clock.now();
  const { filters, sort, limit, offset } = request;
  const page = await ports.creatives.list(
    { organizationId },
    {
      filters,
      sort,
      limit,
      asOf,
      reach,
      ...(filters.accounts === undefined
        ? {}
        : { accountScopes: accounts.map((account) => accountScope(principalId, account)) }),
      ...(offset === undefined ? {} : { offset }),
      ...(place === undefined ? {} : { after: place.value }),
    },
  );
  return ok({
    creatives: page.creatives.map((creative) => listed(creative, request)),
    total: page.total,
    limit,
    offset: offset ?? 0,
    hasMore: page.next !== undefined,
    filtersApplied: namesOf(filters),
    sort,
    statusSummary: page.statusSummary,
    findings: request.unanswered.map((field) => ({
      code: 'NOT_HELD',
      message: `The library stores nothing that ${field} asks for; the answer is without it.`,
      field,
    })),
    ...(request.fields === undefined ? {} : { fields: request.fields }),
    ...(page.next === undefined ? {} : { cursor: writeCursor({ ...page.next, asOf }, walk) }),
  });
}

function listed(stored: LibraryCreative, request: ListCreativesRequest): ListedCreative {
  const { creative, assignments } = stored;
  const { creativeId, name, format, formatKind, assets, tags, original } = creative;
  return {
    creativeId,
    name: name ?? creativeId,
    status: stored.status,
    createdAt: isoOf(stored.createdAt),
    updatedAt: isoOf(stored.updatedAt),
    assets,
    tags,
    original,
    sellers: stored.placements.map((placement) => ({
      seller: placement.seller,
      status: shownStatus(placement.status),
      ...(placement.reason === undefined ? {} : { reason: placement.reason }),
      ...(placement.observedAt === undefined ? {} : { asOf: isoOf(placement.observedAt) }),
      ...approvalsAt(assignments, placement),
    })),
    ...defined({ format, formatKind }),
    ...(request.includeAssignments
      ? {
          assignments: assignments.map(({ packageId, assignedAt }) => ({
            packageId,
            assignedAt: isoOf(assignedAt),
          })),
        }
      : {}),
  };
}

/** Per package: the status that its seller reported for the package, or else for the creative. */
function approvalsAt(
  assignments: LibraryCreative['assignments'],
  { seller, status, reason, observedAt }: Placement,
): { readonly packages?: readonly PackageApproval[] } {
  const packages = assignments
    .filter((assignment) => assignment.seller === seller)
    .map(({ packageId, approval }): PackageApproval => {
      const asOf = approval?.asOf ?? observedAt;
      const shown = approval ?? stateOnPackage(status, reason);
      return {
        packageId,
        status: shown.status,
        ...(asOf === undefined ? {} : { asOf: isoOf(asOf) }),
        ...(shown.reason === undefined ? {} : { reason: shown.reason }),
      };
    });
  return packages.length === 0 ? {} : { packages };
}

const wireNames: Readonly<Record<keyof CreativeFilters, string>> = {
  formats: 'format_ids',
  formatNames: 'formats',
  statuses: 'statuses',
  tags: 'tags',
  tagsAny: 'tags_any',
  nameContains: 'name_contains',
  creativeIds: 'creative_ids',
  createdAfter: 'created_after',
  createdBefore: 'created_before',
  updatedAfter: 'updated_after',
  updatedBefore: 'updated_before',
  packageIds: 'assigned_to_packages',
  mediaBuyIds: 'media_buy_ids',
  buyerRefs: 'buyer_refs',
  accounts: 'accounts',
  conceptIds: 'concept_ids',
  unassigned: 'unassigned',
};

function namesOf(filters: CreativeFilters): readonly string[] {
  return (Object.keys(wireNames) as (keyof CreativeFilters)[])
    .filter((name) => filters[name] !== undefined)
    .map((name) => wireNames[name]);
}
