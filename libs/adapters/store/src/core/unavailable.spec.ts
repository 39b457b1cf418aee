import { describe, expect, it } from '@jest/globals';
import { DatabaseBusy, isDatabaseUnavailable } from './unavailable.js';

const coded = (code: string): Error => Object.assign(new Error('x'), { code });

describe('a failure of the database', () => {
  it.each([
    ['no connection in the server', coded('53300')],
    ['a server that stops', coded('57P01')],
    ['a server that starts', coded('57P03')],
    ['a refused connection', coded('ECONNREFUSED')],
    ['a statement without an answer', new Error('Query read timeout')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a full line before the pool', new DatabaseBusy()],
    [
      'what Prisma wraps',
      Object.assign(new Error('x'), { meta: { driverAdapterError: { cause: coded('08006') } } }),
    ],
    ['what the driver of Prisma names', new Error('x', { cause: { kind: 'DatabaseNotReachable' } })],
  ])('is transient: %s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each([
    ['a row that is there already', coded('23505')],
    ['a statement that is wrong', coded('42601')],
    ['a defect of ours', new TypeError('undefined is not a function')],
    ['nothing at all', undefined],
  ])('is not transient: %s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
