import { describe, expect, it } from '@jest/globals';
import { placementByApprovals } from './creative-approvals.js';
import type { PlacementStatus } from '../model/creative-library.js';

const states: readonly PlacementStatus[] = [
  'pending',
  'failed',
  'processing',
  'pending_review',
  'approved',
  'suspended',
  'rejected',
  'archived',
];

/** What each state becomes by approvals; `-` where it stays. */
const table: readonly (readonly [('pending_review' | 'approved' | 'rejected')[], string])[] = [
  [[], '- - - - - - - -'],
  [['approved'], '- - approved approved - - approved -'],
  [['approved', 'rejected'], '- - approved approved - - approved -'],
  [['rejected'], '- - rejected rejected - - - -'],
  [['rejected', 'rejected'], '- - rejected rejected - - - -'],
  [['pending_review'], '- - pending_review - - - - -'],
  [['pending_review', 'rejected'], '- - pending_review - - - - -'],
];

const cells = table.flatMap(([said, row]) =>
  row
    .split(' ')
    .map((next, at) => [states[at] ?? 'pending', said.join(' and ') || 'nothing', said, next] as const),
);

describe('the state of a creative at a seller, from the seller’s approvals on packages', () => {
  it.each(cells)('%s, reported %s', (known, _words, reported, next) => {
    expect(placementByApprovals(known, reported)).toBe(next === '-' ? undefined : next);
  });
});
