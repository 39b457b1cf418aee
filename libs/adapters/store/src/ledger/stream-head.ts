import { emptyStream, type StreamHead } from '@switchyard/journal';
import type { TenantClient } from '../core/tenant-client.js';

/** The name of the ledger's stream in the tables. */
export const ledgerStream = 'ledger';

/** The name that is hashed: with the organization in it, so that no block fits another organization's chain. */
export function hashedStream(organizationId: string): string {
  return `${ledgerStream}:${organizationId}`;
}

interface HeadRow {
  readonly number: string;
  readonly hash: string;
  readonly entry_total: string;
  readonly sealed_at: Date;
}

const columns = 'number, hash, entry_total, sealed_at';

/** Where the ledger stands; the empty stream before its first entry. */
export async function readHead(client: TenantClient): Promise<StreamHead> {
  return (await selectHead(client, '')) ?? emptyStream(hashedStream(client.organizationId));
}

/**
 * The head, locked until the transaction ends: there is one writer per stream, and everything the ledger decides on
 * is read after this. A stream that has no head yet gets one first, because a row that is not there cannot be locked.
 */
export async function lockHead(client: TenantClient): Promise<StreamHead> {
  const locked = await selectHead(client, 'for update');
  if (locked !== undefined) return locked;
  const empty = emptyStream(hashedStream(client.organizationId));
  await client.query(
    `insert into journal_head (organization_id, stream, number, hash, entry_total, sealed_at)
     values ($1, $2, 0, $3, 0, $4) on conflict do nothing`,
    [client.organizationId, ledgerStream, empty.hash, new Date(empty.sealedAt)],
  );
  const made = await selectHead(client, 'for update');
  if (made === undefined) throw new Error('The head of the ledger cannot be seen under this scope.');
  return made;
}

async function selectHead(client: TenantClient, lock: '' | 'for update'): Promise<StreamHead | undefined> {
  const { rows } = await client.query<HeadRow>(
    `select ${columns} from journal_head where organization_id = $1 and stream = $2 ${lock}`,
    [client.organizationId, ledgerStream],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    stream: hashedStream(client.organizationId),
    number: BigInt(row.number),
    hash: row.hash,
    entryTotal: BigInt(row.entry_total),
    sealedAt: row.sealed_at.getTime(),
  };
}
