import { describe, expect, it } from '@jest/globals';
import type { DeclaredAccount } from './account-repository.js';
import { resolveAccount, type AccountQuestion } from './resolve-account.js';

const nova: DeclaredAccount = {
  id: 'acc-1',
  brandDomain: 'nova.example',
  brandId: '',
  operator: 'agency.example',
};
const orbit: DeclaredAccount = { ...nova, id: 'acc-2', brandDomain: 'orbit.example' };
const sub: DeclaredAccount = { ...nova, id: 'acc-3', brandId: 'sport' };

function resolve(question: Partial<AccountQuestion>): unknown {
  const answer = resolveAccount({
    known: [nova, orbit],
    organizationDomain: 'agency.example',
    declareOnFirstUse: false,
    ...question,
  });
  if (!answer.ok) return answer.error.code;
  return answer.value.kind === 'known' ? answer.value.account.id : answer.value;
}

describe('resolveAccount', () => {
  it('finds an account by the id that we issued, and refuses every other id, first use or not', () => {
    expect(resolve({ requested: { accountId: 'acc-2' } })).toBe('acc-2');
    for (const declareOnFirstUse of [false, true]) {
      const answer = resolve({ requested: { accountId: 'acc-9' }, declareOnFirstUse });
      expect(answer).toBe('ACCOUNT_NOT_FOUND');
    }
  });

  it('finds a pair in any case of its domains', () => {
    const requested = { brand: { domain: 'Nova.Example' }, operator: 'AGENCY.example' };
    expect(resolve({ requested })).toBe('acc-1');
  });

  it('finds a pair whose domains have letters beyond ASCII by their xn-- form, and declares none with invalid domains', () => {
    const account = { ...nova, brandDomain: 'xn--bcher-kva.example', operator: 'xn--mller-kva.example' };
    const known = [account];
    const [brand, operator] = [{ domain: 'Bücher.example' }, 'Müller.example'];
    expect(resolve({ requested: { brand, operator }, known })).toBe('acc-1');
    for (const requested of [
      { brand: { domain: 'bü cher.example' }, operator },
      { brand, operator: 'mü ller.example' },
      { brand: { domain: 'http://brand.example/x' }, operator },
      { brand: { domain: 'brand.example:8080' }, operator },
      { brand, operator: '-agency.example' },
    ])
      expect(resolve({ requested, known, declareOnFirstUse: true })).toBe('ACCOUNT_NOT_FOUND');
  });

  it('refuses a pair that is not declared, and declares it in the local profile', () => {
    const requested = { brand: { domain: 'New.example', brandId: 'x' }, operator: 'agency.example' };
    expect(resolve({ requested })).toBe('ACCOUNT_NOT_FOUND');
    expect(resolve({ requested, declareOnFirstUse: true })).toEqual({
      kind: 'declare',
      account: { brandDomain: 'new.example', brandId: 'x', operator: 'agency.example' },
    });
  });

  it('never replaces the named operator or brand identity by another', () => {
    expect(resolve({ requested: { brand: { domain: 'nova.example' }, operator: 'other.example' } })).toBe(
      'ACCOUNT_NOT_FOUND',
    );
    const requested = { brand: { domain: 'nova.example', brandId: 'sport' }, operator: 'agency.example' };
    expect(resolve({ requested })).toBe('ACCOUNT_NOT_FOUND');
    expect(resolve({ requested, known: [nova, sub] })).toBe('acc-3');
  });

  it('uses the only account when the request names none, and requires a name when there are several', () => {
    expect(resolve({ known: [nova] })).toBe('acc-1');
    expect(resolve({})).toBe('ACCOUNT_AMBIGUOUS');
    expect(resolve({ known: [] })).toEqual({ kind: 'none' });
  });

  it('lets the brand of the request choose among several', () => {
    expect(resolve({ brand: { domain: 'orbit.example' } })).toBe('acc-2');
    expect(resolve({ brand: { domain: 'new.example' } })).toBe('ACCOUNT_NOT_FOUND');
    expect(resolve({ brand: { domain: 'new.example' }, declareOnFirstUse: true })).toEqual({
      kind: 'declare',
      account: { brandDomain: 'new.example', brandId: '', operator: 'agency.example' },
    });
  });

  it('prefers the account of exactly this brand and our own domain to an error for several', () => {
    const elsewhere = { ...nova, id: 'acc-4', operator: 'other.example' };
    expect(resolve({ known: [elsewhere, nova, sub], brand: { domain: 'nova.example' } })).toBe('acc-1');
    const known = [elsewhere, { ...elsewhere, id: 'acc-5', operator: 'third.example' }];
    expect(resolve({ known, brand: { domain: 'nova.example' } })).toBe('ACCOUNT_AMBIGUOUS');
  });

  it('refuses an account whose brand has no domain, and ignores such a brand in a request', () => {
    expect(resolve({ requested: { brand: { brandId: 'x' }, operator: 'agency.example' } })).toBe(
      'ACCOUNT_NOT_FOUND',
    );
    expect(resolve({ known: [nova], brand: { brandId: 'x' } })).toBe('acc-1');
  });
});
