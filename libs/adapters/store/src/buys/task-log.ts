import type { TaskLog, TaskQuery } from '@switchyard/buys';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import { operationOf, type Row } from './rows.js';

/** Operations as their own principal lists them, with two statements a page. */
export function taskLog(store: Store): TaskLog {
  return {
    find: (scope, query) =>
      store.inTenant(scope, async (client) => {
        const values = valuesOf(query);
        const counted = await client.query<{ status: string; task: string; count: string }>(
          `SELECT status, task, count(*) AS count FROM operation o WHERE ${where} GROUP BY status, task`,
          values,
        );
        const order = `${columns[query.sort.field]} ${query.sort.direction === 'asc' ? 'ASC' : 'DESC'}`;
        const found = await client.query<Row>(
          `SELECT o.*, ${hasWebhook} AS has_webhook FROM operation o WHERE ${where}
           ORDER BY ${order}, o.created_at DESC, o.id LIMIT $17 OFFSET $18`,
          [...values, query.limit, query.offset],
        );
        return {
          items: found.rows.map((row) => ({
            operation: operationOf(row),
            hasWebhook: row['has_webhook'] === true,
          })),
          counts: counted.rows.map(({ status, task, count }) => ({ status, task, count: Number(count) })),
        };
      }),
  };
}

const hasWebhook = `EXISTS (SELECT 1 FROM buyer_registration r WHERE r.operation_id = o.id AND r.channel = 'task')`;

/** Constants of ours alone: what a caller sorts by is one of these words. */
const columns: Readonly<Record<TaskQuery['sort']['field'], string>> = {
  created_at: 'o.created_at',
  updated_at: 'o.updated_at',
  status: 'o.status',
  task_type: 'o.task',
  protocol: `(o.task IN ('activate_signal', 'get_signals'))`,
};

/** Whether this JSON names the pair of an account in its members `brand` and `operator`. */
function isOfPair(json: string, brand: string): string {
  return `(lower(${json}->'${brand}'->>'domain') = $13 AND coalesce(${json}->'${brand}'->>'brand_id', '') = $14
    AND lower(${json}->>'operator') = $15)`;
}

const where = `o.principal_id = $1 AND o.task = ANY($2) AND o.created_at <= $3
  AND ($4::text[] IS NULL OR o.status = ANY($4)) AND ($5::text[] IS NULL OR o.task_id = ANY($5))
  AND ($6::timestamptz IS NULL OR o.created_at > $6) AND ($7::timestamptz IS NULL OR o.created_at < $7)
  AND ($8::timestamptz IS NULL OR o.updated_at > $8) AND ($9::timestamptz IS NULL OR o.updated_at < $9)
  AND ($10::text IS NULL OR strpos(o.context::text, $10) > 0)
  AND ($16::text IS NULL OR o.context_id = $16)
  AND ($11::boolean IS NULL OR ${hasWebhook} = $11)
  AND ($12::text IS NULL OR o.request->'account'->>'account_id' = $12 OR ${isOfPair("o.request->'account'", 'brand')}
    OR EXISTS (SELECT 1 FROM media_buy b WHERE (b.operation_id = o.id OR b.id = o.media_buy_id)
      AND ${isOfPair('to_jsonb(b)', 'brand')}))`;

function valuesOf({ principalId, tasks, filters, asOf, account }: TaskQuery): readonly unknown[] {
  const time = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
  return [
    principalId,
    [...tasks],
    new Date(asOf),
    filters.statuses ?? null,
    filters.taskIds?.map(storableText) ?? null,
    time(filters.createdAfter),
    time(filters.createdBefore),
    time(filters.updatedAfter),
    time(filters.updatedBefore),
    filters.contextContains === undefined ? null : storableText(filters.contextContains),
    filters.hasWebhook ?? null,
    account?.id ?? null,
    account?.brandDomain ?? null,
    account?.brandId ?? null,
    account?.operator ?? null,
    filters.contextId === undefined ? null : storableText(filters.contextId),
  ];
}
