import type { Buffer } from 'node:buffer';
import { readPermissions, type DeclaredAccount, type Principal, type TokenMatch } from '@switchyard/tenancy';
import { present } from '../core/present.js';
import type { Prisma } from '../generated/client.js';
import type { principal_accountModel, principalModel } from '../generated/models.js';

export interface MatchRow extends principalModel {
  readonly token_id: string;
  readonly label: string;
  readonly token_created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}

export function matchOf(row: MatchRow, hash: Buffer): TokenMatch {
  return {
    principal: principalOf(row),
    token: {
      id: row.token_id,
      principalId: row.id,
      hash,
      label: row.label,
      createdAt: row.token_created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      ...present({ revokedAt: row.revoked_at?.getTime() }),
    },
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
    transitional: principal.transitional,
    legacy: principal.legacy,
    created_at: at,
  };
}

export function accountOf(row: principal_accountModel): DeclaredAccount {
  return { id: row.id, brandDomain: row.brand_domain, brandId: row.brand_id, operator: row.operator };
}
