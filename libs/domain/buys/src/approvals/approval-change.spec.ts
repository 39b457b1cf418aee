import { describe, expect, it } from '@jest/globals';
import type { Leg } from '../model/operation.js';
import { approvalChange } from './approval-change.js';

const legOf = (status: Leg['status'], answer: Leg['answer'] = {}): Leg =>
  ({ status, answer, errors: [], observedAt: 5 }) as unknown as Leg;

describe('approvalChange', () => {
  it('opens an approval when a seller begins to wait, with the seller’s text as the reason', () => {
    const requested = approvalChange(legOf('sent'), legOf('input-required', { message: 'Which order?' }), 9);
    expect(requested).toMatchObject({ kind: 'asked', reason: 'Which order?', at: 5 });
  });

  it('opens none for the same question again, and another for another one', () => {
    const before = legOf('input-required', { message: 'Which order?', task_id: 't1' });
    const same = legOf('input-required', { message: 'Which order?', timestamp: 'later' });
    expect(approvalChange(before, same, 9)).toEqual({ kind: 'none' });
    const other = legOf('input-required', { message: 'Which brand?' });
    expect(approvalChange(before, other, 9)).toMatchObject({ kind: 'asked', reason: 'Which brand?' });
  });

  it.each(['working', 'completed', 'canceled'] as const)(
    'closes the approval when the seller continues with %s',
    (status) => {
      expect(approvalChange(legOf('input-required'), legOf(status), 9)).toEqual({
        kind: 'moved_on',
        outcome: status,
      });
    },
  );

  it('returns nothing for steps without a question', () => {
    expect(approvalChange(legOf('submitted'), legOf('working'), 9)).toEqual({ kind: 'none' });
  });
});
