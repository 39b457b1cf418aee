import { commitmentEntry, isRefused, type ChangeRow } from '@switchyard/ledger';
import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { buy_changeModel } from '../generated/models.js';
import { raiseAlarm } from '../signing/alarm-repository.js';
import { appendBlock } from './append-block.js';
import { lockHead } from './stream-head.js';
import { timeOrderedId } from './time-ordered-id.js';

const unbooked = 'entry_id is null';

/**
 * Appends changes of commitments to the ledger's stream, in the caller's transaction. The head is locked before they
 * are read, so no change is read twice, and a crash leaves both the block and the marks or neither.
 *
 * A refused state of a seller is booked as evidence, and raises an alarm.
 *
 * Changes are written with the change of a buy and booked here, so that no purchase waits for the ledger's only writer.
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
  for (const { row } of booked) if (isRefused(row)) await tell(client, row, now);
  return rows.length;
}

async function tell(client: TenantClient, row: buy_changeModel, now: Instant): Promise<void> {
  const { from, to } = row.detail as JsonObject;
  const package_id = row.package_id ?? '';
  const subject = `media_buy ${row.media_buy_id} ${row.seller} ${package_id}`.trimEnd();
  const detail = {
    media_buy_id: row.media_buy_id,
    seller: row.seller,
    package_id,
    from: wordOf(from),
    to: wordOf(to),
  };
  await raiseAlarm(client, { kind: 'illegal_transition', subject, detail }, now);
}

function wordOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
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
