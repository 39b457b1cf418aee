import { commitmentEntry, type ChangeRow } from '@switchyard/ledger';
import type { Instant, JsonObject } from '@switchyard/values';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { buy_changeModel } from '../generated/models.js';
import { appendBlock } from './append-block.js';
import { lockHead } from './stream-head.js';
import { timeOrderedId } from './time-ordered-id.js';

/** What a seller said and we refused has changed no commitment. */
const unbooked = `entry_id is null and action <> 'refused_transition'`;

/**
 * Ties changes of commitments to the end of the ledger's stream, in the caller's transaction: the head is locked before
 * they are read, so none is seen by two, and a crash leaves either the block and the marks or neither.
 *
 * Changes are written by whoever changes a buy and tied here, so that no purchase waits for the ledger's one writer.
 */
export async function bookChanges(client: TenantClient, now: Instant, limit: number): Promise<number> {
  const some = await client.query({
    name: 'ledger_unbooked',
    text: `select 1 from buy_change where ${unbooked} limit 1`,
  });
  if (some.rowCount === 0) return 0;
  const head = await lockHead(client);
  const { rows } = await client.query<buy_changeModel>({
    name: 'ledger_changes',
    text: `select * from buy_change where ${unbooked} order by at, id limit $1`,
    values: [limit],
  });
  const booked = rows.map((row) => ({ row, entry: commitmentEntry(changeRowOf(row), timeOrderedId(now)) }));
  await appendBlock(
    client,
    head,
    booked.map(({ entry }) => entry),
    now,
  );
  await client.query({
    name: 'ledger_changes_booked',
    text: `update buy_change c set entry_id = b.entry_id
           from unnest($1::uuid[], $2::uuid[]) b(id, entry_id) where c.id = b.id`,
    values: [booked.map(({ row }) => row.id), booked.map(({ entry }) => entry.id)],
  });
  return rows.length;
}

export function changeRowOf(row: buy_changeModel): ChangeRow {
  return {
    id: row.id,
    mediaBuyId: row.media_buy_id,
    sellerBuyId: row.seller_buy_id,
    operationId: row.operation_id,
    legId: row.leg_id,
    seller: row.seller,
    revision: row.revision,
    actor: row.actor,
    action: row.action,
    detail: row.detail as JsonObject,
    at: row.at.getTime(),
    ...present({ packageId: row.package_id, entryId: row.entry_id }),
  };
}
