import { describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { projectAccount, readAccount, fittedAccount } from './account.js';

describe('an account that a seller shows', () => {
  it('has no brand and no operator that its seller did not name', () => {
    const read = must(readAccount({ account_id: 'a', status: 'active' }));
    const written = projectAccount(read);
    expect('brand' in written || 'operator' in written).toBe(false);
  });

  it('has the brand and operator that its seller named', () => {
    const read = must(
      readAccount({
        account_id: 'a',
        status: 'active',
        brand: { domain: 'Nova.example' },
        operator: 'Müller.example',
      }),
    );
    expect(projectAccount(read)).toMatchObject({
      brand: { domain: 'nova.example' },
      operator: 'xn--mller-kva.example',
    });
  });
});

const brand = { domain: 'nova.example', brand_kit_override: { tagline: 'Now' } };
const first = { url: 'https://one.example', categories: ['budget_authority'] };
const second = { url: 'https://two.example' };

describe('the account of a buy, in the other release of 3.x', () => {
  it('has a brand without brand kit in 3.0, and with it in 3.1', () => {
    expect(fittedAccount({ account: { brand } }, '3.0')).toEqual({
      account: { brand: { domain: 'nova.example' } },
    });
    expect(fittedAccount({ account: { brand } }, '3.1')).toEqual({ account: { brand } });
  });

  it('names one governance agent in 3.1, for all categories', () => {
    expect(fittedAccount({ account: { governance_agents: [first] } }, '3.1')).toEqual({
      account: { governance_agents: [{ url: 'https://one.example' }] },
    });
  });

  it('names none in 3.1 if there are several, or an empty list', () => {
    expect(fittedAccount({ account: { governance_agents: [first, second] } }, '3.1')).toEqual({
      account: {},
    });
    expect(fittedAccount({ account: { governance_agents: [] } }, '3.1')).toEqual({ account: {} });
  });

  it('is never invented', () => {
    expect(fittedAccount({ media_buy_id: 'b' }, '3.1')).toEqual({ media_buy_id: 'b' });
  });
});
