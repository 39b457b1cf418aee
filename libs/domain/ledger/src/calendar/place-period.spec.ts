import { describe, expect, it } from '@jest/globals';
import { placePeriod } from './place-period.js';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The first minute of a day in a zone, found without the code that is tested. */
function startIn(zone: string, day: string): number {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  formats.set(zone, format);
  const noon = Date.parse(`${day}T00:00:00Z`);
  let [before, after] = [noon - 15 * 60 * minuteMs, noon + 15 * 60 * minuteMs];
  while (after - before > minuteMs) {
    const middle = Math.floor((before + after) / 2 / minuteMs) * minuteMs;
    if (format.format(middle) < day) before = middle;
    else after = middle;
  }
  return after;
}
const formats = new Map<string, Intl.DateTimeFormat>();

const dayAfter = (day: string, days = 1) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
const inUtc = (start: string, end: string) => ({ start: Date.parse(start), end: Date.parse(end) });
const daysIn = (zone: string, first: string, last: string) => ({
  start: startIn(zone, first),
  end: startIn(zone, dayAfter(last)),
});

describe('a local day of any zone of the world', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  // One day a week, and what lies around the changes of summer time in 2026.
  const weeks = Array.from({ length: 53 }, (_, week) => dayAfter('2026-01-01', week * 7));
  const days = [
    ...weeks,
    '2026-03-08',
    '2026-03-29',
    '2026-04-05',
    '2026-09-06',
    '2026-10-04',
    '2026-10-25',
    '2026-11-01',
  ];

  it('stands on itself where its zone is declared, and never on another day where none is', () => {
    const wrong: string[] = [];
    let unknown = 0;
    for (const zone of zones)
      for (const day of days) {
        const period = daysIn(zone, day, day);
        // A day that a zone leaves out has no length.
        if (period.end <= period.start) continue;
        const declared = placePeriod(period, [zone]);
        if (declared.firstDay !== day || declared.lastDay !== day) wrong.push(`${zone} ${day} declared`);
        const guessed = placePeriod(period, []);
        if (guessed.basis === 'unaligned') unknown += 1;
        else if (guessed.firstDay !== day || guessed.lastDay !== day) wrong.push(`${zone} ${day} guessed`);
      }
    expect(wrong).toEqual([]);
    // Midnights of zones behind -10:00 or from +12:00 on fit two offsets.
    expect(unknown).toBeLessThan((zones.length * days.length) / 10);
  });

  it('is found in less than 100 microseconds', () => {
    const periods = days.flatMap((day) =>
      ['Europe/Berlin', 'Asia/Kathmandu', 'America/Santiago', 'Pacific/Auckland'].map((zone) => ({
        zone,
        period: daysIn(zone, day, day),
      })),
    );
    const begin = performance.now();
    for (let at = 0; at < 20_000; at += 1) {
      const { zone, period } = periods[at % periods.length] ?? { zone: 'UTC', period: inUtc('', '') };
      placePeriod(period, [zone]);
    }
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});

describe('the placement of a period', () => {
  const october = daysIn('Europe/Berlin', '2026-10-01', '2026-10-31');

  it('puts a month of Berlin that begins at 22:00 UTC into its own month', () => {
    expect(october).toEqual(inUtc('2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'));
    const days = { firstDay: '2026-10-01', lastDay: '2026-10-31' };
    expect(placePeriod(october, ['Europe/Berlin'])).toEqual({
      zone: 'Europe/Berlin',
      basis: 'declared',
      ...days,
    });
    expect(placePeriod(october, [])).toEqual({ zone: '+02:00', basis: 'inferred', ...days });
  });

  it('takes the zone that fits the bounds where several are declared', () => {
    expect(placePeriod(october, ['America/New_York', 'Europe/Berlin'])).toMatchObject({
      zone: 'Europe/Berlin',
    });
    expect(placePeriod(october, ['America/New_York'])).toMatchObject({
      basis: 'inferred',
      firstDay: '2026-10-01',
    });
  });

  it('takes midnights in UTC as the dates that they name, whatever zone is declared', () => {
    const period = inUtc('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z');
    const days = { firstDay: '2026-10-01', lastDay: '2026-10-31' };
    expect(placePeriod(period, ['America/New_York'])).toEqual({ zone: 'UTC', basis: 'named', ...days });
    expect(placePeriod(period, [])).toEqual({ zone: 'UTC', basis: 'none', ...days });
    const toNow = inUtc('2026-10-01T00:00:00Z', '2026-10-05T13:37:11Z');
    expect(placePeriod(toNow, ['America/New_York'])).toMatchObject({
      firstDay: '2026-10-01',
      lastDay: '2026-10-05',
    });
  });

  it('puts a part of a day on the local day of its start', () => {
    const hour = inUtc('2026-09-30T22:00:00Z', '2026-09-30T23:00:00Z');
    expect(placePeriod(hour, ['Europe/Berlin'])).toMatchObject({
      firstDay: '2026-10-01',
      lastDay: '2026-10-01',
    });
    expect(placePeriod(hour, [])).toMatchObject({ firstDay: '2026-09-30', basis: 'none' });
  });

  it('reads a day without midnight, a day of 25 hours and a zone at a quarter of an hour', () => {
    const beirut = daysIn('Asia/Beirut', '2026-03-29', '2026-03-29');
    expect(beirut.end - beirut.start).toBe(23 * 3_600_000);
    expect(placePeriod(beirut, ['Asia/Beirut'])).toMatchObject({
      firstDay: '2026-03-29',
      lastDay: '2026-03-29',
    });
    const berlin = daysIn('Europe/Berlin', '2026-10-25', '2026-10-25');
    expect(berlin.end - berlin.start).toBe(25 * 3_600_000);
    expect(placePeriod(berlin, [])).toMatchObject({ firstDay: '2026-10-25', lastDay: '2026-10-25' });
    const kathmandu = inUtc('2026-10-31T18:15:00Z', '2026-11-01T18:15:00Z');
    expect(placePeriod(kathmandu, [])).toMatchObject({ zone: '+05:45', firstDay: '2026-11-01' });
  });

  it('takes a total to date from the midnight of a declared zone until now', () => {
    const toNow = inUtc('2026-09-30T22:00:00Z', '2026-10-05T13:37:11Z');
    expect(placePeriod(toNow, ['Europe/Berlin'])).toEqual({
      zone: 'Europe/Berlin',
      basis: 'declared',
      firstDay: '2026-10-01',
      lastDay: '2026-10-05',
    });
  });

  it('does not guess where two offsets fit, unless the text of the report has the offset', () => {
    const auckland = inUtc('2026-10-31T11:00:00Z', '2026-11-01T11:00:00Z');
    expect(placePeriod(auckland, [])).toMatchObject({
      basis: 'unaligned',
      firstDay: '2026-10-31',
      lastDay: '2026-10-31',
    });
    const said = { ...auckland, startOffset: '+13:00', endOffset: '+13:00' };
    expect(placePeriod(said, [])).toMatchObject({
      basis: 'inferred',
      zone: '+13:00',
      firstDay: '2026-11-01',
    });
    expect(placePeriod(auckland, ['Pacific/Auckland'])).toMatchObject({ firstDay: '2026-11-01' });
  });

  it('ignores a zone that does not exist', () => {
    expect(placePeriod(october, ['Mars/Olympus', '+02:00', ''])).toMatchObject({
      firstDay: '2026-10-01',
      basis: 'inferred',
    });
  });
});
