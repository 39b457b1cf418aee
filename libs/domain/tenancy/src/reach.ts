import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { Grant, GrantScope } from './grant.js';
import { brandDomainOf } from '@switchyard/values';

/** Which objects of its organization a caller may use for one permission. */
export type Reach = { readonly kind: 'everything' } | LimitedReach;

/** Objects that belong to at least one of these. If all are empty, there are none. */
export interface LimitedReach {
  readonly kind: 'limited';
  /** UUID: objects that this principal created. */
  readonly principalId?: string;
  /** UUIDs. */
  readonly clientIds: readonly string[];
  readonly brandDomains: readonly string[];
  /** UUIDs. */
  readonly campaignIds: readonly string[];
}

/** The members of an object that decide whether it is in reach. */
export interface Belongings {
  readonly principalId?: string;
  readonly clientId?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
}

/** A caller with its grants. Without grants, an operator reaches everything, any other caller its own objects. */
export type Grantee = Viewer;

/**
 * Returns the objects on which a caller has a permission. `authorize` decides whether the caller has it at all. Lists
 * use the reach in their SQL, and an object outside it is answered like one that does not exist.
 */
export function reachOf(caller: Grantee, area: PermissionArea, permission: PermissionKind): Reach {
  const grants = caller.grants ?? [directGrant(caller)];
  const holding = grants.filter(({ permissions }) => permissions[area]?.includes(permission) === true);
  if (holding.some(({ scope }) => scope.kind === 'organization')) return { kind: 'everything' };
  const idsOf = (kind: 'client' | 'brand' | 'campaign'): readonly string[] => [
    ...new Set(holding.flatMap(({ scope }) => (scope.kind === kind ? [scope.id] : []))),
  ];
  return {
    kind: 'limited',
    ...(holding.some(({ scope }) => scope.kind === 'own') && { principalId: caller.principalId }),
    clientIds: idsOf('client'),
    brandDomains: idsOf('brand'),
    campaignIds: idsOf('campaign'),
  };
}

/**
 * Returns the first permission, as `area.kind`, of a grant that its giver does not have on all objects of the scope:
 * nobody may grant what he does not have. `place` is the place of the scope: the client and brand of a campaign.
 */
export function firstBeyondReach(
  giver: Grantee,
  { permissions, scope }: Pick<Grant, 'permissions' | 'scope'>,
  place: Belongings = placeOf(scope),
): string | undefined {
  for (const [area, kinds] of Object.entries(permissions) as [PermissionArea, readonly PermissionKind[]][]) {
    // Objects that a principal creates later may belong to any client, so the giver's own objects do not count.
    const missing = kinds.find((kind) => !isInReach(withoutOwn(reachOf(giver, area, kind)), place));
    if (missing !== undefined) return `${area}.${missing}`;
  }
  return undefined;
}

/**
 * Whether names, addresses and keys of sellers are shown to a caller: only with `sellers: read` in the whole
 * organization. Others know a seller by its slug, which the organization chooses.
 */
export function seesSellers(caller: Grantee): boolean {
  return reachOf(caller, 'sellers', 'read').kind === 'everything';
}

/** A reach without the objects that the principal created itself. */
function withoutOwn(reach: Reach): Reach {
  if (reach.kind === 'everything') return reach;
  const { principalId: _own, ...others } = reach;
  return others;
}

function placeOf(scope: GrantScope): Belongings {
  if (scope.kind === 'client') return { clientId: scope.id };
  if (scope.kind === 'brand') return { brandDomain: scope.id };
  return scope.kind === 'campaign' ? { campaignId: scope.id } : {};
}

/** A principal's own permissions as a grant: on everything for an operator, else on the objects that it created. */
export function directGrant(viewer: Omit<Viewer, 'grants'>): Grant {
  const scope = visibleTo(viewer).kind === 'everything' ? 'organization' : 'own';
  return { permissions: viewer.permissions, scope: { kind: scope } };
}

/** Only the objects that this principal created. */
export function ownReach(principalId: string): LimitedReach {
  return { kind: 'limited', principalId, clientIds: [], brandDomains: [], campaignIds: [] };
}

