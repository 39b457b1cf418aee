import { randomUUID } from 'node:crypto';
import { approvalChange, type Leg } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/** Writes the approval that a step of a leg opens or closes, in the transaction of the leg. */
export async function storeApproval(
  client: TenantClient,
  before: Leg | undefined,
  after: Leg,
  at: Instant,
): Promise<void> {
  const change = approvalChange(before, after, at);
  if (change.kind === 'none') return;
  const outcome = change.kind === 'moved_on' ? change.outcome : 'asked_anew';
  await client.query(
    `update approval set state = 'moved_on', closed_at = $2, outcome = $3 where leg_id = $1 and state = 'open'`,
    [after.id, new Date(at), outcome],
  );
  if (change.kind === 'moved_on') return;
  await client.query(open, [
    randomUUID(),
    client.organizationId,
    after.operationId,
    after.id,
    after.connectionId,
    after.seller,
    after.task,
    change.questionHash,
    storableText(change.reason),
    storableJson(change.question),
    storableJson(change.errors),
    after.sellerTaskId ?? null,
    after.a2aTaskId ?? null,
    after.contextId ?? null,
    new Date(change.at),
  ]);
}

const open = `
  insert into approval
    (id, organization_id, operation_id, leg_id, connection_id, seller, task, round, question_hash, reason, question,
     errors, seller_task_id, a2a_task_id, context_id, state, requested_at)
  select $1, $2, $3, $4, $5, $6, $7, coalesce(max(round), 0) + 1, $8, $9, $10::jsonb, $11::jsonb, $12, $13, $14, 'open', $15
  from approval where leg_id = $4`;
