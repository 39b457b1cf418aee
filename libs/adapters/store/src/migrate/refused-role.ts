import type pg from 'pg';
import type { DatabaseFailure } from './failure.js';

/** Row-level security is void for superusers, for roles that bypass it and for the owner of a table. */
export async function refusedRole(client: pg.Client, role: string): Promise<DatabaseFailure | undefined> {
  const { rows } = await client.query<{ unbound: boolean; owns: boolean }>(
    `select rolsuper or rolbypassrls as unbound,
            exists (select 1 from pg_tables where schemaname = 'public' and tableowner = rolname) as owns
     from pg_roles where rolname = $1`,
    [role],
  );
  const row = rows[0];
  if (row !== undefined && !row.unbound && !row.owns) return undefined;
  return {
    code: 'role_refused',
    message: `The role ${role} cannot run the server: it ${row?.owns === true ? 'owns tables' : 'bypasses row-level security'}, so tenants would not be kept apart. Use a plain role.`,
  };
}
