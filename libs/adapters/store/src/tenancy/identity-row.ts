import type { VouchedIdentity } from '@switchyard/tenancy';
import type { Prisma } from '../generated/client.js';

/** An external identity as a new row. */
export function identityRow(
  organizationId: string,
  { id, principalId, kind, issuer, subject, createdAt, provedAt }: VouchedIdentity,
): Prisma.principal_identityCreateInput {
  return {
    id,
    organization_id: organizationId,
    principal_id: principalId,
    kind,
    issuer,
    subject,
    created_at: new Date(createdAt),
    proved_at: provedAt === undefined ? null : new Date(provedAt),
  };
}
