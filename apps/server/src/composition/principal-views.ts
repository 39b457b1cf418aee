import type { PrincipalRecord, TokenRecord, VouchedIdentity } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import type { IdentityView, PrincipalView, TokenView } from '../tasks/ports/principals.js';

/** A principal with what is its own among the tokens and identities of its organization. */
export function principalView(
  { principal, createdAt, disabledAt }: PrincipalRecord,
  tokens: readonly TokenRecord[],
  identities: readonly VouchedIdentity[],
): PrincipalView {
  const { id, name, kind, permissions, brandDomain, transitional, legacy } = principal;
  return {
    principal_id: id,
    name,
    kind,
    permissions,
    ...(brandDomain === undefined ? {} : { brand_domain: brandDomain }),
    transitional,
    legacy,
    created_at: isoOf(createdAt),
    ...(disabledAt === undefined ? {} : { revoked_at: isoOf(disabledAt) }),
    tokens: tokens.filter((one) => one.principalId === id).map(tokenView),
    identities: identities.filter((one) => one.principalId === id).map(identityView),
  };
}

function tokenView({ id, scheme, label, permissions, createdAt, expiresAt }: TokenRecord): TokenView {
  return {
    token_id: id,
    scheme,
    label,
    ...(permissions === undefined ? {} : { permissions }),
    created_at: isoOf(createdAt),
    expires_at: isoOf(expiresAt),
  };
}

function identityView({ id, kind, issuer, subject }: VouchedIdentity): IdentityView {
  return { identity_id: id, kind, ...(issuer === '' ? {} : { issuer }), subject };
}
