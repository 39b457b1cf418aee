import type { LedgerContents } from '@switchyard/ledger';
import type { TenantClient } from '../core/tenant-client.js';
import type { WantedBuys } from './wanted-buys.js';

type Spent = LedgerContents['spent'];

interface SpentRow {
  readonly seller_buy_id: string;
  readonly package_ref: string;
  readonly spend_micros: string;
}

/**
 * What counts of each package over all time, for the budget. It is kept as a running sum, because adding up a year of
 * reports for each new one would make the ledger slower every day; `verify` adds it up.
 */
export async function readSpent(client: TenantClient, wanted: WantedBuys): Promise<Spent> {
  const { rows } = await client.query<SpentRow>({
    name: 'ledger_read_spent',
    text: `select s.seller_buy_id, s.package_ref, s.spend_micros
           from unnest($1::uuid[], $2::text[]) w(connection_id, seller_media_buy_id)
           join seller_buy b using (connection_id, seller_media_buy_id)
           join counted_spend s on s.seller_buy_id = b.id`,
    values: [wanted.connections, wanted.ids],
  });
  return rows.map((row) => ({
    sellerBuyId: row.seller_buy_id,
    packageRef: row.package_ref,
    spendMicros: BigInt(row.spend_micros),
  }));
}

/** Moves the running sums by what a batch has changed. */
export async function addToSpent(client: TenantClient, changes: Spent): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: 'ledger_add_to_spent',
    text: `insert into counted_spend as kept (organization_id, seller_buy_id, package_ref, spend_micros)
           select $1::uuid, * from unnest($2::uuid[], $3::text[], $4::bigint[])
           on conflict (seller_buy_id, package_ref)
           do update set spend_micros = kept.spend_micros + excluded.spend_micros`,
    values: [
      client.organizationId,
      changes.map(({ sellerBuyId }) => sellerBuyId),
      changes.map(({ packageRef }) => packageRef),
      changes.map(({ spendMicros }) => spendMicros.toString()),
    ],
  });
}
