import type { TaskLog, TaskQuery, TaskPlace } from '@switchyard/buys';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import { withinReach, type Condition } from '../core/within-reach.js';
import { operationOf } from './rows.js';
import type { Row } from '../core/row-mapper.js';
import { movingOrder } from '../core/moving-order.js';
import type { operationModel } from '../generated/models.js';

type ListedRow = Row & Pick<operationModel, 'id' | 'created_at'> & { readonly sorted_by: string };

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
function isOfPair(json: string): string {
  return `(lower(${json}->'brand'->>'domain') = $13 AND coalesce(${json}->'brand'->>'brand_id', '') = $14
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
  AND ($12::text IS NULL OR o.request->'account'->>'account_id' = $12 OR ${isOfPair("o.request->'account'")}
    OR EXISTS (SELECT 1 FROM media_buy b WHERE (b.operation_id = o.id OR b.id = o.media_buy_id)
      AND ${isOfPair('to_jsonb(b)')}))`;

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

/** The order of a task list as SQL over `operation o`. `$3` is when the walk through the list began. */
interface TaskOrder {
  /** The sort value. It is compared with its own type, and stored in a place as text. */
  readonly value: string;
  readonly orderBy: string;
  /** True for rows after the place in `$18`, `$19` and `$20`, and for all rows without a place. */
  readonly behind: string;
}

/** Only our constants get into the SQL: a caller's sort field is one of these keys. */
const columns: Readonly<
  Record<TaskQuery['sort']['field'], { readonly text: string; readonly type: string }>
> = {
  created_at: { text: 'o.created_at', type: 'timestamptz' },
  updated_at: { text: `to_char(o.updated_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSMS')`, type: 'text' },
  status: { text: 'o.status', type: 'text' },
  task_type: { text: 'o.task', type: 'text' },
  protocol: { text: `(o.task IN ('activate_signal', 'get_signals'))`, type: 'boolean' },
};

/** Makes the order. If the sort value can change, tasks changed since the walk began come last, newest first. */
function taskOrder({ field, direction }: TaskQuery['sort']): TaskOrder {
  const { text, type } = columns[field];
  const isAscending = direction === 'asc';
  const moves = field === 'updated_at' || field === 'status';
  const value = moves ? movingOrder({ text, movedAt: 'o.updated_at', beganAt: '$3', direction }) : text;
  const place = `$18::text::${type}`;
  const level = `o.created_at < $19::timestamptz OR (o.created_at = $19 AND o.id > $20::uuid)`;
  return {
    value,
    orderBy: `${value} ${isAscending ? 'ASC' : 'DESC'}, o.created_at DESC, o.id`,
    behind: `($18::text IS NULL OR ${value} ${isAscending ? '>' : '<'} ${place} OR (${value} = ${place} AND (${level})))`,
  };
}

/** The values of `$18` to `$20`. */
function placeValues(place: TaskPlace | undefined): readonly unknown[] {
  return place === undefined ? [null, null, null] : [place.value, new Date(place.createdAt), place.id];
}
