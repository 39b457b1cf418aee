import { randomUUID } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { RowOf } from '../core/row-mapper.js';
import type { finance_fileModel } from '../generated/models.js';
import { takeTurn } from '../core/take-turns.js';

/** Description of a file before its parts are sent. */
interface FileAnnounced {
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** UUID of the principal. */
  readonly by: string;
}

export interface StoredFile {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Bytes received so far. */
  readonly received: number;
}

/** Unused files are stored for a day. */
const unusedMs = 86_400_000;

/** A smaller file counts as one of this size, so that the rows of many small ones are bounded too. */
const leastBytes = 65_536;

/** Files that are uploaded in parts: sources of invoices and figures, and attachments of invoices. */
export function financeFiles(store: Store) {
  return {
    /** Returns the id of the file; nothing if unused files would exceed `bytesAtMost` together. */
    announce: (
      scope: TenantScope,
      file: FileAnnounced,
      bytesAtMost: number,
      at: Instant,
    ): Promise<string | undefined> =>
      store.inTenant(scope, async (client) => {
        const { organizationId } = client;
        // Two announcements of one organization take turns: otherwise both would use the same room.
        await takeTurn(client, 'financeFile');
        const { rows: old } = await client.query<{ id: string }>(
          'delete from finance_file where organization_id = $1 and not is_used and created_at < $2 returning id',
          [organizationId, new Date(at - unusedMs)],
        );
        await client.models.finance_file_part.deleteMany({
          where: { file_id: { in: old.map(({ id }) => id) } },
        });
        const { rows } = await client.query<{ bytes: string }>(
          `select coalesce(sum(greatest(bytes, $2)), 0)::text as bytes from finance_file
           where organization_id = $1 and not is_used`,
          [organizationId, leastBytes],
        );
        if (Number(rows[0]?.bytes) + Math.max(file.bytes, leastBytes) > bytesAtMost) return undefined;
        const id = randomUUID();
        const { name, bytes, sha256, by } = file;
        await client.models.finance_file.create({
          data: {
            id,
            organization_id: organizationId,
            name,
            bytes,
            sha256,
            created_by: by,
            created_at: new Date(at),
          },
        });
        return id;
      }),
    /** False if no file of the caller waits for parts under this id. A repeated part is stored once. */
    putPart: (scope: TenantScope, id: string, part: number, content: Buffer): Promise<boolean> =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `insert into finance_file_part (organization_id, file_id, part, content)
           select organization_id, id, $2, $3 from finance_file where id = $1 and not is_used
           on conflict (file_id, part) do update set content = excluded.content`,
          [id, part, content],
        );
        return rowCount > 0;
      }),
    find: (scope: TenantScope, id: string): Promise<StoredFile | undefined> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<FileRow>(
          `select f.id, f.name, f.bytes, f.sha256,
             (select coalesce(sum(length(p.content)), 0) from finance_file_part p where p.file_id = f.id)::text as received
           from finance_file f where f.id = $1`,
          [id],
        );
        const [row] = rows;
        return row === undefined
          ? undefined
          : { ...row, bytes: Number(row.bytes), received: Number(row.received) };
      }),
    /** The bytes of a file in their order, at most a megabyte at once. */
    async *read(scope: TenantScope, id: string): AsyncGenerator<Buffer> {
      for (let [part, from] = [0, 0]; ; from += bytesAtOnce) {
        const read = await store.inTenant(scope, (client) => readPart(client, id, part, from));
        if (read === undefined) return;
        if (read.content.length > 0) yield read.content;
        if (from + bytesAtOnce >= read.bytes) [part, from] = [part + 1, -bytesAtOnce];
      }
    },
  };
}

export type FinanceFiles = ReturnType<typeof financeFiles>;

type FileRow = Pick<RowOf<finance_fileModel>, 'id' | 'name' | 'bytes' | 'sha256'> & {
  readonly received: string;
};

/** Bytes of a part that are read at once: the driver has them as text, twice as long, and keeps the room for it. */
const bytesAtOnce = 1_048_576;

async function readPart(
  client: TenantClient,
  id: string,
  part: number,
  from: number,
): Promise<{ readonly content: Buffer; readonly bytes: number } | undefined> {
  const { rows } = await client.query<{ content: Buffer; bytes: number }>(
    `select substring(content from $3 for $4) as content, length(content) as bytes
     from finance_file_part where file_id = $1 and part = $2`,
    [id, part, from + 1, bytesAtOnce],
  );
  return rows[0];
}

/** Marks a file as used, in the commit of what is made from it. False if it is gone. */
export async function markFileUsed(client: TenantSession, id: string): Promise<boolean> {
  const { count } = await client.models.finance_file.updateMany({ where: { id }, data: { is_used: true } });
  return count > 0;
}
