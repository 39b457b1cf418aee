import { describe, expect, it } from '@jest/globals';
import { billedDays, proposedDecision } from './explain-break.js';
import { shiftDay } from './period.js';

/** Ten units on each day from the last of August to the first of October, less the given days. */
const september = (...without: readonly string[]) => ({
  days: new Map(
    Array.from({ length: 32 }, (_, at) => shiftDay('2026-08-31', at))
      .filter((day) => !without.includes(day))
      .map((day) => [day, 10n]),
  ),
});

describe('what usually becomes of a difference', () => {
  it.each([
    ['missing_invoice', -700n, 'expected'],
    ['time_zone_cut', -10n, 'expected'],
    ['duplicate_invoice', 300n, 'dispute'],
    ['over_delivery', 20n, 'dispute'],
    ['price', 20n, 'dispute'],
    ['wrong_po', 0n, 'corrected'],
    ['unknown', -310_000n, 'write-off'],
  ] as const)('of the kind %s with %d is %s', (kind, differenceMicros, as) => {
    expect(proposedDecision({ kind, differenceMicros })?.as).toBe(as);
  });

  it('is not said where the kind and the sign leave it open', () => {
    for (const open of [
      { kind: 'unknown', differenceMicros: 90_000_000n },
      { kind: 'time_zone_cut', differenceMicros: 90_000_000n },
      { kind: 'price', differenceMicros: -90_000_000n },
      { kind: 'late_report', differenceMicros: -90_000_000n },
    ] as const)
      expect(proposedDecision(open)).toBeUndefined();
  });
});

describe('the days that an invoice bills', () => {
  const notBilled = (...of: Parameters<typeof billedDays>): readonly string[] =>
    billedDays(...of).flatMap(({ day, isInvoiced }) => (isInvoiced ? [] : [day]));

  it('are without the first or the last, as the seller cuts the month', () => {
    const early = { kind: 'time_zone_cut', invoicedMicros: 290n } as const;
    expect(notBilled('2026-09', early, [september('2026-10-01')])).toEqual(['2026-09-01']);
    expect(notBilled('2026-09', early, [september('2026-08-31')])).toEqual(['2026-09-30']);
  });

  it('are none without an invoice, and all where the invoice says nothing of days', () => {
    expect(notBilled('2026-09', { kind: 'missing_invoice' }, [september()])).toHaveLength(30);
    expect(notBilled('2026-09', { kind: 'price', invoicedMicros: 350n }, [september()])).toEqual([]);
  });

  it('are those of the month alone, added up over packages', () => {
    const all = billedDays('2026-09', { kind: 'unknown', invoicedMicros: 1n }, [september(), september()]);
    expect(all).toHaveLength(30);
    expect(all[0]).toEqual({ day: '2026-09-01', micros: 20n, isInvoiced: true });
  });
});
