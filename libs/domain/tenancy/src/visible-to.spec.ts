import { describe, expect, it } from '@jest/globals';
import { allPermissions, permissionTable, usualPermissions } from './authorize.js';
import type { Permissions } from './grant.js';
import { visibleTo } from './reach.js';

const viewer = (permissions: Permissions) => ({ principalId: 'p1', permissions });
const own = { kind: 'own', principalId: 'p1' };

describe('the objects that a principal sees', () => {
  it('are decided by roles in the whole organization only, if there are roles', () => {
    const grants = (kind: 'organization' | 'own') => [
      { role: 'finance', permissions: { ledger: ['read'] }, scope: { kind } } as const,
    ];
    const holder = viewer({ ledger: ['read'] });
    expect(visibleTo({ ...holder, grants: grants('own') })).toEqual(own);
    expect(visibleTo({ ...holder, grants: grants('organization') })).toEqual({ kind: 'everything' });
  });

  it('are its own for a buyer and a brand, and everybody’s for a person', () => {
    expect(visibleTo(viewer(usualPermissions.buyer))).toEqual(own);
    expect(visibleTo(viewer(usualPermissions.brand))).toEqual(own);
    expect(visibleTo(viewer(usualPermissions.service))).toEqual(own);
    expect(visibleTo(viewer(usualPermissions.person))).toEqual({ kind: 'everything' });
    expect(visibleTo(viewer(allPermissions))).toEqual({ kind: 'everything' });
  });

  it.each(Object.entries(permissionTable))(
    'are decided for %s only by its area',
    (area, kinds: readonly string[]) => {
      const kind = ['sellers', 'ledger', 'principals'].includes(area) ? 'everything' : 'own';
      for (const one of kinds) expect([one, visibleTo(viewer({ [area]: [one] })).kind]).toEqual([one, kind]);
      expect(visibleTo(viewer({ [area]: [] }))).toEqual(own);
    },
  );

  it('are not extended by an unknown permission', () => {
    const odd = Object.create({ principals: ['read'] }) as Permissions;
    expect(visibleTo(viewer(odd))).toEqual(own);
  });
});
