import { Buffer } from 'node:buffer';
import {
  readPermissions,
  type AccountHold,
  type DeclaredAccount,
  type Principal,
  type PrincipalRecord,
  type TokenMatch,
  type TokenRecord,
} from '@switchyard/tenancy';
import { present } from '../core/present.js';
import type { Prisma } from '../generated/client.js';
import type { principal_accountModel, principal_tokenModel, principalModel } from '../generated/models.js';

export interface MatchRow extends principalModel {
  readonly token_id: string;
  readonly label: string;
  readonly scheme: string;
  readonly token_permissions: principal_tokenModel['permissions'];
  readonly token_created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}

export function matchOf(row: MatchRow, hash: Buffer): TokenMatch {
  return {
    principal: principalOf(row),
    token: tokenOf({
      ...row,
      id: row.token_id,
      principal_id: row.id,
      token_hash: Buffer.from(hash),
      permissions: row.token_permissions,
      created_at: row.token_created_at,
    }),
    ...present({ disabledAt: row.disabled_at?.getTime() }),
  };
}

export function tokenOf(row: Omit<principal_tokenModel, 'organization_id'>): TokenRecord {
  return {
    id: row.id,
    principalId: row.principal_id,
    hash: Buffer.from(row.token_hash),
    scheme: row.scheme === 'basic' ? 'basic' : 'bearer',
    label: row.label,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    ...(row.permissions === null ? {} : { permissions: readPermissions(row.permissions) }),
    ...present({ revokedAt: row.revoked_at?.getTime() }),
  };
}

export function tokenRow(organizationId: string, token: TokenRecord): Prisma.principal_tokenCreateInput {
  return {
    id: token.id,
    organization_id: organizationId,
    principal_id: token.principalId,
    token_hash: Buffer.from(token.hash),
    scheme: token.scheme,
    ...(token.permissions === undefined ? {} : { permissions: token.permissions }),
    label: token.label,
    created_at: new Date(token.createdAt),
    expires_at: new Date(token.expiresAt),
    revoked_at: token.revokedAt === undefined ? null : new Date(token.revokedAt),
  };
}

export function recordOf(row: principalModel): PrincipalRecord {
  return {
    principal: principalOf(row),
    createdAt: row.created_at.getTime(),
    ...present({ disabledAt: row.disabled_at?.getTime() }),
  };
}

export function principalOf(row: principalModel): Principal {
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
