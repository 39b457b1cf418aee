import type { Prisma } from '../generated/client.js';
import type { RowOf } from './row-mapper.js';
import type { TenantClient } from './tenant-client.js';

type Columns<Table extends Prisma.ModelName> = Prisma.TypeMap['model'][Table]['payload']['scalars'];

/**
 * Locks one row of the organization by its key until the end of the transaction, and reads these columns of it. Undefined
 * if there is none. Prisma has no lock, so this is the one statement for all tables.
 */
export async function lockRow<Table extends Prisma.ModelName, Column extends keyof Columns<Table> & string>(
  client: TenantClient,
  table: Table,
  key: Partial<Columns<Table>>,
  columns: readonly Column[],
): Promise<RowOf<Pick<Columns<Table>, Column>> | undefined> {
  const named = Object.entries(
    table === 'organization' ? key : { organization_id: client.organizationId, ...key },
  );
  const where = named.map(([column], at) => `${column} = $${String(at + 1)}`).join(' and ');
  const { rows } = await client.query<RowOf<Pick<Columns<Table>, Column>>>(
    `select ${columns.join(', ')} from ${table} where ${where} for update`,
    named.map(([, value]) => value),
  );
  return rows[0];
}
