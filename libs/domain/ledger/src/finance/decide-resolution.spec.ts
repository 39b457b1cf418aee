import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  breakResolutions,
  decideResolution,
  holdsOf,
  previewResolutions,
  type BreakResolution,
  type JudgedBreak,
} from './decide-resolution.js';

const found: JudgedBreak = {
  ...{ id: 'b', period: '2026-09', fingerprint: 'f', kind: 'price', seller: 'acme', currency: 'EUR' },
  ...{ invoicedMicros: 110n, differenceMicros: 10n, cause: 'the price differs', evidence: ['i'] },
};
const documents = [
  { id: 'small', totalMicros: 4n, openMicros: 4n },
  { id: 'large', totalMicros: 8n, openMicros: 7n },
];
const ids = { entryId: 'e', at: Date.UTC(2026, 9, 2) };
const resolve = (as: BreakResolution, of: Partial<JudgedBreak> = {}, before?: JudgedBreak) =>
  decideResolution(
    { found: { ...found, ...of }, documents, ...(before !== undefined && { before }) },
    { as, by: 'u' },
    ids,
  );
const moved = (as: BreakResolution, of?: Partial<JudgedBreak>, before?: JudgedBreak) =>
  resolve(as, of, before).entry.postings.map(({ account, amountMicros }) => [account, amountMicros]);

describe('a resolution', () => {
  it('moves the difference from what is owed to the account of its kind, or nothing', () => {
    expect(moved('accept')).toEqual([
      ['invoice_difference', 10n],
      ['seller_payable', -10n],
    ]);
    for (const as of ['corrected', 'expected'] as const) expect(moved(as)).toEqual([]);
    expect(moved('accept', { kind: 'over_delivery' })).toEqual([]);
    const { invoicedMicros: _none, ...notInvoiced } = found;
    expect(
      decideResolution({ found: notInvoiced, documents }, { as: 'accept', by: 'u' }, ids).entry.postings,
    ).toEqual([]);
  });

  it('leads from what the one before has left to its own, whichever they are', () => {
    const any = fc.constantFrom(...breakResolutions);
    fc.assert(
      fc.property(any, any, fc.bigInt({ min: -50n, max: 50n }), (first, second, amount) => {
        const before = { ...found, resolution: first, differenceMicros: amount };
        const sums = new Map<string, bigint>();
        for (const [account, of] of [...moved(first, before), ...moved(second, {}, before)] as [
          string,
          bigint,
        ][])
          sums.set(account, (sums.get(account) ?? 0n) + of);
        const left = [...sums].filter(([, of]) => of !== 0n).sort();
        expect(left).toEqual((moved(second) as [string, bigint][]).filter(([, of]) => of !== 0n).sort());
      }),
    );
  });

  it('posts what its preview has shown', () => {
    for (const { as, postings } of previewResolutions({ found }))
      expect(resolve(as).entry.postings).toEqual(postings);
  });

  it('is booked on the last day of its period, or on the first open one', () => {
    const days = (openFrom?: string) =>
      previewResolutions({ found, ...(openFrom !== undefined && { openFrom }) })[0]?.postings.map(
        ({ day }) => day,
      );
    expect([days(), days('2026-10-01'), days('2026-09-01')]).toEqual([
      ['2026-09-30', '2026-09-30'],
      ['2026-10-01', '2026-10-01'],
      ['2026-09-30', '2026-09-30'],
    ]);
  });

  it('opens a case about the largest document for a disputed amount that was billed too much, and for no other', () => {
    expect(resolve('dispute').dispute).toEqual({
      invoiceId: 'large',
      amountMicros: 10n,
      reason: 'the price differs',
    });
    expect(resolve('credit').dispute).toBeUndefined();
    expect(resolve('dispute', { differenceMicros: -10n }).dispute).toBeUndefined();
    expect(resolve('dispute', { kind: 'over_delivery' }).dispute).toBeUndefined();
  });

  it('holds a disputed or owed amount of the largest documents first, and all of a duplicate', () => {
    const held = (as: BreakResolution, of: Partial<JudgedBreak> = {}) =>
      holdsOf({ ...found, ...of }, as, documents).map(({ invoiceId, amountMicros }) => [
        invoiceId,
        amountMicros,
      ]);
    expect(held('dispute')).toEqual([
      ['large', 7n],
      ['small', 3n],
    ]);
    expect(held('credit', { differenceMicros: 2n })).toEqual([['large', 2n]]);
    expect(held('credit', { kind: 'duplicate_invoice', differenceMicros: 2n })).toEqual([['large', 7n]]);
    expect(held('accept')).toEqual([]);
  });
});
