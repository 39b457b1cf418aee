import type { OwnerView } from './database.js';

/** Returns all ids in all rows of an organization, from all columns. */
export async function idsInRows(database: OwnerView, organizationId: string): Promise<readonly string[]> {
  const columns = await database.rows<{ table: string; column: string }>(
    `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
     where c.table_schema = 'public' and c.column_name ~ '(^|_)(id|kid|hash)$'
       -- The master key of the instance, which wraps the keys of every organization.
       and c.column_name <> 'kms_key_id'
       -- Repeats what stands in other tables, slugs of sellers among it, which are words of everybody's.
       and c.table_name <> 'change_event'
       and exists (select 1 from information_schema.columns o
                   where o.table_name = c.table_name and o.column_name = 'organization_id')`,
  );
  const found = await Promise.all(
    columns.map(({ table, column }) =>
      database.rows<{ id: string | null }>(
        `select distinct "${column}"::text as id from "${table}" where organization_id = $1`,
        [organizationId],
      ),
    ),
  );
  const texts = found.flat().flatMap(({ id }) => (id === null ? [] : [id]));
  return [...new Set(texts)].filter((id) => id.length >= 8);
}
