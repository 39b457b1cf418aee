import { describe, expect, it } from '@jest/globals';
import { allPermissions, permissionTable } from './authorize.js';
import {
  expandScopes,
  permissionsOfScopes,
  programPermissions,
  programScopes,
  scopesBuy,
  scopesGiving,
  usualScopes,
} from './program-scopes.js';

describe('the scopes of programs', () => {
  it('give no approval, no change of people or delegations, and no removal of a seller', () => {
    for (const scope of [...programScopes, programScopes.join(' ')]) {
      const held = permissionsOfScopes(scope);
      for (const kinds of Object.values(held)) expect(kinds).not.toContain('approve');
      expect([scope, held.principals ?? ['read'], held.delegations ?? ['read']]).toEqual([
        scope,
        ['read'],
        ['read'],
      ]);
      expect([scope, held.sellers]).not.toEqual([scope, expect.arrayContaining(['delete'])]);
    }
  });

  it('of old mean reading everywhere, and writing of buys and creatives alone', () => {
    const reading = Object.keys(permissionTable).map((area) => [area, ['read']]);
    expect(permissionsOfScopes('read')).toEqual(Object.fromEntries(reading));
    expect(expandScopes('write')).toEqual(['buys:write', 'creatives:write']);
    expect(permissionsOfScopes('write')).toEqual({
      media_buys: ['write', 'delete'],
      clients: ['write'],
      creatives: ['write', 'delete'],
    });
    expect(usualScopes).toEqual(expandScopes('read write'));
  });

  it('with the names of the service form mean one area each', () => {
    expect(expandScopes('ads:products')).toEqual(['market:read']);
    expect(expandScopes('ads:media_buys')).toEqual(['buys:read', 'buys:write']);
    expect(expandScopes('ads:creatives')).toEqual(['creatives:read', 'creatives:write']);
    expect(permissionsOfScopes('ads:signals').signals).toEqual(['read', 'write', 'delete']);
  });

  it('that are unknown give nothing', () => {
    for (const scope of ['', 'everything', 'constructor', '__proto__', 'buys', 'buys:approve', 'read\twrite'])
      expect([scope, permissionsOfScopes(scope)]).toEqual([scope, {}]);
  });

  it('are named for each permission that a program can have, and for no other', () => {
    const areas = Object.keys(permissionTable) as (keyof typeof permissionTable)[];
    for (const area of areas)
      for (const kind of permissionTable[area]) {
        const isOpen = programPermissions[area]?.includes(kind) === true;
        expect([area, kind, scopesGiving(area, kind).length > 0]).toEqual([area, kind, isOpen]);
      }
  });

  it('buy if they give the writing of buys to a person who has it', () => {
    expect(scopesBuy('read write', allPermissions)).toBe(true);
    expect(scopesBuy('ads:media_buys', allPermissions)).toBe(true);
    expect(scopesBuy('read creatives:write', allPermissions)).toBe(false);
    expect(scopesBuy('write', { media_buys: ['read'] })).toBe(false);
  });
});
