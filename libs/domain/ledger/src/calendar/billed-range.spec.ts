import { expect, it } from '@jest/globals';
import { billedRange } from './billed-range.js';

it.each([
  ['2026-11', { calendar: 'broadcast' }, '2026-10-26', '2026-11-29'],
  ['2026-12', { calendar: 'broadcast' }, '2026-11-30', '2026-12-27'],
  ['2027-01', { calendar: 'broadcast' }, '2026-12-28', '2027-01-31'],
  ['2026-11', { calendar: 'month' }, '2026-11-01', '2026-11-30'],
  ['2026-12', { calendar: 'issue_day', day: 15 }, '2026-12-15', '2027-01-14'],
] as const)('the month %s of a seller that bills by %j is from %s to %s', (month, billing, from, to) => {
  expect(billedRange(month, billing)).toEqual({ from, to });
});
