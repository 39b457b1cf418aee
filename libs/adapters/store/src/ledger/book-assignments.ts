import { assignmentEntry, type AssignmentRow } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { appendBlock } from './append-block.js';
import { lockHead } from './stream-head.js';
import { timeOrderedId } from './time-ordered-id.js';

/** An assignment's row with the operation that made its buy. */
export const assignmentColumns = 'a.*, b.operation_id';

/**
 * Appends assignments to the ledger's stream, in the caller's transaction, as `bookChanges` does with changes. They are
 * booked later than made, so that no purchase waits for the ledger's only writer.
 */
export async function bookAssignments(client: TenantClient, now: Instant, limit: number): Promise<number> {
  const some = await client.query({
    name: 'ledger_unbooked_assignments',
    text: 'select 1 from buy_assignment where entry_id is null limit 1',
  });
  if (some.rowCount === 0) return 0;
  const head = await lockHead(client);
  const { rows } = await client.query<Row>({
    name: 'ledger_assignments',
    text: `select ${assignmentColumns} from buy_assignment a join media_buy b on b.id = a.media_buy_id
           where a.entry_id is null order by a.at, a.id limit $1`,
    values: [limit],
  });
  const booked = rows.map(assignmentOf).map((assignment) => ({
    id: assignment.id,
    entry: assignmentEntry(assignment, timeOrderedId(now)),
  }));
  await appendBlock(
    client,
    head,
    booked.map(({ entry }) => entry),
    now,
  );
  await client.query({
    name: 'ledger_assignments_booked',
    text: `update buy_assignment a set entry_id = b.entry_id
           from unnest($1::uuid[], $2::uuid[]) b(id, entry_id) where a.id = b.id`,
    values: [booked.map(({ id }) => id), booked.map(({ entry }) => entry.id)],
  });
  return rows.length;
}

export const assignmentOf = rowReader<AssignmentRow>()(
  'id, media_buy_id, operation_id, source, at, campaign_id, client_id, reason, principal_id, entry_id',
);
