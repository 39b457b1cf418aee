import type pg from 'pg';
import type { QueryResultRow } from 'pg';
import type { TenantScope } from '@switchyard/tenancy';
import type { Rows, Statement, TenantClient } from './tenant-client.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * One transaction of one tenant on a connection of its own. It commits when `work` resolves and rolls back when it
 * rejects. The tenant is named together with the BEGIN, and forgotten at its end.
 *
 * Connections are pipelined: the BEGIN travels with the first statement and, where `work` names its last one, the
 * COMMIT with that, so that one statement in a transaction costs one round trip. Where the BEGIN failed no statement
 * has a tenant, and row-level security shows and takes nothing.
 */
export async function inTenant<T>(
  pool: pg.Pool,
  scope: TenantScope,
  work: (client: TenantClient) => Promise<T>,
): Promise<T> {
  const { organizationId } = scope;
  // The id stands inside the statement's text; anything that is not exactly a UUID must not get there.
  if (!uuid.test(organizationId)) throw new TypeError('A tenant scope names an organization by its UUID.');
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const begun = connection.query(
      `begin; select set_config('switchyard.organization_id', '${organizationId}', true)`,
    );
    // Awaited below; a statement that was sent with it may fail first, and for the same reason.
    begun.catch(() => undefined);
    const client = tenantClient(connection, organizationId);
    const result = await work(client);
    await begun;
    const ended = await (client.ending() ?? connection.query('commit'));
    // COMMIT of a transaction in which a statement failed is a ROLLBACK, and says so only here.
    if (ended.command !== 'COMMIT') throw new Error('The transaction had failed and was rolled back.');
    return result;
  } catch (error) {
    await connection.query('rollback').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error('The rollback failed.');
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** One statement of one tenant in a transaction of its own, in one round trip. */
export function onceInTenant<R extends QueryResultRow>(
  pool: pg.Pool,
  scope: TenantScope,
  statement: Statement,
): Promise<Rows<R>> {
  return inTenant(pool, scope, (client) => client.lastQuery<R>(statement));
}

function tenantClient(
  connection: pg.PoolClient,
  organizationId: string,
): TenantClient & { ending(): Promise<pg.QueryResult> | undefined } {
  let ending: Promise<pg.QueryResult> | undefined;
  return {
    organizationId,
    query: async <R extends QueryResultRow>(statement: string | Statement, values?: readonly unknown[]) =>
      run<R>(connection, statement, values),
    lastQuery: <R extends QueryResultRow>(statement: Statement) => {
      const rows = run<R>(connection, statement);
      ending = connection.query('commit');
      ending.catch(() => undefined);
      return rows;
    },
    ending: () => ending,
  };
}

/** Runs one statement on a connection or a pool and narrows what `pg` says to what we use. */
export async function run<R extends QueryResultRow>(
  on: pg.Pool | pg.PoolClient,
  statement: string | Statement,
  values?: readonly unknown[],
): Promise<Rows<R>> {
  const { text, name, values: own } = typeof statement === 'string' ? { text: statement } : statement;
  const result = await on.query<R>({
    text,
    values: [...(values ?? own ?? [])],
    ...(name === undefined ? {} : { name }),
  });
  return { rows: result.rows, rowCount: result.rowCount ?? 0 };
}
