import { describe, expect, it } from '@jest/globals';
import { isCreativeMove } from './creative-states.js';

const states = ['processing', 'pending_review', 'approved', 'suspended', 'rejected', 'archived'] as const;

/** Cell by cell as tasks 6 has it: a row is where a creative stands, a column what it becomes. */
const allowed: Readonly<Record<(typeof states)[number], string>> = {
  processing: '-xx-x-',
  pending_review: '--x-x-',
  approved: '-x-xxx',
  suspended: '--x-x-',
  rejected: 'x-----',
  archived: '--x---',
};

const cells = states.flatMap((from) =>
  states.map((to, column) => [from, to, allowed[from][column] === 'x'] as const),
);

describe('the states of a creative at a seller', () => {
  it.each(cells)('%s to %s is a step: %s', (from, to, isStep) => {
    expect(isCreativeMove(from, to)).toBe(isStep);
  });
});
