import { sealBlock, type StreamHead } from '@switchyard/journal';
import type { LedgerEntry } from '@switchyard/ledger';
import { isoOf, type Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { insertColumns } from './insert-columns.js';
import { ledgerStream } from './stream-head.js';

/** Stores entries as the next block: block, entries, postings, balances and head, all in the caller's transaction, which holds `head` locked. */
export async function appendBlock(
  client: TenantClient,
  head: StreamHead,
  entries: readonly LedgerEntry[],
  now: Instant,
): Promise<void> {
  if (entries.length === 0) return;
  const sealed = sealBlock(head, entries, now);
  const number = sealed.block.number.toString();
  const sealedAt = isoOf(sealed.block.sealedAt);
  await insertColumns(
    client,
    'journal_block',
    {
      stream: 'text',
      number: 'bigint',
      previous_hash: 'text',
      hash: 'text',
      entry_count: 'int',
      sealed_at: 'timestamptz',
    },
    [
      {
        stream: ledgerStream,
        number,
        previous_hash: sealed.block.previousHash,
        hash: sealed.block.hash,
        entry_count: entries.length,
        sealed_at: sealedAt,
      },
    ],
  );
  await insertEntries(client, number, entries);
  await insertPostings(client, entries);
  await addToBalances(client, entries);
  const moved = await client.query(
    `update journal_head set number = $3, hash = $4, entry_total = $5, sealed_at = $6
     where organization_id = $1 and stream = $2 and number = $7`,
    [
      client.organizationId,
      ledgerStream,
      number,
      sealed.head.hash,
      sealed.head.entryTotal.toString(),
      sealedAt,
      head.number.toString(),
    ],
  );
  if (moved.rowCount !== 1) throw new Error('The head of the ledger moved under its lock.');
}

async function insertEntries(
  client: TenantClient,
  block: string,
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
    entries.map((entry, position) => ({
      id: entry.id,
      stream: ledgerStream,
      block_number: block,
      position,
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

async function insertPostings(client: TenantClient, entries: readonly LedgerEntry[]): Promise<void> {
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
