import { createHash } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';

/** One table of an export. */
export interface ExportedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256, lower-case hex, of its rows as they were written, each followed by a line feed. */
  readonly sha256: string;
}

/**
 * Tables that are never exported: secrets, sealed or as hashes, and answers that may show one. A new table of this kind
 * is named here.
 */
export const secretTables: readonly string[] = [
  'admin_answer',
  'credential',
  'job_file_part',
  'job_items',
  'link_key',
  'person_factor',
  'person_passkey',
  'person_password',
  'principal_token',
];

/** Columns that are left out of every table: hashes that open something, and keys. */
export const secretColumns: readonly string[] = [
  'binding',
  'ciphertext',
  'commitment',
  'cursor_key',
  'nonce',
  'tag',
  'token_hash',
  'wrapped_key',
];

/** Rows that are in memory at once. */
const rowsAtOnce = 500;

/**
 * Calls `take` with every row of an organization as JSON text, table by table, as of one instant, and resolves to what
 * each table held.
 */
export function exportOrganization(
  store: Store,
  scope: TenantScope,
  take: (table: string, rows: readonly string[]) => Promise<void>,
): Promise<readonly ExportedTable[]> {
  return store.inTenant(scope, async (client) => {
    await client.query('set transaction isolation level repeatable read read only');
    const exported: ExportedTable[] = [];
    for (const { table, key } of await tablesOf(client)) {
      const digest = createHash('sha256');
      let count = 0;
      await client.query(
        `declare exported no scroll cursor for
         select (to_jsonb(t) - $2::text[])::text as line from "${table}" t where t."${key}" = $1`,
        [client.organizationId, secretColumns],
      );
      for (;;) {
        const { rows } = await client.query<{ line: string }>(`fetch ${rowsAtOnce} from exported`);
        if (rows.length === 0) break;
        for (const { line } of rows) digest.update(`${line}\n`);
        count += rows.length;
        await take(
          table,
          rows.map(({ line }) => line),
        );
      }
      await client.query('close exported');
      exported.push({ table, rows: count, sha256: digest.digest('hex') });
    }
    return exported;
  });
}

/** The organization and every table with rows of tenants, by name. */
async function tablesOf(
  client: TenantClient,
): Promise<readonly { readonly table: string; readonly key: string }[]> {
  const { rows } = await client.query<{ table: string }>(
    `select c.relname as table from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and exists (select from pg_attribute a
         where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
       and has_table_privilege(c.oid, 'select') and not c.relname = any($1::text[])
     order by c.relname`,
    [secretTables],
  );
  return [
    { table: 'organization', key: 'id' },
    ...rows.map(({ table }) => ({ table, key: 'organization_id' })),
  ];
}
