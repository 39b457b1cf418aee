import { sealBlock, type StreamHead } from '@switchyard/journal';
import type { LedgerEntry } from '@switchyard/ledger';
import { isoOf, type Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { insertColumns } from './insert-columns.js';
import { ledgerStream } from './stream-head.js';

/** Stores entries as the next block, in the caller's transaction, which holds the lock of `head`. */
export async function appendBlock(
  client: TenantClient,
  head: StreamHead,
  entries: readonly LedgerEntry[],
  now: Instant,
): Promise<void> {
  await Promise.all([
    insertEntries(client, head.number + 1n, 0, entries),
    insertPostings(client, entries),
    sealEntries(client, head, entries, now),
  ]);
}

/**
 * Appends entries, whose own rows are stored or sent, to the stream: balances, block and head. If they book spend, the
 * caller has sent `addToPackages` before.
 */
export async function sealEntries(
  client: TenantClient,
  head: StreamHead,
  entries: readonly LedgerEntry[],
  now: Instant,
): Promise<void> {
  if (entries.length === 0) return;
  const { block, head: next } = sealBlock(head, entries, now);
  const number = block.number.toString();
  const sealedAt = isoOf(block.sealedAt);
  const { organizationId } = client;
  const [, , moved] = await Promise.all([
    addToBalances(client, entries),
    client.query({
      name: 'ledger_block',
      text: `insert into journal_block (organization_id, stream, number, previous_hash, hash, entry_count, sealed_at)
             values ($1, $2, $3, $4, $5, $6, $7)`,
      values: [
        organizationId,
        ledgerStream,
        number,
        block.previousHash,
        block.hash,
        entries.length,
        sealedAt,
      ],
    }),
    client.query({
      name: 'ledger_head',
      text: `update journal_head set number = $3, hash = $4, entry_total = $5, sealed_at = $6
             where organization_id = $1 and stream = $2 and number = $7`,
      values: [
        organizationId,
        ledgerStream,
        number,
        next.hash,
        next.entryTotal.toString(),
        sealedAt,
        head.number.toString(),
      ],
    }),
  ]);
  if (moved.rowCount !== 1) throw new Error('The head of the ledger moved under its lock.');
}

/** Inserts entries of one block; `first` is the position of the first one. */
export async function insertEntries(
  client: TenantClient,
  block: bigint,
  first: number,
  entries: readonly LedgerEntry[],
): Promise<void> {
  await insertColumns(
    client,
    'ledger_entry',
    {
      id: 'uuid',
      stream: 'text',
      block_number: 'bigint',
      position: 'int',
      kind: 'text',
      operation_id: 'uuid',
      media_buy_id: 'text',
      seller: 'text',
      occurred_at: 'timestamptz',
      body: 'text',
      hash: 'text',
    },
    entries.map((entry, place) => ({
      id: entry.id,
      stream: ledgerStream,
      block_number: block.toString(),
      position: first + place,
      kind: entry.kind,
      operation_id: entry.operationId,
      media_buy_id: entry.mediaBuyId ?? null,
      seller: entry.seller,
      occurred_at: isoOf(entry.occurredAt),
      body: entry.body,
      hash: entry.hash,
    })),
  );
}

export async function insertPostings(client: TenantClient, entries: readonly LedgerEntry[]): Promise<void> {
  await insertColumns(
    client,
    'ledger_posting',
    {
      entry_id: 'uuid',
      line: 'int',
      account: 'text',
      seller: 'text',
      media_buy_id: 'text',
      day: 'text',
      currency: 'text',
      amount_micros: 'bigint',
    },
    entries.flatMap((entry) =>
      entry.postings.map((posting, line) => ({
        entry_id: entry.id,
        line,
        account: posting.account,
        seller: entry.seller,
        media_buy_id: entry.mediaBuyId ?? null,
        day: posting.day,
        currency: posting.currency,
        amount_micros: posting.amountMicros.toString(),
      })),
    ),
  );
}

/** One row per (account, seller, day, currency) of the block, because one statement may touch a row only once. */
async function addToBalances(client: TenantClient, entries: readonly LedgerEntry[]): Promise<void> {
  const sums = new Map<string, { key: readonly [string, string, string, string]; amount: bigint }>();
  for (const { seller, postings } of entries) {
    for (const { account, day, currency, amountMicros } of postings) {
      const key = [account, seller, day, currency] as const;
      const known = sums.get(key.join('\u0000')) ?? { key, amount: 0n };
      known.amount += amountMicros;
      sums.set(key.join('\u0000'), known);
    }
  }
  const moved = [...sums.values()].filter(({ amount }) => amount !== 0n);
  if (moved.length === 0) return;
  const column = (at: 0 | 1 | 2 | 3) => moved.map(({ key }) => key[at]);
  await client.query({
    name: 'ledger_add_to_balances',
    text: `insert into ledger_balance as kept (organization_id, account, seller, day, currency, amount_micros)
           select $1::uuid, * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
           on conflict (organization_id, account, seller, day, currency)
           do update set amount_micros = kept.amount_micros + excluded.amount_micros`,
    values: [
      client.organizationId,
      column(0),
      column(1),
      column(2),
      column(3),
      moved.map(({ amount }) => amount.toString()),
    ],
  });
}
