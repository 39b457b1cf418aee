import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { brandDomainOf } from '@switchyard/values';
import { directGrant, isInReach, reachOf, withoutOwn, type Belongings, type Grantee } from './reach.js';

/** Whom a request acts for: a brand with its client and campaign, as the organization has entered them. */
export interface ActedFor extends Omit<Belongings, 'principalId'> {
  /** Whether some client of the organization has this brand. A brand that nobody entered belongs to no client. */
  readonly isEntered: boolean;
}

/** The part of a caller that the decision needs. */
export interface Actor extends Grantee {
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
