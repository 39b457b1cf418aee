import { Buffer } from 'node:buffer';
import {
  builtInRoles,
  readPermissions,
  roleGrant,
  withRoles,
  type AccountHold,
  type DeclaredAccount,
  type Grant,
  type GrantScope,
  type Principal,
  type PrincipalRecord,
  type TokenMatch,
  type TokenRecord,
  type TokenScheme,
} from '@switchyard/tenancy';
import { present } from '../core/present.js';
import { timesOf } from './sign-in-policies.js';
import type { Prisma } from '../generated/client.js';
import type { principal_accountModel, principal_tokenModel, principalModel } from '../generated/models.js';

/** A principal with its roles, as `rolesOf` and the functions that find a holder select them. */
export interface HolderRow extends Omit<principalModel, 'held_by'> {
  readonly grants?: readonly StoredGrant[] | null;
  readonly holder_names?: readonly string[];
}

export interface StoredGrant {
  readonly role: string;
  /** Permissions of the role as the organization has edited it; null if it has not. */
  readonly permissions: unknown;
  readonly kind: string;
  readonly id: string;
}

/** The only rule of who holds a grant `g`, for `principal p`: its principal, and members of its team. */
export const grantOfPrincipal = `g.organization_id = p.organization_id and g.removed_at is null and (g.principal_id = p.id
    or g.team_id = any(array(select m.team_id from team_member m
      where m.organization_id = p.organization_id and m.principal_id = p.id)))`;

/** A column of a statement on `principal p`. */
export const rolesOf = `(
  select jsonb_agg(jsonb_build_object(
    'role', g.role, 'permissions', r.permissions, 'kind', g.scope_kind, 'id', g.scope_id) order by g.created_at, g.id)
  from access_grant g left join role r on r.organization_id = g.organization_id and r.name = g.role
  where ${grantOfPrincipal}) as grants`;

/** A column of the same: names of the principals that can act as it. */
export const holderNames = `array(
  select h.name from principal h where h.id = any(p.held_by) order by h.name) as holder_names`;

export interface MatchRow extends HolderRow {
  readonly token_id: string;
  readonly label: string;
  readonly scheme: string;
  readonly token_permissions: principal_tokenModel['permissions'];
  readonly token_created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly authenticated_at: Date | null;
  readonly factor_due: boolean;
  readonly step_up_minutes: number | null;
  readonly idle_minutes: number | null;
}

export function matchOf(row: MatchRow, hash: Buffer): TokenMatch {
  return {
    principal: principalOf(row),
    token: tokenOf({
      ...row,
      id: row.token_id,
      principal_id: row.id,
      token_hash: Buffer.from(hash),
      opened_by: null,
      permissions: row.token_permissions,
      created_at: row.token_created_at,
      device: null,
      address: null,
    }),
    policy: timesOf(row),
    ...present({ disabledAt: row.disabled_at?.getTime() }),
  };
}

export function tokenOf(row: Omit<principal_tokenModel, 'organization_id'>): TokenRecord {
  return {
    id: row.id,
    principalId: row.principal_id,
    hash: Buffer.from(row.token_hash),
    scheme: schemes[row.scheme] ?? 'bearer',
    label: row.label,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    ...(row.permissions === null ? {} : { permissions: readPermissions(row.permissions) }),
    ...present({
      revokedAt: row.revoked_at?.getTime(),
      openedBy: row.opened_by ?? undefined,
      device: row.device ?? undefined,
      address: row.address ?? undefined,
      lastUsedAt: row.last_used_at?.getTime(),
      authenticatedAt: row.authenticated_at?.getTime(),
      factorDue: row.factor_due ? (true as const) : undefined,
    }),
  };
}

const schemes: Readonly<Record<string, TokenScheme>> = {
  bearer: 'bearer',
  basic: 'basic',
  session: 'session',
  link: 'link',
  scim: 'scim',
};

export function tokenRow(
  organizationId: string,
  token: TokenRecord,
): Prisma.principal_tokenUncheckedCreateInput {
  return {
    id: token.id,
    organization_id: organizationId,
    principal_id: token.principalId,
    token_hash: Buffer.from(token.hash),
    scheme: token.scheme,
    opened_by: token.openedBy ?? null,
    device: token.device ?? null,
    address: token.address ?? null,
    ...(token.permissions === undefined ? {} : { permissions: token.permissions }),
    factor_due: token.factorDue ?? false,
    label: token.label,
    created_at: new Date(token.createdAt),
    expires_at: new Date(token.expiresAt),
    revoked_at: token.revokedAt === undefined ? null : new Date(token.revokedAt),
  };
}

export function recordOf(row: HolderRow): PrincipalRecord {
  return {
    principal: principalOf(row),
    createdAt: row.created_at.getTime(),
    ...present({ disabledAt: row.disabled_at?.getTime(), heldBy: row.holder_names }),
  };
}

export function principalOf(row: HolderRow): Principal {
  return withRoles(withoutRoles(row), (row.grants ?? []).map(storedGrantOf));
}

/** A role that the organization no longer has grants nothing. */
export function storedGrantOf({ role, permissions, kind, id }: StoredGrant): Grant {
  const granted = permissions === null ? (builtInRoles[role] ?? {}) : readPermissions(permissions);
  return roleGrant(role, granted, scopeOf(kind, id));
}

/** A grant's scope from its two columns. */
export function scopeOf(kind: string, id: string): GrantScope {
  return kind === 'organization' || kind === 'own'
    ? { kind }
    : { kind: kind as 'client' | 'brand' | 'campaign', id };
}

export function principalRow(principal: Principal, at: Date): Prisma.principalCreateInput {
  return {
    id: principal.id,
    organization_id: principal.organizationId,
    name: principal.name,
    kind: principal.kind,
    permissions: principal.permissions,
    brand_domain: principal.brandDomain ?? null,
    transitional: principal.transitional,
    legacy: principal.legacy,
    created_at: at,
  };
}

export function accountOf(row: principal_accountModel): DeclaredAccount {
  const { id, brand_domain: brandDomain, brand_id: brandId, operator, hold } = row;
  const account = { id, brandDomain, brandId, operator };
  return hold === null ? account : { ...account, hold: hold as AccountHold };
}

function withoutRoles(row: HolderRow): Principal {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    kind: row.kind as Principal['kind'],
    permissions: readPermissions(row.permissions),
    ...(row.brand_domain === null ? {} : { brandDomain: row.brand_domain }),
    transitional: row.transitional,
    legacy: row.legacy,
  };
}
