import type { Block, JournalEntry } from '@switchyard/journal';
import {
  groupBy,
  readEntryBody,
  versionsOf,
  type EntryBody,
  type EntryRow,
  type LedgerPage,
  type PostingRow,
  type StoredVersion,
} from '@switchyard/ledger';
import { isUuid } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import type { RowOf } from '../core/row-mapper.js';
import type { journal_blockModel, ledger_entryModel } from '../generated/models.js';
import { hashedStream, ledgerStream } from './stream-head.js';
import { versionColumns, versionOf, type VersionRow } from './version-rows.js';

type BlockRow = Omit<RowOf<journal_blockModel>, 'organization_id' | 'stream'>;

type StoredEntryRow = Omit<RowOf<ledger_entryModel>, 'organization_id' | 'stream'>;

const blocksAtOnce = 200;
const entriesAtOnce = 2_000;

/** Blocks in the order of their numbers, each with its entries, postings and the versions that its entries name. */
export async function* pagesOf(client: TenantClient, after = 0n): AsyncGenerator<LedgerPage> {
  for await (const group of blockGroups(client, after)) yield* readPages(client, group);
}

/** The same blocks without versions, to check the chain only. */
export async function* blocksOf(client: TenantClient): AsyncGenerator<Block> {
  for await (const group of blockGroups(client)) {
    const entries = groupBy(await entriesIn(client, group), (row) => row.block_number);
    const stream = hashedStream(client.organizationId);
    for (const block of group) yield blockOf(stream, block, entries.get(block.number) ?? []);
  }
}

/** Blocks of a stream after a number, in order, in groups of limited memory. */
export async function* blockGroups(
  client: TenantClient,
  after = 0n,
  stream = ledgerStream,
): AsyncGenerator<readonly BlockRow[]> {
  // A block numbered 0 or less is not ours: it is read, and found to be out of order.
  let last = after === 0n ? '-1' : after.toString();
  for (;;) {
    const { rows } = await client.query<BlockRow>(
      `select number, previous_hash, hash, entry_count, sealed_at from journal_block
       where organization_id = $1 and stream = $2 and number > $3 order by number limit $4`,
      [client.organizationId, stream, last, blocksAtOnce],
    );
    if (rows.length === 0) return;
    yield* groupsOf(rows);
    last = rows.at(-1)?.number ?? last;
  }
}

/** Groups blocks so that their entries need limited memory. */
function* groupsOf(blocks: readonly BlockRow[]): Generator<readonly BlockRow[]> {
  let group: BlockRow[] = [];
  let entries = 0;
  for (const block of blocks) {
    group.push(block);
    entries += block.entry_count;
    if (entries < entriesAtOnce) continue;
    yield group;
    group = [];
    entries = 0;
  }
  if (group.length > 0) yield group;
}

async function* readPages(client: TenantClient, blocks: readonly BlockRow[]): AsyncGenerator<LedgerPage> {
  const entries = await entriesIn(client, blocks);
  const read = entries.map((row) => ({ row, entry: readEntryBody(row.body) }));
  const [postings, versions] = await Promise.all([
    postingsOf(
      client,
      read.map(({ row }) => row.id),
    ),
    versionsNamed(
      client,
      read.flatMap(({ entry }) => namedIn(entry)),
    ),
  ]);
  const entriesOf = groupBy(read, ({ row }) => row.block_number);
  const linesOf = groupBy(postings, ({ entryId }) => entryId);
  for (const block of blocks) {
    const own = entriesOf.get(block.number) ?? [];
    yield {
      block: blockOf(
        hashedStream(client.organizationId),
        block,
        own.map(({ row }) => row),
      ),
      entryCount: block.entry_count,
      rows: own.map(({ row, entry }) => entryRowOf(row, entry)),
      postings: own.flatMap(({ row }) => linesOf.get(row.id) ?? []),
      versions: own.flatMap(({ entry }) => namedIn(entry).flatMap((id) => versions.get(id) ?? [])),
    };
  }
}

async function entriesIn(
  client: TenantClient,
  blocks: readonly BlockRow[],
): Promise<readonly StoredEntryRow[]> {
  const { rows } = await client.query<StoredEntryRow>(
    `select id, block_number, position, kind, operation_id, media_buy_id, seller, occurred_at, body, hash
     from ledger_entry where organization_id = $1 and stream = $2 and block_number = any($3::bigint[])
     order by block_number, position`,
    [client.organizationId, ledgerStream, blocks.map(({ number }) => number)],
  );
  return rows;
}

/** Makes a block of the stream with that hashed name. */
export function blockOf(stream: string, block: BlockRow, rows: readonly JournalEntry[]): Block {
  return {
    stream,
    number: BigInt(block.number),
    previousHash: block.previous_hash,
    entries: rows.map(({ body, hash }) => ({ body, hash })),
    sealedAt: block.sealed_at.getTime(),
    hash: block.hash,
  };
}

function entryRowOf(row: StoredEntryRow, entry: EntryBody | undefined): EntryRow {
  return {
    id: row.id,
    position: row.position,
    kind: row.kind,
    operationId: row.operation_id,
    mediaBuyId: row.media_buy_id,
    seller: row.seller,
    occurredAt: row.occurred_at.getTime(),
    entry,
  };
}

async function postingsOf(client: TenantClient, entryIds: readonly string[]): Promise<readonly PostingRow[]> {
  const { rows } = await client.query<{
    entry_id: string;
    line: number;
    account: string;
    seller: string;
    media_buy_id: string | null;
    day: string;
    currency: string;
    amount_micros: string;
  }>(
    `select entry_id, line, account, seller, media_buy_id, day, currency, amount_micros
     from ledger_posting where entry_id = any($1::uuid[]) and entry_id between $2 and $3`,
    [entryIds, ...boundsOf(entryIds)],
  );
  return rows.map((row) => ({
    entryId: row.entry_id,
    line: row.line,
    account: row.account,
    seller: row.seller,
    mediaBuyId: row.media_buy_id,
    day: row.day,
    currency: row.currency,
    amountMicros: BigInt(row.amount_micros),
  }));
}

/** The ids of the versions that a body names. A forged body may name anything. */
function namedIn(entry: EntryBody | undefined): readonly string[] {
  if (entry === undefined) return [];
  return versionsOf(entry).flatMap(({ id }) => (typeof id === 'string' && isUuid(id) ? [id] : []));
}

/** The lowest and the highest id, so that the plan reads only the partitions between them. */
function boundsOf(ids: readonly string[]): readonly [lowest: string | null, highest: string | null] {
  const inOrder = ids.map((id) => id.toLowerCase()).sort();
  return [inOrder[0] ?? null, inOrder.at(-1) ?? null];
}

async function versionsNamed(
  client: TenantClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const { rows } = await client.query<VersionRow>(
    `select ${versionColumns} from report_version v where v.id = any($1::uuid[]) and v.id between $2 and $3`,
    [ids, ...boundsOf(ids)],
  );
  return new Map(rows.map((row) => [row.id, versionOf(row)]));
}
