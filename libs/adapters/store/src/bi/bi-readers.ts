import pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';

/** A role of PostgreSQL that reads the reports of one organization. */
export interface BiReader {
  readonly role: string;
  readonly organization: string;
  readonly createdAt: Date;
}

/** The limits of a reader's sessions. They are its defaults; nothing of another organization depends on them. */
const settings: Readonly<Record<string, string>> = {
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '60s',
  default_transaction_read_only: 'on',
};
/** Connections of one reader at once. */
const connections = 4;

/** Readers of reports (docs/guides/reports.md), on a connection of a role that may make roles. */
export function biReaders(client: pg.ClientBase) {
  const database = async (): Promise<string> => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    return pg.escapeIdentifier(rows[0]?.name ?? '');
  };
  return {
    list: async (): Promise<readonly BiReader[]> => {
      const { rows } = await client.query<{ role: string; organization: string; created_at: Date }>(
        `select r.role_name::text as role, o.slug as organization, r.created_at
         from bi.reader r join lateral (select slug from organization where id = r.organization_id) o on true
         order by r.created_at, r.role_name`,
      );
      return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt }));
    },
    /** Makes the role with its password. Fails if the organization is unknown or the role exists. */
    add: async (
      role: string,
      organizationId: string,
      password: string,
    ): Promise<Result<void, { readonly message: string }>> => {
      const name = pg.escapeIdentifier(role);
      const { rows } = await client.query('select from pg_roles where rolname = $1', [role]);
      if (rows.length > 0) return err({ message: `There is a role ${role} already.` });
      await client.query('begin');
      try {
        await client.query(
          `create role ${name} login noinherit nosuperuser nocreatedb nocreaterole nobypassrls
             connection limit ${connections} password ${pg.escapeLiteral(password)}`,
        );
        await client.query(`grant connect on database ${await database()} to ${name}`);
        for (const [setting, value] of Object.entries(settings))
          await client.query(
            `alter role ${name} in database ${await database()} set ${setting} = '${value}'`,
          );
        // Row-level security of the tables below asks for it; the views ask who has logged in.
        await client.query(
          `alter role ${name} in database ${await database()} set switchyard.organization_id = ${pg.escapeLiteral(organizationId)}`,
        );
        await client.query('insert into bi.reader (role_name, organization_id) values ($1, $2)', [
          role,
          organizationId,
        ]);
        await client.query('commit');
        return ok(undefined);
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
    },
    /** Ends the sessions of a reader and removes its role. False if there is none of that name. */
    remove: async (role: string): Promise<boolean> => {
      const { rowCount } = await client.query('delete from bi.reader where role_name = $1', [role]);
      if (rowCount !== 1) return false;
      const name = pg.escapeIdentifier(role);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
      const { rows } = await client.query('select from pg_roles where rolname = $1', [role]);
      if (rows.length > 0) await client.query(`drop owned by ${name}; drop role ${name}`);
      return true;
    },
  };
}
