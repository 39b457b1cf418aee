import { arrayPlaces, arrayTexts, namesOf, type Cells, type Columns } from '../core/array-text.js';
import type { TenantClient } from '../core/tenant-client.js';

/**
 * Inserts many rows with one parameter per column: the statement's text is the same for any number of rows, so its plan
 * is kept, and no limit of parameters applies. `organization_id` is added from the scope.
 */
export async function insertColumns<Column extends string>(
  client: TenantClient,
  table: string,
  types: Columns<Column>,
  rows: readonly Cells<Column>[],
): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: `insert_${table}`,
    text:
      `insert into ${table} (organization_id, ${namesOf(types).join(', ')}) ` +
      `select $1::uuid, * from unnest(${arrayPlaces(types)})`,
    values: [client.organizationId, ...arrayTexts(types, rows)],
  });
}
