/** An order whose sort value can change, in SQL over the rows and made of our constants only. */
interface Moving {
  /** The sort value of a row, as text. */
  readonly text: string;
  /** When the sort value of the row last changed. */
  readonly movedAt: string;
  /** When the walk through the rows began. */
  readonly beganAt: string;
  readonly direction: 'asc' | 'desc';
}

/**
 * The sort value during a walk through the rows, as SQL of type text. Rows that changed since the walk began come last,
 * all at one place, so that none of them is missed by moving to a part that was already read. Beyond this value, the
 * caller's order uses columns that never change.
 */
export function movingOrder({ text, movedAt, beganAt, direction }: Moving): string {
  const [still, moved] = direction === 'asc' ? ['0', '1'] : ['1', '0'];
  return `case when ${movedAt} > ${beganAt} then '${moved}' else '${still}' || ${text} end`;
}
