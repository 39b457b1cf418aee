import { emptyStream, type StreamHead } from '@switchyard/journal';
import { isoOf } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import type { RowOf } from '../core/row-mapper.js';
import type { journal_headModel } from '../generated/models.js';

/** The name of the ledger's stream in the tables. */
export const ledgerStream = 'ledger';

/** The hashed name. It contains the organization, so that no block fits another organization's chain. */
export function hashedStream(organizationId: string): string {
  return `${ledgerStream}:${organizationId}`;
}

export type HeadRow = Pick<RowOf<journal_headModel>, 'number' | 'hash' | 'entry_total' | 'sealed_at'>;

/** The columns of a head, here and where a head is stored beside something; `headValues` are its values. */
export const headColumns = 'number, hash, entry_total, sealed_at';

export const headValues = ({ number, hash, entryTotal, sealedAt }: StreamHead): readonly unknown[] => [
  number.toString(),
  hash,
  entryTotal.toString(),
  isoOf(sealedAt),
];

/** The name of a stream in its rows, and in its hashes. */
interface StreamNames {
  readonly stored: string;
  readonly hashed: string;
}

function ledgerOf(client: TenantClient): StreamNames {
  return { stored: ledgerStream, hashed: hashedStream(client.organizationId) };
}

/** The head of a stream, by default the ledger's; the empty stream before the first entry. */
export async function readHead(
  client: TenantClient,
  names: StreamNames = ledgerOf(client),
): Promise<StreamHead> {
  return (await selectHead(client, names, '')) ?? emptyStream(names.hashed);
}

/** Locks the ledger's head until the transaction ends; `undefined` while there is none. */
export function lockKnownHead(client: TenantClient): Promise<StreamHead | undefined> {
  return selectHead(client, ledgerOf(client), 'for update');
}

/**
 * Locks the head of a stream, by default the ledger's, until the transaction ends: there is one writer per stream, and
 * everything it decides on is read after this. A stream without a head gets one first, because a missing row cannot be
 * locked.
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
  const asked = performance.now();
  const { rows } = await client.query<HeadRow>({
    name: lock === '' ? 'journal_head' : 'journal_head_locked',
    text: `select ${headColumns} from journal_head where organization_id = $1 and stream = $2 ${lock}`,
    values: [client.organizationId, names.stored],
  });
  if (lock !== '') client.headWaited?.(performance.now() - asked);
  return rows[0] === undefined ? undefined : headOf(names.hashed, rows[0]);
}

/** Makes the head of the stream with that hashed name from a row of `journal_head`. */
export function headOf(stream: string, row: HeadRow | Pick<journal_headModel, keyof HeadRow>): StreamHead {
  return {
    stream,
    number: BigInt(row.number),
    hash: row.hash,
    entryTotal: BigInt(row.entry_total),
    sealedAt: row.sealed_at.getTime(),
  };
}
