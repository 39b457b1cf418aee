/** An order that moves with its rows, in SQL over the rows and with constants of ours alone. */
export interface Moving {
  /** What a row is sorted by, as text. */
  readonly text: string;
  /** When the row last moved in this order. */
  readonly movedAt: string;
  /** When the walk through the rows began. */
  readonly beganAt: string;
  readonly direction: 'asc' | 'desc';
}

/**
 * What rows are sorted by while somebody walks through them, as SQL of text. One that has moved since the walk began has
 * no place of its own any more: those come last, all at one place, so that none of them is passed over by moving to where
 * the walk has been already. The caller's order goes on by what never moves.
 */
export function movingOrder({ text, movedAt, beganAt, direction }: Moving): string {
  const [still, moved] = direction === 'asc' ? ['0', '1'] : ['1', '0'];
  return `case when ${movedAt} > ${beganAt} then '${moved}' else '${still}' || ${text} end`;
}
