import { passwordLock, type PasswordRepository } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';
import { isDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';

interface HolderRow {
  readonly organization_id: string;
  readonly principal_id: string;
  readonly hash: string;
}

/** Passwords of people in PostgreSQL. */
export function passwordRepository(store: Store): PasswordRepository {
  return {
    find: async (email) => {
      const { rows } = await run<HolderRow>(store.pool, {
        name: 'password_holder',
        text: 'select * from password_holder($1)',
        values: [email],
      });
      return rows.map((row) => ({
        organizationId: row.organization_id,
        principalId: row.principal_id,
        hash: row.hash,
      }))[0];
    },
    claimAttempt: (scope, principalId, at) =>
      store.inTenant(scope, async (client) => {
        const { attempts, lockMs } = passwordLock;
        const { rowCount } = await client.query(
          `update person_password set
             failed_attempts = case when failed_attempts + 1 >= $3 then 0 else failed_attempts + 1 end,
             locked_until = case when failed_attempts + 1 >= $3 then $4::timestamptz end
           where principal_id = $1 and (locked_until is null or locked_until <= $2)`,
          [principalId, new Date(at), attempts, new Date(at + lockMs)],
        );
        return rowCount === 1;
      }),
    forgetAttempts: (scope, principalId) =>
      store.inTenantModels(scope, async ({ person_password }) => {
        const data = { failed_attempts: 0, locked_until: null };
        await person_password.updateMany({ where: { principal_id: principalId }, data });
      }),
    set: async (scope, { principalId, email, hash }, at) => {
      const columns = { email, hash, failed_attempts: 0, locked_until: null, changed_at: new Date(at) };
      try {
        await store.inTenantModels(scope, async ({ person_password, principal_token }) => {
          await person_password.upsert({
            where: { principal_id: principalId },
            create: { principal_id: principalId, organization_id: scope.organizationId, ...columns },
            update: columns,
          });
          const sessions = { principal_id: principalId, scheme: 'session', revoked_at: null };
          await principal_token.updateMany({ where: sessions, data: { revoked_at: new Date(at) } });
        });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    of: (scope, principalId) =>
      store.inTenantModels(scope, async ({ person_password }) => {
        const found = await person_password.findUnique({ where: { principal_id: principalId } });
        return found === null ? undefined : { email: found.email, hash: found.hash };
      }),
  };
}
