import { expect, it } from '@jest/globals';
import { proposeZone } from './propose-zone.js';

const at = (...texts: readonly string[]): readonly number[] => texts.map((text) => Date.parse(text));
// Midnights before and after the end of summer time.
const madrid = at('2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z');

it('a zone is proposed in which every bound begins a day, the preferred one first', () => {
  expect(proposeZone(madrid)).toMatchObject({ zone: 'Europe/Berlin', bounds: 3 });
  expect(proposeZone(madrid, ['Europe/Madrid'])).toMatchObject({ zone: 'Europe/Madrid', bounds: 3 });
  expect(proposeZone(at('2026-10-31T18:15:00Z'))?.zone).toMatch(/^Asia\/Kat/);
});

it('none is proposed for midnights in UTC, nor where no zone fits', () => {
  expect(proposeZone(at('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'), ['Europe/Madrid'])).toBeUndefined();
  expect(proposeZone([...madrid, ...at('2026-10-26T05:00:00Z')])).toBeUndefined();
  expect(proposeZone([])).toBeUndefined();
});
