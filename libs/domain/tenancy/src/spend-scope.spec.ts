import { describe, expect, it } from '@jest/globals';
import { allPermissions, usualPermissions } from './authorize.js';
import type { Principal } from './principal.js';
import type { GrantScope, Grant } from './grant.js';
import { builtInRoles, roleGrant, withFewerPermissions, withRoles } from './roles.js';
import { mayActFor, type ActedFor } from './reach.js';

const principal = (more: Partial<Principal> = {}): Principal => ({
  ...{ id: 'p1', organizationId: 'o1', name: 'agent', kind: 'buyer', permissions: usualPermissions.buyer },
  ...{ transitional: false, legacy: false, ...more },
});
const trader = (scope: GrantScope): Grant => roleGrant('trader', builtInRoles['trader']!, scope);
const buying = { area: 'media_buys', permission: 'write' } as const;
const may = ({ id: principalId, ...held }: Principal, place: ActedFor, needs = buying): boolean =>
  mayActFor({ principalId, ...held }, needs, place);

const acme = { brandDomain: 'acme.example', clientId: 'c1', campaignId: 'k1', isEntered: true };
const unknown = { brandDomain: 'new.example', isEntered: false };

describe('for whom a caller may act', () => {
  it('is no brand of a client because of a role on another brand, or of the scope own', () => {
    const agent = withRoles(principal(), [trader({ kind: 'brand', id: 'bolt.example' })]);
    expect(may(agent, { brandDomain: 'bolt.example', clientId: 'c2', isEntered: true })).toBe(true);
    expect(may(agent, acme)).toBe(false);
    expect(may(withRoles(principal({ permissions: {} }), [trader({ kind: 'own' })]), acme)).toBe(false);
    expect(may(principal(), acme)).toBe(false);
  });

  it.each([
    [{ kind: 'organization' }, true],
    [{ kind: 'client', id: 'c1' }, true],
    [{ kind: 'brand', id: 'acme.example' }, true],
    [{ kind: 'campaign', id: 'k1' }, true],
    [{ kind: 'client', id: 'c2' }, false],
    [{ kind: 'brand', id: 'bolt.example' }, false],
    [{ kind: 'campaign', id: 'k2' }, false],
    [{ kind: 'own' }, false],
  ] as const)('is a brand of a client with a role in the scope %j: %s', (scope, covers) => {
    expect(may(withRoles(principal({ permissions: {} }), [trader(scope)]), acme)).toBe(covers);
  });

  it('needs the permission of the task in the scope that covers the brand', () => {
    const scope = { kind: 'brand', id: 'acme.example' } as const;
    const agent = withRoles(principal(), [roleGrant('viewer', builtInRoles['viewer']!, scope)]);
    expect(may(agent, acme)).toBe(false);
  });

  it('is a brand that nobody entered, with the scope own alone', () => {
    expect(may(principal(), unknown)).toBe(true);
    expect(may(principal(), { isEntered: false })).toBe(true);
    const elsewhere = withRoles(principal({ permissions: {} }), [
      trader({ kind: 'brand', id: 'bolt.example' }),
    ]);
    expect(may(elsewhere, unknown)).toBe(false);
  });

  it('is the brand that the caller is the agent of, in any spelling', () => {
    const brand = principal({
      kind: 'brand',
      permissions: usualPermissions.brand,
      brandDomain: 'ACME.example',
    });
    expect(may(brand, acme)).toBe(true);
    expect(may(brand, { ...acme, brandDomain: 'bolt.example' })).toBe(false);
  });

  it('is every brand for an operator, and for a part of its credential what the part may do', () => {
    const operator = principal({ kind: 'person', permissions: allPermissions });
    expect(may(operator, acme)).toBe(true);
    const part = withFewerPermissions(operator, { media_buys: ['read', 'write'] });
    expect(may(part, acme)).toBe(true);
    expect(may(withFewerPermissions(part, { media_buys: ['write'] }), acme)).toBe(true);
    expect(may(withFewerPermissions(operator, { media_buys: ['read'] }), acme)).toBe(false);
    const withRole = withRoles(operator, [trader({ kind: 'brand', id: 'bolt.example' })]);
    expect(may(withFewerPermissions(withRole, { media_buys: ['write'] }), acme)).toBe(true);
    const narrowAgent = withFewerPermissions(principal(), { media_buys: ['write'] });
    expect(may(narrowAgent, acme)).toBe(false);
  });
});
