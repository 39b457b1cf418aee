import { describe, expect, it } from '@jest/globals';
import { dayAt, startOfDay } from './zone.js';

describe('days of a seller', () => {
  it.each([
    ['2026-10-25', 'UTC', '2026-10-25T00:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
    ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
  ])('begin at midnight there, also around a change of the clocks: %s in %s', (day, zone, begins) => {
    expect(startOfDay(day, zone)).toBe(begins);
    expect(dayAt(Date.parse(begins), zone)).toBe(day);
    expect(dayAt(Date.parse(begins) - 1, zone) < day).toBe(true);
  });
});
