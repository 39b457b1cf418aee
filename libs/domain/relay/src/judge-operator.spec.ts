import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { judgeOperator, namesOperators, type OperatorAct } from './judge-operator.js';

const act: OperatorAct = {
  operator: 'agency.example',
  brandDomain: 'roaster.example',
  brandId: '',
  at: Date.parse('2026-06-15T12:00:00Z'),
  countries: [],
};
const entry = { domain: 'agency.example', brands: ['*'] };
const listing = (...entries: readonly JsonObject[]): JsonObject => ({
  id: 'roaster',
  authorized_operators: [...entries],
});
const fault = (document: JsonObject, more: Partial<OperatorAct> = {}): string => {
  const judged = judgeOperator(document, { ...act, ...more });
  return judged.ok ? 'granted' : judged.error;
};

describe('the operators that a brand authorises', () => {
  it.each([
    ['every brand', entry],
    ['the brand that the document is about', { ...entry, brands: ['roaster'] }],
    ['all scopes', { ...entry, scopes: ['all'] }],
    ['buying', { ...entry, scopes: ['creative_generation', 'media_buying'] }],
    ['a domain in capitals', { ...entry, domain: 'Agency.Example' }],
    ['the last day', { ...entry, valid_from: '2026-06-15', valid_until: '2026-06-15' }],
  ])('may act when listed for %s', (_what, listed) => {
    expect(fault(listing(listed))).toBe('granted');
  });

  it.each([
    ['not_listed', { ...entry, domain: 'other.example' }],
    ['not_listed', { ...entry, domain: 'sub.agency.example' }],
    ['other_brand', { ...entry, brands: ['tea'] }],
    ['other_brand', { domain: 'agency.example' }],
    ['other_scope', { ...entry, scopes: ['creative_generation'] }],
    ['other_scope', { ...entry, scopes: [] }],
    ['not_yet_valid', { ...entry, valid_from: '2026-06-15T12:00:00.001Z' }],
    ['not_yet_valid', { ...entry, valid_from: 'soon' }],
    ['no_longer_valid', { ...entry, valid_until: '2026-06-15T12:00:00Z' }],
    ['no_longer_valid', { ...entry, valid_until: '2026-06-14' }],
    ['no_longer_valid', { ...entry, valid_until: 'never' }],
    ['other_country', { ...entry, countries: [] }],
  ])('are refused with %s for %j', (code, listed) => {
    expect(fault(listing(listed))).toBe(code);
  });

  it('may act only in the named countries, which is reported when the request names none', () => {
    const limited = listing({ ...entry, countries: ['DE', 'at'] });
    expect(fault(limited, { countries: ['de', 'AT'] })).toBe('granted');
    expect(fault(limited, { countries: ['DE', 'US'] })).toBe('other_country');
    expect(judgeOperator(limited, act)).toEqual({ ok: true, value: { countriesUnknown: true } });
  });

  it('need one entry that matches completely: parts of two do not count, and the closest has the reason', () => {
    const document = listing(
      { ...entry, brands: ['tea'] },
      { ...entry, scopes: ['governance'] },
      { ...entry, domain: 'x.example' },
    );
    expect(fault(document)).toBe('other_scope');
    expect(fault(listing({ ...entry, brands: ['tea'] }, entry))).toBe('granted');
  });

  it('are read from the list of the brand before that of its house, never from both', () => {
    const house = {
      house: { domain: 'house.example', authorized_operators: [entry] },
      brands: [{ id: 'roaster', authorized_operators: [] }, { id: 'tea' }],
    };
    expect(fault(house, { brandId: 'roaster' })).toBe('not_listed');
    expect(fault(house, { brandId: 'tea' })).toBe('granted');
  });

  it('include the brand itself, with any document', () => {
    expect(fault({}, { operator: 'ROASTER.example' })).toBe('granted');
  });

  it('are unknown for a brand that names none, and known for one that names others', () => {
    expect([namesOperators({ id: 'roaster' }, ''), namesOperators(listing(), '')]).toEqual([false, true]);
  });
});
