import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type { PlacedGrant } from './grant-directory.js';

/**
 * Whether a principal with the grants `after` can both set limits and buy somewhere where it could not with the grants
 * `before`: `ledger.write` and `media_buys.write` in scopes that overlap. Whoever can do both lifts the limit and then
 * buys, so another person decides on it (docs/security/model.md#changes-of-controls).
 */
export function joinsDuties(before: readonly PlacedGrant[], after: readonly PlacedGrant[]): boolean {
  const known = new Set(joinedScopes(before));
  return !known.has('organization organization') && joinedScopes(after).some((pair) => !known.has(pair));
}

/** Pairs of scopes that overlap: limits can be set in the first and buys made in the second. */
function joinedScopes(grants: readonly PlacedGrant[]): readonly string[] {
  const limits = grants.filter((grant) => holds(grant, 'ledger', 'write'));
  const buying = grants.filter((grant) => holds(grant, 'media_buys', 'write'));
  return limits.flatMap((one) =>
    buying.filter((other) => overlap(one, other)).map((other) => `${textOf(one)} ${textOf(other)}`),
  );
}

const holds = ({ permissions }: PlacedGrant, area: PermissionArea, kind: PermissionKind): boolean =>
  permissions[area]?.includes(kind) === true;

const textOf = ({ scope }: PlacedGrant): string => ('id' in scope ? `${scope.kind}:${scope.id}` : scope.kind);

/** Own objects may be anywhere. A brand without a client, or of several, may be anybody's. */
function overlap(one: PlacedGrant, other: PlacedGrant): boolean {
  if (!('id' in one.scope) || !('id' in other.scope)) return true;
  if (one.scope.kind === other.scope.kind) return one.scope.id === other.scope.id;
  return contains(one, other) || contains(other, one);
}

function contains({ scope }: PlacedGrant, { scope: inner, place }: PlacedGrant): boolean {
  if (!('id' in scope)) return true;
  if (scope.kind === 'client')
    return place?.clientId === scope.id || (inner.kind === 'brand' && place?.clientId === undefined);
  return scope.kind === 'brand' && place?.brandDomain === scope.id && inner.kind === 'campaign';
}
