import { describe, expect, it } from '@jest/globals';
import { hashOfBody } from '@switchyard/journal';
import { must } from '@switchyard/values';
import { readEntryBody } from './entry-body.js';
import { createEntry } from './entry.js';
import type { EntryDraft } from './entry-draft.js';
import { spendPostings, type Posting } from './posting.js';

const draft: EntryDraft = {
  id: '00000000-0000-4000-8000-000000000001',
  kind: 'delivery',
  operationId: '00000000-0000-4000-8000-0000000000aa',
  mediaBuyId: 'mb_1',
  seller: 'acme',
  occurredAt: Date.UTC(2026, 10, 21),
  postings: spendPostings('2026-11-20', 'EUR', 12_500_000n),
  facts: { note: 'ä' },
};

const line = (change: Partial<Posting>): Posting => ({
  account: 'media_spend',
  day: '2026-11-20',
  currency: 'EUR',
  amountMicros: 1n,
  ...change,
});

const codeOf = (postings: readonly Posting[], kind: EntryDraft['kind'] = 'delivery') => {
  const entry = createEntry({ ...draft, kind, postings });
  return entry.ok ? 'made' : entry.error.code;
};

describe('createEntry', () => {
  it('creates a balanced entry with the hash of its body', () => {
    const entry = must(createEntry(draft));
    expect(entry.hash).toBe(hashOfBody(entry.body));
    expect(readEntryBody(entry.body)).toEqual({
      id: draft.id,
      kind: 'delivery',
      operationId: draft.operationId,
      mediaBuyId: 'mb_1',
      seller: 'acme',
      occurredAt: '2026-11-21T00:00:00.000Z',
      postings: draft.postings,
      facts: { note: 'ä' },
    });
  });

  it('writes the same body for any order of the members of its facts', () => {
    const one = createEntry({ ...draft, facts: { a: 1, b: 2 } });
    const two = createEntry({ ...draft, facts: { b: 2, a: 1 } });
    expect(one.ok && two.ok && one.value.hash === two.value.hash).toBe(true);
  });

  it('refuses lines that do not sum to zero', () => {
    expect(codeOf([line({})])).toBe('unbalanced');
    expect(codeOf([line({ amountMicros: 2n }), line({ account: 'seller_payable', amountMicros: -1n })])).toBe(
      'unbalanced',
    );
  });

  it('refuses lines that balance only across two currencies', () => {
    const lines = [line({}), line({ account: 'seller_payable', currency: 'USD', amountMicros: -1n })];
    expect(codeOf(lines)).toBe('unbalanced');
  });

  it('refuses unknown accounts, invalid days and currencies, and empty or too large amounts', () => {
    expect(codeOf([line({ account: 'petty' as never })])).toBe('unknown_account');
    expect(codeOf([line({ day: '20 Nov' })])).toBe('bad_day');
    expect(codeOf([line({ currency: 'eur' })])).toBe('bad_currency');
    expect(codeOf([line({ amountMicros: 0n })])).toBe('zero_amount');
    expect(codeOf([line({ amountMicros: 2n ** 63n })])).toBe('amount_too_large');
  });

  it('refuses postings on entries that move no money', () => {
    const balanced = spendPostings('2026-11-20', 'EUR', 1n);
    expect(codeOf(balanced, 'impairment')).toBe('postings_not_allowed');
    expect(codeOf(balanced, 'observation')).toBe('postings_not_allowed');
    expect(codeOf([], 'impairment')).toBe('made');
  });
});

describe('readEntryBody', () => {
  it('refuses any other body', () => {
    for (const text of ['', 'null', '[]', '{}', '{"format":2}', '{"format":1,"id":1}']) {
      expect(readEntryBody(text)).toBeUndefined();
    }
    const entry = createEntry(draft);
    const body = entry.ok ? entry.value.body : '';
    expect(readEntryBody(body.replace('"12500000"', '12500000'))).toBeUndefined();
    expect(readEntryBody(body.replace('"12500000"', '"1e9"'))).toBeUndefined();
  });
});