/** The union of two reaches. */
export function eitherReach(one: Reach, other: Reach): Reach {
  if (one.kind === 'everything') return one;
  if (other.kind === 'everything') return other;
  const principalId = one.principalId ?? other.principalId;
  return {
    kind: 'limited',
    ...(principalId !== undefined && { principalId }),
    clientIds: [...new Set([...one.clientIds, ...other.clientIds])],
    brandDomains: [...new Set([...one.brandDomains, ...other.brandDomains])],
    campaignIds: [...new Set([...one.campaignIds, ...other.campaignIds])],
  };
}

export function isInReach(reach: Reach, object: Belongings): boolean {
  if (reach.kind === 'everything') return true;
  const { principalId, clientIds, brandDomains, campaignIds } = reach;
  return (
    (principalId !== undefined && object.principalId === principalId) ||
    (object.clientId !== undefined && clientIds.includes(object.clientId)) ||
    (object.brandDomain !== undefined && brandDomains.includes(object.brandDomain)) ||
    (object.campaignId !== undefined && campaignIds.includes(object.campaignId))
  );
}

/** Whom a request acts for: a brand with its client and campaign, as the organization has entered them. */
export interface ActedFor extends Omit<Belongings, 'principalId'> {
  /** Whether some client of the organization has this brand. A brand that nobody entered belongs to no client. */
  readonly isEntered: boolean;
}

/** The part of a caller that the decision needs. */
interface Actor extends Grantee {
  /** For a brand's own agent: the brand's domain. */
  readonly brandDomain?: string;
  /** True if its own permissions are an operator's, of which its credential has only a part. */
  readonly isNarrowedOperator?: boolean;
}

/**
 * Whether a caller may use a permission for a brand (docs/protocol/accounts.md#for-whom-a-caller-may-act). A brand of a
 * client needs a scope that covers it: the organization, the client, the brand or the campaign. The scope `own` says
 * which objects a caller sees; it covers only a brand that nobody entered, and the brand that the caller is the agent of.
 */
export function mayActFor(
  actor: Actor,
  { area, permission }: { readonly area: PermissionArea; readonly permission: PermissionKind },
  { isEntered, ...place }: ActedFor,
): boolean {
  const reach = reachOf(actor, area, permission);
  if (isInReach(withoutOwn(reach), place)) return true;
  if (reach.kind === 'everything' || reach.principalId === undefined) return false;
  if (!isEntered) return true;
  const { brandDomain, isNarrowedOperator, grants = [directGrant(actor)] } = actor;
  const direct = grants.find(({ role }) => role === undefined)?.permissions[area];
  // A part of an operator's credential sees less, but what it may do, it may do for every brand.
  if (isNarrowedOperator === true && direct?.includes(permission) === true) return true;
  return brandDomain !== undefined && brandDomainOf(brandDomain) === place.brandDomain;
}

/** The objects of the organization that a principal may see: all, or only its own. */
type Visibility = { readonly kind: 'everything' } | { readonly kind: 'own'; readonly principalId: string };

/**
 * Areas that belong to the organization, not to one buyer. Buyers and brands have no permissions there by default. A
 * permission of any kind in one of them makes a principal an operator.
 */
export const operatorAreas = ['sellers', 'ledger', 'principals'] as const satisfies readonly PermissionArea[];

/** The part of a caller that the decision needs. */
interface Viewer {
  readonly principalId: string;
  /** The permissions of the presented credential: an operator's narrow token sees only what that token may see. */
  readonly permissions: Readonly<Record<string, readonly string[] | undefined>>;
  /** The scope of each permission; absent if only the principal's own permissions decide. */
  readonly grants?: readonly Grant[];
}

/**
 * Decides whose objects a principal sees, at every route of `/v1`. An object that is not visible is answered like one
 * that does not exist. `authorize` decides before which kinds of objects it may read or change at all.
 */
export function visibleTo({ principalId, permissions, grants }: Viewer): Visibility {
  const everywhere = grants?.filter(({ scope }) => scope.kind === 'organization');
  const permissionSets = everywhere?.map((grant): Viewer['permissions'] => grant.permissions) ?? [
    permissions,
  ];
  const isOperator = permissionSets.some((granted) =>
    operatorAreas.some((area) => Object.hasOwn(granted, area) && (granted[area]?.length ?? 0) > 0),
  );
  return isOperator ? { kind: 'everything' } : { kind: 'own', principalId };
}
