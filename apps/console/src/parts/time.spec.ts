import { describe, expect, it } from '@jest/globals';
import { agoText, rangeText, timeText, withTimes } from './time.js';

const now = Date.parse('2026-11-26T10:00:00Z');

describe('a time on a page', () => {
  it('is an age today, a time yesterday, and a day before that', () => {
    expect(
      ['2026-11-26T09:59:30Z', '2026-11-26T08:00:00Z', '2026-11-25T17:40:00Z', '2026-11-24T09:12:00Z'].map(
        (at) => agoText(at, now),
      ),
    ).toEqual(['now', '2 h ago', 'yesterday 17:40', '24 Nov 09:12']);
  });

  it('is a day, a month by its name and a time in UTC where it is exact', () => {
    expect(timeText('2026-11-26T06:10:59Z')).toBe('26 Nov 2026 06:10');
  });

  it('is for people inside a sentence of the server too', () => {
    expect(withTimes('We ordered 2027-01-28T00:00:00Z; it stored 2026-12-13T23:59:00.000Z.')).toBe(
      'We ordered 28 Jan 2027 00:00; it stored 13 Dec 2026 23:59.',
    );
  });

  it('names the month and the year of a range once where they are the same', () => {
    expect(rangeText('2026-11-14', '2026-11-30')).toBe('14 – 30 Nov 2026');
    expect(rangeText('2026-08-01', '2026-11-30')).toBe('1 Aug – 30 Nov 2026');
    expect(rangeText('2026-12-01', '2027-01-31')).toBe('1 Dec 2026 – 31 Jan 2027');
  });
});
