import { describe, expect, it } from '@jest/globals';
import { granularityOf, readPeriod } from './read-period.js';

const textOf = (start: string, end: string) => {
  const period = readPeriod({ start, end });
  if (!period.ok) return period.error.code;
  const { value } = period;
  return `${new Date(value.start).toISOString()} ${new Date(value.end).toISOString()} ${granularityOf(value.start, value.end)}`;
};
const day = '2026-11-20T00:00:00.000Z 2026-11-21T00:00:00.000Z daily';

describe('readPeriod', () => {
  it('R19: reads a half-open day in any time zone', () => {
    expect(textOf('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z')).toBe(day);
    expect(textOf('2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z')).toBe(day);
    expect(textOf('2026-11-20', '2026-11-21')).toBe(day);
    expect(textOf('2026-11-20T00:00:00', '2026-11-21T00:00:00')).toBe(day);
    expect(textOf('2026-11-20T02:00:00+02:00', '2026-11-20T19:00:00-05:00')).toBe(day);
  });

  it('distinguishes hours, months and other periods by their length', () => {
    expect(textOf('2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z')).toMatch(/hourly$/);
    expect(textOf('2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z')).toMatch(/monthly$/);
    expect(textOf('2026-11-01T00:00:00Z', '2026-11-08T00:00:00Z')).toMatch(/range$/);
  });

  it('refuses an invalid period', () => {
    expect(readPeriod(undefined)).toMatchObject({ error: { code: 'missing_period' } });
    expect(textOf('yesterday', '2026-11-21T00:00:00Z')).toBe('bad_period');
    expect(textOf('2026-11-20T00:00:00Z', '2026-13-41T00:00:00Z')).toBe('bad_period');
    expect(textOf('2026-11-21T00:00:00Z', '2026-11-20T00:00:00Z')).toBe('bad_period');
    expect(textOf('2026-11-20T00:00:00Z', '2026-11-20T00:00:00Z')).toBe('bad_period');
    expect(textOf('0001-11-20T00:00:00Z', '2026-11-20T00:00:00Z')).toBe('bad_period');
  });
});
