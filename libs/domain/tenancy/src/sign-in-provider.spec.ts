import { describe, expect, it } from '@jest/globals';
import { isOfDomains, rolesOfGroups } from './sign-in-provider.js';

const organization = { kind: 'organization' } as const;
const acme = { kind: 'brand', id: 'acme.example' } as const;
const mapping = [
  { group: 'Traders', role: 'trader', scope: acme },
  { group: 'Desk', role: 'trader', scope: acme },
  { group: 'Desk', role: 'viewer', scope: organization },
  { group: 'Admins', role: 'admin', scope: organization },
];

describe('the roles of groups', () => {
  it('are those of every group that the person is in, each role in a scope once', () => {
    expect(rolesOfGroups(mapping, ['Desk', 'Traders'])).toEqual([
      { role: 'trader', scope: acme },
      { role: 'viewer', scope: organization },
    ]);
  });

  it('are none for groups with another case, or without a mapping', () => {
    expect(rolesOfGroups(mapping, ['admins', 'Everyone', '__proto__'])).toEqual([]);
  });
});

describe('an address', () => {
  it('is of a domain and not of a domain that ends like it', () => {
    expect(isOfDomains('ann@AGENCY.example', ['agency.example'])).toBe(true);
    expect(isOfDomains('ann@evil-agency.example', ['agency.example'])).toBe(false);
    expect(isOfDomains('ann@sub.agency.example', ['agency.example'])).toBe(false);
    expect(isOfDomains('"a@agency.example"@evil.example', ['agency.example'])).toBe(false);
  });
});
