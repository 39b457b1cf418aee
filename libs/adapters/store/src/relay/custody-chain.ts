import { emptyStream, sealBlock, type Block, type JournalEntry, type StreamHead } from '@switchyard/journal';
import { custodyStream } from '@switchyard/relay';
import { isoOf, type Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { insertColumns } from '../ledger/insert-columns.js';
import { headOf, lockHead } from '../ledger/stream-head.js';

/** An entry of the chain, with the id of the record that it is the text of. */
export interface CustodyLink extends JournalEntry {
  readonly recordId: string;
}

/** Ties records to the end of a principal's chain, in the caller's transaction. The head stays locked until it ends. */
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

/** The whole chain with its head, as one moment shows it. */
export async function readCustody(
  client: TenantClient,
  principalId: string,
): Promise<{ readonly blocks: readonly Block[]; readonly head: StreamHead }> {
  const stream = custodyStream(principalId);
  // One statement, one snapshot: a block that is sealed meanwhile is in both or in neither.
  const { rows } = await client.query<ChainRow>(
    `select 'head' as part, h.number, h.hash, '' as previous_hash, h.sealed_at, h.entry_total::text as text, 0 as position
     from journal_head h where h.organization_id = $1 and h.stream = $2
     union all
     select 'block', b.number, b.hash, b.previous_hash, b.sealed_at, '', 0
     from journal_block b where b.organization_id = $1 and b.stream = $2
     union all
     select 'entry', e.block_number, e.hash, '', to_timestamp(0), e.body, e.position
     from custody_entry e where e.organization_id = $1 and e.stream = $2
     order by number, position`,
    [client.organizationId, stream],
  );
  return chainOf(stream, rows);
}

interface ChainRow {
  readonly part: 'head' | 'block' | 'entry';
  readonly number: string;
  readonly hash: string;
  readonly previous_hash: string;
  readonly sealed_at: Date;
  readonly text: string;
}

function chainOf(
  stream: string,
  rows: readonly ChainRow[],
): { readonly blocks: readonly Block[]; readonly head: StreamHead } {
  const head = rows.find(({ part }) => part === 'head');
  const entries = new Map<string, JournalEntry[]>();
  for (const { part, number, text, hash } of rows) {
    if (part !== 'entry') continue;
    const known = entries.get(number);
    if (known === undefined) entries.set(number, [{ body: text, hash }]);
    else known.push({ body: text, hash });
  }
  const blocks = rows
    .filter(({ part }) => part === 'block')
    .map((row) => ({
      stream,
      number: BigInt(row.number),
      previousHash: row.previous_hash,
      hash: row.hash,
      sealedAt: row.sealed_at.getTime(),
      entries: entries.get(row.number) ?? [],
    }));
  return {
    blocks,
    head: head === undefined ? emptyStream(stream) : headOf(stream, { ...head, entry_total: head.text }),
  };
}
