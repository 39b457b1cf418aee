import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, type Secret } from '@switchyard/values';
import type { AccountUse, BoundUse } from './seller-account.js';

/**
 * The binding of an assignment: an HMAC-SHA-256 over organization, seller, client, account and time, under a key that is
 * derived (HKDF, RFC 5869) from the connection's sealed secret. Whoever can only write to the database cannot make it, so
 * no client is led into the account of another one (docs/decisions/vault.md#accounts-of-clients).
 */
export function bindUse(scope: TenantScope, secret: Secret, use: AccountUse): Buffer {
  const { connectionId, clientId, accountId, since } = use;
  const text = canonicalJson({
    organization: scope.organizationId,
    connectionId,
    clientId,
    accountId,
    since,
  });
  return secret.use((bytes) => {
    const key = Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), 'switchyard account use 1', 32));
    try {
      return createHmac('sha256', key).update(text, 'utf8').digest();
    } finally {
      key.fill(0);
    }
  });
}

/** Whether the assignment is one that we made. */
export function isBound(scope: TenantScope, secret: Secret, { binding, ...use }: BoundUse): boolean {
  const expected = bindUse(scope, secret, use);
  return binding.length === expected.length && timingSafeEqual(binding, expected);
}
