import { countAttempt, type Attempts, type PasswordRepository } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import type { person_passwordModel } from '../generated/models.js';

type HolderRow = Pick<person_passwordModel, 'organization_id' | 'principal_id' | 'hash'>;

type AttemptsRow = Pick<person_passwordModel, 'failed_attempts' | 'locked_until'> & {
  readonly failed_sources: Attempts['sources'];
  readonly is_known: boolean;
};

const noAttempts = { failed_attempts: 0, locked_until: null, failed_sources: {} };

/** Passwords of people in PostgreSQL. */
export function passwordRepository(store: Store): PasswordRepository {
  return {
    holders: async (email) => {
      const { rows } = await run<HolderRow>(store.pool, {
        name: 'password_holders',
        text: 'select * from password_holders($1)',
        values: [email],
      });
      return rows.map((row) => ({
        organizationId: row.organization_id,
        principalId: row.principal_id,
        hash: row.hash,
      }));
    },
    claimAttempt: (scope, principalId, from, at) =>
      store.inTenant(scope, async (client) => {
        const address = from === 'session' ? null : from.address;
        const { rows } = await client.query<AttemptsRow>(
          `select failed_attempts, locked_until, failed_sources, $2::text is null or exists (
             select from principal_token t where t.principal_id = p.principal_id
               and t.scheme = 'session' and t.address = $2) as is_known
           from person_password p where p.principal_id = $1 for update of p`,
          [principalId, address],
        );
        const [row] = rows;
        if (row === undefined) return false;
        const before: Attempts = {
          failed: row.failed_attempts,
          ...(row.locked_until !== null && { lockedUntil: row.locked_until.getTime() }),
          sources: row.failed_sources,
        };
        const after = countAttempt(before, address ?? 'session', row.is_known, at);
        if (after === undefined) return false;
        const { failed, lockedUntil, sources } = after;
        await client.models.person_password.updateMany({
          where: { principal_id: principalId },
          data: {
            failed_attempts: failed,
            locked_until: lockedUntil === undefined ? null : new Date(lockedUntil),
            failed_sources: { ...sources },
          },
        });
        return true;
      }),
    forgetAttempts: (scope, principalId) =>
      store.inTenantModels(scope, async ({ person_password }) => {
        await person_password.updateMany({ where: { principal_id: principalId }, data: noAttempts });
      }),
    set: async (scope, { principalId, email, hash }, at) => {
      const columns = { email, hash, ...noAttempts, changed_at: new Date(at) };
      await store.inTenantModels(scope, async ({ person_password, principal_token, oauth_artifact }) => {
        const hadPassword = (await person_password.count({ where: { principal_id: principalId } })) > 0;
        await person_password.upsert({
          where: { principal_id: principalId },
          create: { principal_id: principalId, organization_id: scope.organizationId, ...columns },
          update: columns,
        });
        const sessions = { principal_id: principalId, scheme: 'session', revoked_at: null };
        await principal_token.updateMany({ where: sessions, data: { revoked_at: new Date(at) } });
        // Tokens of a program are valid while its grant exists.
        const account = `${scope.organizationId}:${principalId}`;
        const isOfPerson = { OR: [{ account }, { account: { startsWith: `${account}:` } }] };
        if (hadPassword) await oauth_artifact.deleteMany({ where: { model: 'Grant', ...isOfPerson } });
      });
    },
    of: (scope, principalId) =>
      store.inTenantModels(scope, async ({ person_password }) => {
        const found = await person_password.findFirst({ where: { principal_id: principalId } });
        return found === null ? undefined : { email: found.email, hash: found.hash };
      }),
  };
}
