import { describe, expect, it } from '@jest/globals';
import { rowReader, rowWriter } from './row-mapper.js';

interface Payment {
  readonly id: string;
  readonly amountMicros: bigint;
  readonly paidAt: number;
  readonly a2aTaskId?: string;
}

const at = Date.UTC(2026, 10, 27);
const columns = 'id, amount_micros, paid_at, a2a_task_id';

describe('a reader of rows', () => {
  it('reads instants, exact amounts, and NULL as an absent member, and nothing else', () => {
    const row = {
      id: 'p',
      amount_micros: '9007199254740993',
      paid_at: new Date(at),
      a2a_task_id: null,
      note: 'x',
    };
    expect(rowReader<Payment>()(columns)(row)).toEqual({
      id: 'p',
      amountMicros: 9007199254740993n,
      paidAt: at,
    });
    expect(Object.keys(rowReader<Payment>()(columns)(row))).toEqual(['id', 'amountMicros', 'paidAt']);
  });

  it('compiles only with columns that are members, including every required one', () => {
    // @ts-expect-error The column of paidAt is missing.
    rowReader<Payment>()('id, amount_micros');
    // @ts-expect-error No member has this column.
    rowReader<Payment>()('id, amount_micros, paid_at, paid_by');
    // @ts-expect-error No member has this column.
    rowWriter<Payment>()('id, paid_by');
    expect(rowReader<Payment>()(`\n  id,\n  amount_micros, paid_at`)({ id: 'p' })).toEqual({ id: 'p' });
  });
});

describe('a writer of rows', () => {
  it('names every column, also of absent members, and writes instants as dates', () => {
    const payment: Payment = { id: 'p', amountMicros: 5n, paidAt: at };
    const row = rowWriter<Payment>()(columns)(payment);
    expect(row).toStrictEqual({ id: 'p', amount_micros: 5n, paid_at: new Date(at), a2a_task_id: undefined });
    // PostgreSQL begins in 4714 BC, and JavaScript long before.
    const early = { ...payment, paidAt: Date.parse('-271821-04-20T00:00:00Z') };
    expect(rowWriter<Payment>()(columns)(early)).toMatchObject({ paid_at: new Date('0001-01-01T00:00:00Z') });
  });
});
