import { sealBlock, type Block, type JournalEntry, type OpenStream } from '@switchyard/journal';
import { groupBy } from '@switchyard/ledger';
import { custodyStream } from '@switchyard/relay';
import { isoOf, type Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { insertColumns } from '../ledger/insert-columns.js';
import { blockGroups, blockOf } from '../ledger/read-pages.js';
import { lockHead, readHead } from '../ledger/stream-head.js';

/** An entry of the chain, with the id of the record in its text. */
interface CustodyLink extends JournalEntry {
  readonly recordId: string;
}

/** Appends records to a principal's chain, in the caller's transaction. The head stays locked until its end. */
export async function appendCustody(
  client: TenantClient,
  principalId: string,
  links: readonly CustodyLink[],
  at: Instant,
): Promise<void> {
  const stream = custodyStream(principalId);
  const { block, head } = sealBlock(await lockHead(client, { stored: stream, hashed: stream }), links, at);
  const number = block.number.toString();
  const sealedAt = isoOf(block.sealedAt);
  // Sent together: none of them reads what another writes.
  await Promise.all([
    client.query({
      name: 'custody_block',
      text: `insert into journal_block (organization_id, stream, number, previous_hash, hash, entry_count, sealed_at)
             values ($1, $2, $3, $4, $5, $6, $7)`,
      values: [client.organizationId, stream, number, block.previousHash, block.hash, links.length, sealedAt],
    }),
    insertColumns(client, 'custody_entry', entryColumns, rowsOf(stream, number, links)),
    client.query({
      name: 'custody_head',
      text: `update journal_head set number = $3, hash = $4, entry_total = $5, sealed_at = $6
             where organization_id = $1 and stream = $2`,
      values: [client.organizationId, stream, number, head.hash, head.entryTotal.toString(), sealedAt],
    }),
  ]);
}

const entryColumns = {
  stream: 'text',
  block_number: 'bigint',
  position: 'int',
  record_id: 'uuid',
  body: 'text',
  hash: 'text',
} as const;

function rowsOf(stream: string, number: string, links: readonly CustodyLink[]) {
  return links.map(({ recordId, body, hash }, position) => ({
    stream,
    block_number: number,
    position,
    record_id: recordId,
    body,
    hash,
  }));
}

/** The whole chain with its head, from one snapshot, so that a block sealed meanwhile is in both or in neither. */
export async function readCustody(client: TenantClient, principalId: string): Promise<OpenStream> {
  const stream = custodyStream(principalId);
  return {
    head: await readHead(client, { stored: stream, hashed: stream }),
    blocks: blocksOf(client, stream),
  };
}

async function* blocksOf(client: TenantClient, stream: string): AsyncGenerator<Block> {
  for await (const group of blockGroups(client, 0n, stream)) {
    const { rows } = await client.query<JournalEntry & { readonly block_number: string }>(
      `select block_number, body, hash from custody_entry
       where organization_id = $1 and stream = $2 and block_number = any($3::bigint[])
       order by block_number, position`,
      [client.organizationId, stream, group.map(({ number }) => number)],
    );
    const entries = groupBy(rows, (row) => row.block_number);
    for (const block of group) yield blockOf(stream, block, entries.get(block.number) ?? []);
  }
}
