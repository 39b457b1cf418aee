import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { concerns, needsWait } from './live.js';

const routes = readFileSync(
  fileURLToPath(new URL('../../../../libs/adapters/client/src/generated/routes.d.ts', import.meta.url)),
  'utf8',
);

describe('a change event of the stream', () => {
  it('makes a page load again: each noun that it affects has a route', () => {
    // These are keys of tasks and not of routes.
    const ofTasks = new Set(['creatives', 'delivery']);
    const nouns = Object.values(concerns)
      .flat()
      .filter((noun) => !ofTasks.has(noun));
    expect(nouns.filter((noun) => !new RegExp(`GET /v1/${noun}['/]`).test(routes))).toEqual([]);
  });
});

describe('the list of needs', () => {
  it('is read at once after a change, and then at most every 15 seconds', () => {
    expect(needsWait(0, 1_000_000)).toBe(0);
    expect(needsWait(1_000_000, 1_000_100)).toBe(14_900);
    expect(needsWait(1_000_000, 1_015_000)).toBe(0);
  });
});
