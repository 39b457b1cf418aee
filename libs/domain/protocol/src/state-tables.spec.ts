import { describe, expect, it } from '@jest/globals';
import { canBecome } from './entities/media-buy/buy-status.js';
import { observe } from './entities/task/task-status.js';

/** Each row is a known status, each column a received one. */
const buys = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'rejected',
  'canceled',
] as const;
/** `x`: allowed next, also if steps in between were not reported. */
const buyTable: Readonly<Record<(typeof buys)[number], string>> = {
  pending_creatives: 'xxxxxxx',
  pending_start: 'xxxxxxx',
  active: '--xxx-x',
  paused: '--xxx-x',
  completed: '----x--',
  rejected: '-----x-',
  canceled: '------x',
};

describe('the states of a media buy', () => {
  const cells = buys.flatMap((from) => buys.map((to, at) => [from, to, buyTable[from][at] ?? ''] as const));
  it.each(cells)('%s to %s: %s', (from, to, cell) => {
    expect(canBecome(from, to)).toBe(cell === 'x');
  });
});

const tasks = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
  'unknown',
] as const;
/** `x`: applied. `=`: a duplicate. `-`: outdated. `!`: another final status. */
const taskTable: Readonly<Record<(typeof tasks)[number], string>> = {
  submitted: '=xxxxxxx-',
  working: '-=xxxxxx-',
  'input-required': 'xx=-xxxx-',
  'auth-required': 'xxx=xxxx-',
  completed: '----=!!!-',
  failed: '----!=!!-',
  canceled: '----!!=!-',
  rejected: '----!!!=-',
  unknown: 'xxxxxxxx=',
};
const verdicts: Readonly<Record<string, string>> = {
  x: 'applied',
  '=': 'duplicate',
  '-': 'stale',
  '!': 'conflict',
};

describe('the states of a task', () => {
  const cells = tasks.flatMap((from) =>
    tasks.map((to, at) => [from, to, taskTable[from][at] ?? ''] as const),
  );
  it.each(cells)('%s, then %s: %s', (from, to, cell) => {
    expect(observe(from, to)).toBe(verdicts[cell]);
  });
});
