import type { IdentityDirectory, VouchedIdentity } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';
import { unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { recordHolder } from './one-person.js';
import { recordOf, type HolderRow } from './principal-row.js';
import type { Prisma } from '../generated/client.js';

/** External identities of our principals. */
export function identityDirectory(store: Store): IdentityDirectory {
  return {
    find: async (kind, issuer, subjects) => {
      const { rows } = await run<HolderRow & { is_proved: boolean }>(store.pool, {
        name: 'identity_holders',
        text: 'select * from identity_holders($1, $2, $3)',
        values: [kind, issuer, [...subjects]],
      });
      return rows.map((row) => ({ ...recordOf(row), isProved: row.is_proved }));
    },
    prove: (scope, principalId, { kind, issuer, subjects }, at) =>
      store.inTenantModels(scope, async ({ principal_identity }) => {
        const names = { kind, issuer, subject: { in: [...subjects] } };
        const where = { principal_id: principalId, ...names, removed_at: null, proved_at: null };
        await principal_identity.updateMany({ where, data: { proved_at: new Date(at) } });
      }),
    of: (scope, principalId, kind) =>
      store.inTenantModels(scope, async ({ principal_identity }) => {
        const found = await principal_identity.findMany({
          where: { principal_id: principalId, kind, removed_at: null },
          orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
        });
        return found.map(identityOf);
      }),
    add: (scope, identity, heldBy) =>
      unlessDuplicate(() =>
        store.inTenantModels(scope, async ({ principal, principal_identity }) => {
          await principal_identity.create({ data: identityRow(scope.organizationId, identity) });
          await recordHolder(principal, identity.principalId, heldBy);
        }),
      ),
    remove: (scope, id, at, own) =>
      store.inTenantModels(scope, async ({ principal_identity }) => {
        const ofOwn = own && { principal_id: own.principalId, kind: own.kind };
        const where = { id, removed_at: null, ...ofOwn };
        const data = { removed_at: new Date(at) };
        const [removed] = await principal_identity.updateManyAndReturn({ where, data });
        return removed && identityOf(removed);
      }),
  };
}

/** An identity from its row. */
export const identityOf = rowReader<VouchedIdentity>()('id, principal_id, kind, issuer, subject, created_at');

/** An external identity as a new row. */
export function identityRow(
  organizationId: string,
  { id, principalId, kind, issuer, subject, createdAt, provedAt }: VouchedIdentity,
): Prisma.principal_identityUncheckedCreateInput {
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
