import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { hashOfScheme } from '@switchyard/tenancy';
import { createPrincipal, createScope, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { passwordRepository } from './password-repository.js';
import { principalDirectory } from './principal-directory.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const at = Date.UTC(2026, 0, 2);

/** A person with a password who has signed in at one address before. */
async function somebody(home: string) {
  const scope = await createScope(store);
  const { id: principalId } = await createPrincipal(store, scope.organizationId, { kind: 'person' });
  const passwords = passwordRepository(store);
  await passwords.set(scope, { principalId, email: `${principalId}@agency.example`, hash: 'none' }, at);
  const session = { id: randomUUID(), principalId, scheme: 'session', label: 'signed in' } as const;
  const hash = hashOfScheme('session', session.id);
  await principalDirectory(store).issueToken(scope, {
    ...session,
    ...{ hash, createdAt: at, expiresAt: at + 1, address: home },
  });
  const claim = (address: string) => passwords.claimAttempt(scope, principalId, { address }, at);
  return { scope, principalId, passwords, claim };
}

const allowed = async (claims: readonly Promise<boolean>[]): Promise<number> =>
  (await Promise.all(claims)).filter(Boolean).length;

describe('attempts to sign in', () => {
  it('are counted by source, even at once, and do not lock a known source of the person', async () => {
    const { scope, principalId, passwords, claim } = await somebody('192.0.2.7');
    expect(await allowed(Array.from({ length: 12 }, () => claim('198.51.100.1')))).toBe(5);
    expect(await allowed(Array.from({ length: 12 }, (_, part) => claim(`203.0.113.${part}`)))).toBe(5);
    expect(await claim('198.51.100.2')).toBe(false);
    expect(await claim('192.0.2.7')).toBe(true);
    expect(await passwords.claimAttempt(scope, principalId, 'session', at)).toBe(true);
    await passwords.forgetAttempts(scope, principalId);
    expect(await claim('198.51.100.1')).toBe(true);
  });
});
