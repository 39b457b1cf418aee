import type pg from 'pg';
import type { DatabaseFailure } from './database-failure.js';

/**
 * Row-level security and append-only grants do not bind a superuser, a role that bypasses them, or the owner of a
 * table, who can also disable its triggers. A member of such a role can become it by SET ROLE, so each role that this
 * one is a direct or indirect member of is checked too.
 */
export async function refusedRole(client: pg.Client, role: string): Promise<DatabaseFailure | undefined> {
  const { rows } = await client.query<{ name: string; owns: boolean }>(
    `with owners as (
       select relowner as id from pg_class where relnamespace = 'public'::regnamespace
       union select proowner from pg_proc where pronamespace = 'public'::regnamespace
       union select nspowner from pg_namespace where nspname = 'public'
       union select datdba from pg_database where datname = current_database()
     )
     select o.rolname as name, o.oid in (select id from owners) as owns
     from pg_roles r join pg_roles o on o.oid = r.oid or pg_has_role(r.oid, o.oid, 'member')
     where r.rolname = $1 and (
       o.oid in (select id from owners) or o.rolsuper or o.rolbypassrls or o.rolreplication or o.rolcreaterole
       or o.rolname in ('pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files',
                        'pg_execute_server_program'))
     order by o.oid = r.oid desc, owns desc, o.rolname limit 1`,
    [role],
  );
  const [through] = rows;
  if (through === undefined) return undefined;
  const why = through.owns
    ? 'owns tables, functions or the database'
    : 'is above row-level security or grants';
  const message =
    through.name === role
      ? `The role ${role} cannot run the server: it ${why}, so tenants would not be kept apart. Use a plain role.`
      : `The role ${role} cannot run the server: it is a member of ${through.name}, which ${why}, so tenants would not be kept apart. Run "revoke ${through.name} from ${role}" or use a plain role.`;
  return { code: 'role_refused', message };
}
