import {
  sealBlock,
  type Block,
  type JournalEntry,
  type OpenStream,
  type StreamHead,
} from '@switchyard/journal';
import { groupBy } from '@switchyard/ledger';
import { custodyStream } from '@switchyard/relay';
import { isoOf, type Instant } from '@switchyard/values';
import { arrayTexts } from '../core/array-text.js';
import type { TenantClient } from '../core/tenant-client.js';
import { blockGroups, blockOf } from '../ledger/read-pages.js';
import { lockHead, readHead } from '../ledger/stream-head.js';

/** An entry of the chain, with the id of the record in its text. */
interface CustodyLink extends JournalEntry {
  readonly recordId: string;
}

/**
 * Appends records to a principal's chain, in the caller's transaction. Its head is locked until the end of that: it is given,
 * or undefined if there was none.
 */
export async function appendCustody(
  client: TenantClient,
  links: readonly CustodyLink[],
  {
    stream,
    head: locked,
    at,
  }: { readonly stream: string; readonly head: StreamHead | undefined; readonly at: Instant },
): Promise<void> {
  const known = locked ?? (await lockHead(client, { stored: stream, hashed: stream }));
  const { block, head } = sealBlock(known, links, at);
  const number = block.number.toString();
  const sealedAt = isoOf(block.sealedAt);
  await client.query({
    name: 'custody_block',
    text: `with block as (
             insert into journal_block (organization_id, stream, number, previous_hash, hash, entry_count, sealed_at)
             values ($1, $2, $3, $4, $5, $6, $7)
           ), entries as (
             insert into custody_entry (organization_id, stream, block_number, position, record_id, body, hash)
             select $1, $2, $3, e.position - 1, e.record_id, e.body, e.hash
             from unnest($9::uuid[], $10::text[], $11::text[]) with ordinality as e(record_id, body, hash, position)
           )
           update journal_head set number = $3, hash = $5, entry_total = $8, sealed_at = $7
           where organization_id = $1 and stream = $2`,
    values: [
      client.organizationId,
      stream,
      number,
      block.previousHash,
      block.hash,
      links.length,
      sealedAt,
      head.entryTotal.toString(),
      ...arrayTexts(
        entryColumns,
        links.map(({ recordId, body, hash }) => ({ record_id: recordId, body, hash })),
      ),
    ],
  });
}

const entryColumns = { record_id: 'uuid', body: 'text', hash: 'text' } as const;

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
