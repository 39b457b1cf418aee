import { describe, expect, it } from '@jest/globals';
import { builtInRoles, roleGrant } from './roles.js';
import { firstBeyondReach, isInReach, reachOf, seesSellers, type Grantee } from './reach.js';
import type { Grant } from './grant.js';

const trader = { media_buys: ['read', 'write'] } as const;
const caller = (...grants: readonly Grant[]): Grantee => ({
  principalId: 'p1',
  permissions: { media_buys: ['read', 'write'], ledger: ['read'] },
  grants,
});

describe('the reach of a caller', () => {
  it('contains what its grants with this permission name, and nothing of another permission', () => {
    const reach = reachOf(
      caller(
        { role: 'trader', permissions: trader, scope: { kind: 'client', id: 'c1' } },
        {
          role: 'viewer',
          permissions: { media_buys: ['read'] },
          scope: { kind: 'brand', id: 'acme.example' },
        },
      ),
      'media_buys',
      'write',
    );
    expect(reach).toEqual({ kind: 'limited', clientIds: ['c1'], brandDomains: [], campaignIds: [] });
    expect(isInReach(reach, { clientId: 'c1', principalId: 'p2' })).toBe(true);
    expect(isInReach(reach, { clientId: 'c2', brandDomain: 'acme.example' })).toBe(false);
    expect(isInReach(reach, {})).toBe(false);
  });

  it('of a trader contains the spend and the limits of its clients, and no change of the books', () => {
    const held = roleGrant('trader', builtInRoles['trader'] ?? {}, { kind: 'client', id: 'c1' });
    const harness = { ...caller(held), permissions: held.permissions };
    const reach = { kind: 'limited', clientIds: ['c1'], brandDomains: [], campaignIds: [] };
    expect(reachOf(harness, 'ledger', 'read')).toEqual(reach);
    expect(reachOf(harness, 'ledger', 'write')).toEqual({ ...reach, clientIds: [] });
  });

  it('shows names of sellers only to roles in the whole organization', () => {
    for (const [role, permissions] of Object.entries(builtInRoles)) {
      const at = (scope: Grant['scope']): boolean => seesSellers(caller(roleGrant(role, permissions, scope)));
      expect([role, at({ kind: 'organization' })]).toEqual([role, role !== 'reviewer']);
      for (const kind of ['client', 'brand', 'campaign'] as const)
        expect([role, kind, at({ kind, id: 'x' })]).toEqual([role, kind, false]);
      expect([role, at({ kind: 'own' })]).toEqual([role, false]);
    }
  });

  it('is everything if one grant is of the whole organization', () => {
    const grants = [{ permissions: trader, scope: { kind: 'organization' } }] as const;
    expect(reachOf(caller(...grants), 'media_buys', 'read')).toEqual({ kind: 'everything' });
  });

  it('without grants contains what the principal made itself, and everything for an operator', () => {
    const own = reachOf({ principalId: 'p1', permissions: trader }, 'media_buys', 'read');
    expect(isInReach(own, { principalId: 'p1' })).toBe(true);
    expect(isInReach(own, { principalId: 'p2' })).toBe(false);
    const operator = { principalId: 'p1', permissions: { ...trader, sellers: ['read'] } };
    expect(reachOf(operator, 'media_buys', 'read')).toEqual({ kind: 'everything' });
  });

  it('limits what a caller may grant: in its own scope or a narrower one, and never what others will make', () => {
    const giver = caller({ role: 'trader', permissions: trader, scope: { kind: 'client', id: 'c1' } });
    const read = { media_buys: ['read'] } as const;
    const beyond = (scope: Grant['scope'], place?: object) =>
      firstBeyondReach(giver, { permissions: read, scope }, place);
    expect(beyond({ kind: 'client', id: 'c1' })).toBeUndefined();
    expect(beyond({ kind: 'campaign', id: 'k1' }, { clientId: 'c1', campaignId: 'k1' })).toBeUndefined();
    expect(beyond({ kind: 'campaign', id: 'k2' })).toBe('media_buys.read');
    expect(beyond({ kind: 'organization' })).toBe('media_buys.read');
    expect(beyond({ kind: 'own' })).toBe('media_buys.read');
    const more = { permissions: { ledger: ['read'] }, scope: { kind: 'client', id: 'c1' } } as const;
    expect(firstBeyondReach(giver, more)).toBe('ledger.read');
  });

  it('is empty if no grant has the permission', () => {
    const none = reachOf(caller({ permissions: trader, scope: { kind: 'own' } }), 'ledger', 'read');
    expect(isInReach(none, { principalId: 'p1' })).toBe(false);
  });
});
