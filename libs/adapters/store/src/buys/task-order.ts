import type { TaskPlace, TaskQuery } from '@switchyard/buys';
import { movingOrder } from '../core/moving-order.js';

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
export function taskOrder({ field, direction }: TaskQuery['sort']): TaskOrder {
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
export function placeValues(place: TaskPlace | undefined): readonly unknown[] {
  return place === undefined ? [null, null, null] : [place.value, new Date(place.createdAt), place.id];
}
