import { describe, expect, it } from '@jest/globals';
import type { Delegation, DelegationStanding } from './delegation.js';
import { judgeDelegation, type DelegatedAct } from './judge-delegation.js';

const until = 2_000_000;

function standing(change: Partial<Delegation> = {}, committed = 0n): DelegationStanding {
  return {
    committed,
    delegation: {
      id: 'd1',
      organizationId: 'o',
      principalId: 'p',
      seller: 'acme',
      tasks: ['create_media_buy'],
      grantedAt: 1_000,
      until,
      budget: { ceiling: 1_000_000_000n, currency: 'USD' },
      grantedBy: { principalId: 'p' },
      ...change,
    },
  };
}

const act: DelegatedAct = {
  seller: 'acme',
  task: 'create_media_buy',
  at: 1_500_000,
  spend: { amount: 1_000_000_000n, currency: 'USD' },
};

const codeOf = (held: readonly DelegationStanding[], change: Partial<DelegatedAct> = {}) => {
  const judged = judgeDelegation(held, { ...act, ...change });
  return judged.ok ? judged.value.id : judged.error;
};

describe('judgeDelegation', () => {
  it('allows an act up to the last micro and the last millisecond', () => {
    expect(codeOf([standing()])).toBe('d1');
    expect(codeOf([standing()], { at: until - 1 })).toBe('d1');
    expect(codeOf([standing({}, 400n)], { spend: { amount: 999_999_600n, currency: 'USD' } })).toBe('d1');
  });

  it('names each single fault', () => {
    expect(codeOf([])).toBe('DELEGATION_MISSING');
    expect(codeOf([standing()], { seller: 'other' })).toBe('DELEGATION_MISSING');
    expect(codeOf([standing({ revokedAt: 1_400_000 })])).toBe('DELEGATION_REVOKED');
    expect(codeOf([standing()], { at: until })).toBe('DELEGATION_EXPIRED');
    expect(codeOf([standing()], { task: 'update_media_buy' })).toBe('DELEGATION_TASK_NOT_ALLOWED');
    expect(codeOf([standing()], { spend: { amount: 1n, currency: 'EUR' } })).toBe(
      'DELEGATION_CURRENCY_MISMATCH',
    );
    expect(codeOf([standing()], { spend: { amount: 1_000_000_001n, currency: 'USD' } })).toBe(
      'DELEGATION_BUDGET_EXCEEDED',
    );
    expect(codeOf([standing({}, 1n)])).toBe('DELEGATION_BUDGET_EXCEEDED');
  });

  it('accepts any sufficient grant, and checks the newest first', () => {
    const spent = standing({ id: 'old', grantedAt: 1 }, 1_000_000_000n);
    const fresh = standing({ id: 'new', grantedAt: 2 });
    expect(codeOf([spent, fresh])).toBe('new');
    expect(codeOf([fresh, standing({ id: 'newest', grantedAt: 3 })])).toBe('newest');
  });

  it('reports the grant that came closest', () => {
    const expired = standing({ id: 'a', until: 5 });
    const spent = standing({ id: 'b' }, 1n);
    expect(codeOf([expired, spent])).toBe('DELEGATION_BUDGET_EXCEEDED');
    expect(codeOf([expired, standing({ revokedAt: 1 })])).toBe('DELEGATION_EXPIRED');
  });

  it('has no ceiling by default, and needs none for a read', () => {
    const { budget: _ceiling, ...open } = standing().delegation;
    const unlimited = { delegation: open, committed: 0n };
    expect(codeOf([unlimited], { spend: { amount: 10n ** 18n, currency: 'EUR' } })).toBe('d1');
    const { spend: _spend, ...reads } = act;
    const judged = judgeDelegation([standing({}, 1_000_000_000n)], reads);
    expect(judged.ok).toBe(true);
  });
});
