import { randomUUID } from 'node:crypto';
import type { Approval, ApprovalStore, InboxFilter, ReviewRow } from '@switchyard/buys';
import { isUuid } from '@switchyard/values';
import { isOperationInReach, listOfOperations, type Alternative } from '../core/list-of-operations.js';
import { byTime, given, within } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';
import { rowReader, type Row } from '../core/row-mapper.js';

/** The inbox of sellers' approval requests on PostgreSQL. */
export function approvalStore(store: Store): ApprovalStore {
  return {
    list: (scope, { state, seller, sort, ...filter }) =>
      store.inTenant(scope, async (client) => {
        const questions = {
          picked: 'a.id, a.requested_at',
          from: 'approval a',
          fromOperation: 'approval a where a.operation_id = listed.id',
          operation: 'a.operation_id',
          where: [
            given('a.state = ?', state),
            given('a.seller = ?', seller),
            ...within('a.requested_at', filter),
          ],
          order: byTime('a.requested_at', { column: 'a.id', isDescending: false }, sort),
          columns: 'a.*',
          beside: 'join approval a on a.id = x.id',
        };
        const rows = await listOfOperations<Row>(client, questions, shownOf(filter, 'a.task'), filter);
        return rows.map(approvalOf);
      }),
    reviews: (scope, { seller, sort, ...filter }) =>
      store.inTenant(scope, async (client) => {
        const waiting = {
          picked: 'r.*',
          from: `(${reviews}) r`,
          fromOperation: `(${reviews}) r where r.operation_id = listed.id`,
          operation: 'r.operation_id',
          where: [given('r.seller = ?', seller), ...within('r.since', filter)],
          order: reviewOrder.map((key) => ({ ...key, isDescending: sort === 'newest' })),
          columns: 'r.*',
          beside: 'cross join lateral (select x.*) r',
        };
        const rows = await listOfOperations<StoredReview>(client, waiting, shownOf(filter, 'r.task'), filter);
        return rows.map(reviewOf);
      }),
    find: (scope, id, of = {}) =>
      store.inTenant(scope, async (client) => {
        if (!isUuid(id)) return undefined;
        const found = await client.models.approval.findFirst({ where: { id } });
        if (found === null || !(await isOperationInReach(client, found.operation_id, of))) return undefined;
        return approvalOf(found);
      }),
    claim: (scope, id, { answer, by, outbound, at }) =>
      store.inTenant(scope, async (client) => {
        const claimed = await client.query(
          `update approval set state = 'answering', answer = $2, answered_by = $3, answered_at = $4, outbound = $5,
             due_at = lease_now($4) where id = $1 and state = 'open'`,
          [id, storableJson(answer), by, new Date(at), outbound],
        );
        return claimed.rowCount > 0;
      }),
    dismiss: (scope, id, { by, reason, at }) =>
      store.inTenantModels(scope, async ({ approval }) => {
        const outcome = { outcome: storableText(reason), closed_at: new Date(at) };
        const { count } = await approval.updateMany({
          where: { id, state: 'open' },
          data: { state: 'dismissed', answered_by: by, ...outcome },
        });
        return count > 0;
      }),
    take: (scope, id, now, leaseUntil) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `update approval set attempts = attempts + 1,
             due_at = lease_now($2) + ($3::timestamptz - $2::timestamptz)
           where id = $1 and state = 'answering' and due_at <= lease_now($2) returning *`,
          [id, new Date(now), new Date(leaseUntil)],
        );
        return rows.map(approvalOf)[0];
      }),
    due: (scope, now, limit) =>
      store.inTenant(scope, async (client) => {
        const text = `select id from approval where state = 'answering' and due_at <= lease_now($1) order by due_at limit $2`;
        return (await client.query<{ id: string }>(text, [new Date(now), limit])).rows.map(({ id }) => id);
      }),
    postpone: (scope, id, nextAt) =>
      store.inTenantModels(scope, async ({ approval }) => {
        await approval.updateMany({ where: { id, state: 'answering' }, data: { due_at: new Date(nextAt) } });
      }),
    settle: (scope, id, { state, outcome, at, again }) =>
      store.inTenant(scope, async (client) => {
        // A change of the leg takes this lock too, so whether it still waits is read after the lock.
        if (again !== undefined) await client.query(lockOperation, [id]);
        const { count } = await client.models.approval.updateMany({
          where: { id, state: 'answering' },
          data: { state, outcome: storableText(outcome), closed_at: new Date(at), due_at: null },
        });
        if (count === 0 || again === undefined) return;
        await client.query(reopen, [
          randomUUID(),
          id,
          storableText(again.reason.slice(0, 2_000)),
          storableJson(again.errors),
          new Date(at),
        ]);
      }),
  };
}

