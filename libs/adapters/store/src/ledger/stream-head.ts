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

/** A stream as its rows name it, and as its hashes do. */
export interface StreamNames {
  readonly stored: string;
  readonly hashed: string;
}

function ledgerOf(client: TenantClient): StreamNames {
  return { stored: ledgerStream, hashed: hashedStream(client.organizationId) };
}

/** Where a stream stands, the ledger's unless another is named; the empty stream before its first entry. */
export async function readHead(
  client: TenantClient,
  names: StreamNames = ledgerOf(client),
): Promise<StreamHead> {
  return (await selectHead(client, names, '')) ?? emptyStream(names.hashed);
}

/** The ledger's head, locked until the transaction ends; `undefined` while it has none. */
export function lockKnownHead(client: TenantClient): Promise<StreamHead | undefined> {
  return selectHead(client, ledgerOf(client), 'for update');
}

/**
 * The head of a stream, the ledger's unless another is named, locked until the transaction ends: there is one writer
 * per stream, and everything it decides on is read after this. A stream that has no head yet gets one first, because a
 * row that is not there cannot be locked.
 */
export async function lockHead(
  client: TenantClient,
  names: StreamNames = ledgerOf(client),
): Promise<StreamHead> {
  const locked = await selectHead(client, names, 'for update');
  if (locked !== undefined) return locked;
  const empty = emptyStream(names.hashed);
  await client.query(
    `insert into journal_head (organization_id, stream, number, hash, entry_total, sealed_at)
     values ($1, $2, 0, $3, 0, $4) on conflict do nothing`,
    [client.organizationId, names.stored, empty.hash, new Date(empty.sealedAt)],
  );
  const made = await selectHead(client, names, 'for update');
  if (made === undefined) throw new Error('The head of a stream cannot be seen under this scope.');
  return made;
}

async function selectHead(
  client: TenantClient,
  names: StreamNames,
  lock: '' | 'for update',
): Promise<StreamHead | undefined> {
  const { rows } = await client.query<HeadRow>({
    name: lock === '' ? 'journal_head' : 'journal_head_locked',
    text: `select ${columns} from journal_head where organization_id = $1 and stream = $2 ${lock}`,
    values: [client.organizationId, names.stored],
  });
  return rows[0] === undefined ? undefined : headOf(names.hashed, rows[0]);
}

/** A row of `journal_head` as the head of the stream of that hashed name. */
export function headOf(stream: string, row: HeadRow): StreamHead {
  return {
    stream,
    number: BigInt(row.number),
    hash: row.hash,
    entryTotal: BigInt(row.entry_total),
    sealedAt: row.sealed_at.getTime(),
  };
}
