import { describe, expect, it } from '@jest/globals';
import { projectAccount, readAccount } from './account.js';

describe('an account that a seller shows', () => {
  it('has no brand and no operator that its seller did not name', () => {
    const read = readAccount({ account_id: 'a', status: 'active' });
    if (!read.ok) throw new Error(read.error.message);
    const written = projectAccount(read.value);
    expect('brand' in written || 'operator' in written).toBe(false);
  });

  it('has those that it named', () => {
    const read = readAccount({
      account_id: 'a',
      status: 'active',
      brand: { domain: 'Nova.example' },
      operator: 'Müller.example',
    });
    if (!read.ok) throw new Error(read.error.message);
    expect(projectAccount(read.value)).toMatchObject({
      brand: { domain: 'nova.example' },
      operator: 'xn--mller-kva.example',
    });
  });
});