function shownOf({ shown }: Pick<InboxFilter, 'shown'>, task: string): readonly Alternative[] {
  if (shown === undefined) return [{ filter: {} }];
  return shown.map(({ tasks, filter }) => ({ filter, also: [`${task} = any(?::text[])`, tasks] }));
}

const lockOperation =
  'select 1 from operation where id = (select operation_id from approval where id = $1) for update';

/** Asks the same question again, as long as the seller still waits for the answer. */
const reopen = `
  insert into approval
    (id, organization_id, operation_id, leg_id, connection_id, seller, task, round, question_hash, reason, question,
     errors, seller_task_id, a2a_task_id, context_id, state, requested_at)
  select $1, a.organization_id, a.operation_id, a.leg_id, a.connection_id, a.seller, a.task,
         (select max(round) + 1 from approval b where b.leg_id = a.leg_id), a.question_hash, $3, a.question, $4::jsonb,
         a.seller_task_id, a.a2a_task_id, a.context_id, 'open', $5
  from approval a join leg on leg.id = a.leg_id and leg.status = 'input-required'
  where a.id = $2 and not exists (select 1 from approval c where c.leg_id = a.leg_id and c.state = 'open')`;

/** What waits for people outside: sellers' reviews of buys and of creatives, and parked legs. */
const reviews = `
  select leg.id as leg_id, leg.operation_id, leg.seller, leg.task, leg.status, null as creative_id, '' as creative,
         leg.answer->>'message' as message, coalesce(leg.observed_at, leg.created_at) as since
  from leg where leg.status in ('submitted', 'working', 'auth-required', 'parked')
  union all
  select p.leg_id, p.operation_id, p.seller, 'sync_creatives', p.status, p.creative_id, p.creative_id, p.reason, p.observed_at
  from creative_placement p join leg on leg.id = p.leg_id
  where p.status = 'pending_review' and p.observed_at is not null
    and leg.status not in ('submitted', 'working', 'input-required')`;

const reviewOrder = [
  { column: 'r.since', type: 'timestamptz' },
  { column: 'r.leg_id', type: 'uuid' },
  { column: 'r.creative', type: 'text' },
] as const;

interface StoredReview extends Row {
  readonly status: string;
  readonly creative_id: string | null;
  readonly message: string | null;
}

const readReview = rowReader<Omit<ReviewRow, 'kind' | 'reason'>>()(
  'seller, task, operation_id, leg_id, creative_id, since',
);

function reviewOf(row: StoredReview): ReviewRow {
  const kind =
    row.creative_id !== null ? 'creative_review' : row.status === 'parked' ? 'needs_look' : 'in_review';
  const plain = kind === 'needs_look' ? 'The outcome is not known.' : 'The seller is looking at it.';
  return { ...readReview(row), kind, reason: row.message ?? plain };
}

const approvalOf = rowReader<Approval>()(`
  id, operation_id, leg_id, connection_id, seller, task, round, reason, question, errors, seller_task_id, a2a_task_id,
  context_id, state, requested_at, answer, answered_by, answered_at, outbound, attempts, closed_at, outcome`);
