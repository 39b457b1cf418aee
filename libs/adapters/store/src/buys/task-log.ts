import type { TaskLog, TaskQuery } from '@switchyard/buys';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import { withinReach, type Condition } from '../core/within-reach.js';
import { operationOf } from './rows.js';
import type { Row } from '../core/row-reader.js';
import { placeValues, taskOrder } from './task-order.js';

type ListedRow = Row & { readonly sorted_by: string; readonly created_at: Date; readonly id: string };

/** Lists a principal's operations, with two statements a page. */
export function taskLog(store: Store): TaskLog {
  return {
    find: (scope, query) =>
      store.inTenant(scope, async (client) => {
        const values = valuesOf(query);
        const counting = tasksWithin(query.tasks, values.length + 1);
        const counted = await client.query<{ status: string; task: string; count: string }>(
          `SELECT status, task, count(*) AS count FROM operation o WHERE ${where} AND ${counting.text}
           GROUP BY status, task`,
          [...values, ...counting.values],
        );
        const { value, orderBy, behind } = taskOrder(query.sort);
        const paged = [...values, query.limit + 1, query.offset, ...placeValues(query.after)];
        const within = tasksWithin(query.tasks, paged.length + 1);
        const found = await client.query<ListedRow>(
          `SELECT o.*, ${hasWebhook} AS has_webhook, (${value})::text AS sorted_by FROM operation o
           WHERE ${where} AND ${within.text} AND ${behind} ORDER BY ${orderBy} LIMIT $16 OFFSET $17`,
          [...paged, ...within.values],
        );
        const items = found.rows.slice(0, query.limit);
        const last = found.rows.length > items.length ? items.at(-1) : undefined;
        return {
          items: items.map((row) => ({
            operation: operationOf(row),
            hasWebhook: row['has_webhook'] === true,
          })),
          counts: counted.rows.map(({ status, task, count }) => ({ status, task, count: Number(count) })),
          ...(last && {
            next: { value: last.sorted_by, createdAt: last.created_at.getTime(), id: last.id },
          }),
        };
      }),
  };
}

const hasWebhook = `EXISTS (SELECT 1 FROM buyer_registration r WHERE r.operation_id = o.id AND r.channel = 'task')`;

/** Whether this JSON has the account's pair in its members `brand` and `operator`. */
function isOfPair(json: string, brand: string): string {
  return `(lower(${json}->'${brand}'->>'domain') = $13 AND coalesce(${json}->'${brand}'->>'brand_id', '') = $14
    AND lower(${json}->>'operator') = $15)`;
}

/** The wanted tasks, each limited to what the caller may see. Its values start at placeholder `$place`. */
function tasksWithin(tasks: TaskQuery['tasks'], place: number): Condition {
  const values: unknown[] = [];
  const parts = tasks.map(({ names, reach }) => {
    values.push(names);
    const named = `o.task = ANY($${place + values.length - 1})`;
    const within = withinReach('o', reach, place + values.length);
    values.push(...within.values);
    return `(${named} AND ${within.text})`;
  });
  return parts.length === 0 ? { text: 'false', values } : { text: `(${parts.join(' OR ')})`, values };
}

const where = `o.task = ANY($1) AND o.created_at <= $3
  AND ($4::text[] IS NULL OR o.status = ANY($4)) AND ($5::text[] IS NULL OR o.task_id = ANY($5))
  AND ($6::timestamptz IS NULL OR o.created_at > $6) AND ($7::timestamptz IS NULL OR o.created_at < $7)
  AND ($8::timestamptz IS NULL OR o.updated_at > $8) AND ($9::timestamptz IS NULL OR o.updated_at < $9)
  AND ($10::text IS NULL OR strpos(o.context::text, $10) > 0)
  AND ($2::text IS NULL OR o.context_id = $2)
  AND ($11::boolean IS NULL OR ${hasWebhook} = $11)
  AND ($12::text IS NULL OR o.request->'account'->>'account_id' = $12 OR ${isOfPair("o.request->'account'", 'brand')}
    OR EXISTS (SELECT 1 FROM media_buy b WHERE (b.operation_id = o.id OR b.id = o.media_buy_id)
      AND ${isOfPair('to_jsonb(b)', 'brand')}))`;

function valuesOf({ tasks, filters, asOf, account }: TaskQuery): readonly unknown[] {
  const time = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
  return [
    tasks.flatMap(({ names }) => names),
    filters.contextId === undefined ? null : storableText(filters.contextId),
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
  ];
}
