import type { Block } from '@switchyard/journal';
import {
  readEntryBody,
  versionsOf,
  type EntryRow,
  type LedgerPage,
  type PostingRow,
  type StoredVersion,
} from '@switchyard/ledger';
import { isUuid } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { hashedStream, ledgerStream } from './stream-head.js';
import { versionColumns, versionOf, type VersionRow } from './version-rows.js';

interface BlockRow {
  readonly number: string;
  readonly previous_hash: string;
  readonly hash: string;
  readonly entry_count: number;
  readonly sealed_at: Date;
}

interface StoredEntryRow {
  readonly id: string;
  readonly block_number: string;
  readonly position: number;
  readonly kind: string;
  readonly operation_id: string;
  readonly media_buy_id: string | null;
  readonly seller: string;
  readonly occurred_at: Date;
  readonly body: string;
  readonly hash: string;
}

const blocksAtOnce = 200;
const entriesAtOnce = 2_000;

/** Blocks in the order of their numbers, each with its entries, postings and the versions that its entries name. */
export async function* pagesOf(client: TenantClient): AsyncGenerator<LedgerPage> {
  let last = '-1';
  for (;;) {
    const { rows } = await client.query<BlockRow>(
      `select number, previous_hash, hash, entry_count, sealed_at from journal_block
       where organization_id = $1 and stream = $2 and number > $3 order by number limit $4`,
      [client.organizationId, ledgerStream, last, blocksAtOnce],
    );
    if (rows.length === 0) return;
    for (const group of groupsOf(rows)) yield* readPages(client, group);
    last = rows.at(-1)?.number ?? last;
  }
}

/** The same blocks alone, for whoever wants nothing but the chain. */
export async function* blocksOf(client: TenantClient): AsyncGenerator<Block> {
  for await (const { block } of pagesOf(client)) yield block;
}

/** So many blocks together that their entries fit into memory at ease. */
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
  const entries = await client.query<StoredEntryRow>(
    `select id, block_number, position, kind, operation_id, media_buy_id, seller, occurred_at, body, hash
     from ledger_entry where organization_id = $1 and stream = $2 and block_number = any($3::bigint[])
     order by block_number, position`,
    [client.organizationId, ledgerStream, blocks.map(({ number }) => number)],
  );
  const ids = entries.rows.map(({ id }) => id);
  const postings = await postingsOf(client, ids);
  const versions = await versionsNamed(client, entries.rows);
  for (const block of blocks) {
    const rows = entries.rows.filter((row) => row.block_number === block.number);
    const own = new Set(rows.map(({ id }) => id));
    yield {
      block: blockOf(client.organizationId, block, rows),
      entryCount: block.entry_count,
      rows: rows.map(entryRowOf),
      postings: postings.filter(({ entryId }) => own.has(entryId)),
      versions: rows.flatMap((row) => namedIn(row.body).flatMap((id) => versions.get(id) ?? [])),
    };
  }
}

function blockOf(organizationId: string, block: BlockRow, rows: readonly StoredEntryRow[]): Block {
  return {
    stream: hashedStream(organizationId),
    number: BigInt(block.number),
    previousHash: block.previous_hash,
    entries: rows.map(({ body, hash }) => ({ body, hash })),
    sealedAt: block.sealed_at.getTime(),
    hash: block.hash,
  };
}

function entryRowOf(row: StoredEntryRow): EntryRow {
  return {
    id: row.id,
    position: row.position,
    kind: row.kind,
    operationId: row.operation_id,
    mediaBuyId: row.media_buy_id,
    seller: row.seller,
    occurredAt: row.occurred_at.getTime(),
    body: row.body,
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
     from ledger_posting where entry_id = any($1::uuid[])`,
    [entryIds],
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
function namedIn(body: string): readonly string[] {
  const entry = readEntryBody(body);
  if (entry === undefined) return [];
  return versionsOf(entry).flatMap(({ id }) => (typeof id === 'string' && isUuid(id) ? [id] : []));
}

async function versionsNamed(
  client: TenantClient,
  entries: readonly StoredEntryRow[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const { rows } = await client.query<VersionRow>(
    `select ${versionColumns} from report_version v where v.id = any($1::uuid[])`,
    [entries.flatMap(({ body }) => namedIn(body))],
  );
  return new Map(rows.map((row) => [row.id, versionOf(row)]));
}
