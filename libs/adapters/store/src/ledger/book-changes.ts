import { commitmentEntry, isRefused, type ChangeRow } from '@switchyard/ledger';
import type { Instant, JsonValue } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
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
  const { rows } = await client.query<Row>({
    name: 'ledger_changes',
    text: `select * from buy_change where ${unbooked} order by at, id limit $1`,
    values: [limit],
  });
  const booked = rows
    .map(changeRowOf)
    .map((change) => ({ change, entry: commitmentEntry(change, timeOrderedId(now)) }));
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
    values: [booked.map(({ change }) => change.id), booked.map(({ entry }) => entry.id)],
  });
  for (const { change } of booked) if (isRefused(change)) await raiseRefused(client, change, now);
  return rows.length;
}

async function raiseRefused(client: TenantClient, change: ChangeRow, now: Instant): Promise<void> {
  const { from, to } = change.detail;
  const { mediaBuyId, seller, packageId = '' } = change;
  const subject = `media_buy ${mediaBuyId} ${seller} ${packageId}`.trimEnd();
  const detail = {
    media_buy_id: mediaBuyId,
    seller,
    package_id: packageId,
    from: wordOf(from),
    to: wordOf(to),
  };
  await raiseAlarm(client, { kind: 'illegal_transition', subject, detail }, now);
}

function wordOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export const changeRowOf = rowReader<ChangeRow>()(`
  id, media_buy_id, seller_buy_id, operation_id, leg_id, seller, revision, actor, action, detail, at, package_id,
  entry_id`);
