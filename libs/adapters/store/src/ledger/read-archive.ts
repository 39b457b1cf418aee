import type { ArchivedPart, LedgerArchive, LedgerPage, StoredVersion } from '@switchyard/ledger';
import type { JsonObject } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader } from '../core/row-mapper.js';
import { hashedStream, headOf, type HeadRow } from './stream-head.js';
import { versionColumns, versionOf, type VersionRow } from './version-rows.js';

/** A stored archive, with the names, rows and hashes of its files. */
export interface StoredArchive extends LedgerArchive {
  readonly files: JsonObject;
}

const readArchived = rowReader<Omit<StoredArchive, 'head'>>()('before, sums, files');

/** The archives of an organization's ledger, the oldest first. */
export async function readArchives(client: TenantClient): Promise<readonly StoredArchive[]> {
  const { rows } = await client.query<HeadRow>({
    name: 'ledger_archives',
    text: 'select * from ledger_archive where organization_id = $1 order by before',
    values: [client.organizationId],
  });
  const stream = hashedStream(client.organizationId);
  return rows.map((row) => ({ ...readArchived(row), head: headOf(stream, row) }));
}

/** The newest archive: it ends where the tables begin. */
export async function readArchive(client: TenantClient): Promise<StoredArchive | undefined> {
  return (await readArchives(client)).at(-1);
}

/** The archived part of a ledger, for a verification of files and tables together. */
export async function archivedPart(
  client: TenantClient,
  end: LedgerArchive,
  pages: () => AsyncIterable<LedgerPage>,
): Promise<ArchivedPart> {
  const { rows } = await client.query<{ kept: string }>(
    'select count(*) as kept from report_version where organization_id = $1 and is_archived',
    [client.organizationId],
  );
  return {
    end,
    pages,
    versionsInTables: (ids) => versionsInTables(client, ids),
    countInTables: BigInt(rows[0]?.kept ?? 0),
  };
}

async function versionsInTables(
  client: TenantClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const { rows } = await client.query<VersionRow>(
    `select ${versionColumns} from report_version v where v.id = any($1::uuid[]) and v.is_archived`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, versionOf(row)]));
}
