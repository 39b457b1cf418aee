import { describe, expect, it } from '@jest/globals';
import { readInstant } from './clock.js';

describe('an instant in a request', () => {
  it.each([
    ['2027-01-01', Date.UTC(2027, 0, 1)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2027-01-01T10:30Z', Date.UTC(2027, 0, 1, 10, 30)],
    ['2027-01-01T10:30:15.250Z', Date.UTC(2027, 0, 1, 10, 30, 15, 250)],
    ['2027-01-01T00:30:00+02:00', Date.UTC(2026, 11, 31, 22, 30)],
    ['2026-12-31T23:30:00-01:00', Date.UTC(2027, 0, 1, 0, 30)],
  ])('is the first moment of a day in UTC, or a time by its offset: %s', (text, at) => {
    expect(readInstant(text)).toBe(at);
  });

  it.each([
    ...['2027-02-30', '2027-02-29', '2027-04-31T10:00Z', '2027-13-01', '2027-00-10', '2027-01-00'],
    ...['2027-01-01T24:00Z', '2027-01-01T10:60Z', '2027-01-01T10:00:61Z', '2027-01-01T10:00+99:00'],
    ...['2027-01-01T10:00', '2027-1-1', '1 January 2027', 'tomorrow', '', '2027-01-01 10:00Z', ' 2027-01-01'],
  ])('is absent for an invalid day or a time without an offset: %p', (text) => {
    expect(readInstant(text)).toBeUndefined();
  });
});
