import { describe, expect, it } from '@jest/globals';
import { isCreativeMove } from './creative-states.js';

const states = ['processing', 'pending_review', 'approved', 'suspended', 'rejected', 'archived'] as const;

/** Each cell of the table of states (docs/protocol/creatives.md): a row is the current state, a column the next one. */
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
  it.each(cells)('%s to %s is a valid transition: %s', (from, to, isStep) => {
    expect(isCreativeMove(from, to)).toBe(isStep);
  });
});
