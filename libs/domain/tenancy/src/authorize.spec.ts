import { describe, expect, it } from '@jest/globals';
import {
  authorize,
  type AuthorizableCaller,
  type Need,
  allPermissions,
  permissionTable,
  readPermissions,
} from './authorize.js';

const nobody: AuthorizableCaller = { kind: 'public' };
const holding = (permissions: Record<string, readonly string[]>): AuthorizableCaller => ({
  kind: 'principal',
  permissions,
});

function verdict(caller: AuthorizableCaller, need: Need): string {
  const answer = authorize(caller, need);
  return answer.ok ? 'allowed' : answer.error.code;
}

describe('authorize', () => {
  const read = { area: 'products', permission: 'read' } as const;
  const write = { area: 'media_buys', permission: 'write' } as const;

  it('allows anybody what is public', () => {
    expect(verdict(nobody, { ...read, access: 'public' })).toBe('allowed');
    expect(verdict(holding({}), { ...read, access: 'public' })).toBe('allowed');
  });

  it('allows a caller without credentials what is limited, and requires credentials for the rest', () => {
    expect(verdict(nobody, { ...read, access: 'limited' })).toBe('allowed');
    expect(verdict(nobody, { ...read, access: 'credentials' })).toBe('AUTH_REQUIRED');
  });

  it('limits a principal to its permissions, by area and by kind', () => {
    const buyer = holding({ products: ['read'], media_buys: ['read'] });
    expect(verdict(buyer, { ...read, access: 'limited' })).toBe('allowed');
    expect(verdict(buyer, { ...read, access: 'credentials' })).toBe('allowed');
    expect(verdict(buyer, { ...write, access: 'credentials' })).toBe('INSUFFICIENT_PERMISSIONS');
    expect(verdict(holding({}), { ...read, access: 'limited' })).toBe('INSUFFICIENT_PERMISSIONS');
  });

  it('distinguishes a kind in one area from the same kind in another', () => {
    for (const area of Object.keys(permissionTable)) {
      const caller = holding({ [area]: ['read', 'write', 'delete', 'approve'] });
      const expected = area === 'media_buys' ? 'allowed' : 'INSUFFICIENT_PERMISSIONS';
      expect(verdict(caller, { ...write, access: 'credentials' })).toBe(expected);
    }
  });

  it('names the missing permission', () => {
    const answer = authorize(holding({}), { ...write, access: 'credentials' });
    expect(answer).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('media_buys.write') },
    });
  });

  it('allows every operation only to a caller with all permissions', () => {
    const needs = Object.entries(permissionTable).flatMap(([area, kinds]) =>
      kinds.map((permission) => ({ area, permission, access: 'credentials' }) as Need),
    );
    const operator: AuthorizableCaller = { kind: 'principal', permissions: allPermissions };
    expect(new Set(needs.map((need) => verdict(operator, need)))).toEqual(new Set(['allowed']));
    expect(new Set(needs.map((need) => verdict(nobody, need)))).toEqual(new Set(['AUTH_REQUIRED']));
  });
});

describe('readPermissions', () => {
  it('drops unknown areas and kinds, and accepts any stored value', () => {
    expect(readPermissions({ products: ['read', 'write', 7], nowhere: ['read'], ledger: 'read' })).toEqual({
      products: ['read'],
    });
    for (const stored of [null, undefined, 7, 'x', [], { __proto__: ['read'], constructor: ['read'] }]) {
      expect(readPermissions(stored)).toEqual({});
    }
  });

  it('reads every possible permission', () => {
    expect(readPermissions(JSON.parse(JSON.stringify(allPermissions)))).toEqual(allPermissions);
  });
});
