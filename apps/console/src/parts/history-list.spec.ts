import { describe, expect, it } from '@jest/globals';
import { linesOf, type Moment } from './history-list.js';

const moment = (at: string, kind: string, plural?: string): Moment => ({
  at,
  kind,
  title: kind,
  ...(plural !== undefined && { plural }),
});

describe('the history of an object', () => {
  it('joins many of one kind on a day to one line, and leaves the others where they stand', () => {
    const reports = Array.from({ length: 188 }, (_, at) =>
      moment(`2026-11-25T${String(at)}`, 'report', 'delivery reports'),
    );
    const lines = linesOf([moment('x', 'paused'), ...reports, moment('y', 'refused', 'refusals')]);
    expect(lines.map(({ moments }) => [moments[0]?.kind, moments.length])).toEqual([
      ['paused', 1],
      ['report', 188],
      ['refused', 1],
    ]);
  });
});
