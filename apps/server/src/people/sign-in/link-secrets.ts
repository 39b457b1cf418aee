import { createHmac, randomBytes } from 'node:crypto';
import type { LinkKeys } from '@switchyard/store';
import { newToken, type TenantScope } from '@switchyard/tenancy';
import { Secret } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';

/**
 * The secrets of links that are mailed. They are derived and not stored: a mail that is sent again after a crash has the
 * same link, and the database holds only hashes.
 */
export interface LinkSecrets {
  /** The secret for one thing, always the same; undefined if the vault cannot be used now. */
  of(scope: TenantScope, about: string): Promise<string | undefined>;
}

export function createLinkSecrets(keys: LinkKeys, vault: Pick<Vault, 'put' | 'withSecret'>): LinkSecrets {
  const keyOf = async (scope: TenantScope): Promise<string | undefined> => {
    const known = await keys.find(scope);
    if (known !== undefined) return known;
    const secret = new Secret(randomBytes(32));
    const sealed = await vault.put(scope, { kind: 'idempotency', secret });
    secret.wipe();
    return sealed.ok ? keys.keep(scope, sealed.value.credentialId) : undefined;
  };
  return {
    of: async (scope, about) => {
      const credentialId = await keyOf(scope);
      if (credentialId === undefined) return undefined;
      const derived = await vault.withSecret(
        scope,
        { credentialId, kind: 'idempotency' },
        { purpose: 'mailed link', actor: 'sign-in' },
        (key) =>
          Promise.resolve(key.use((bytes) => createHmac('sha256', bytes).update(`link ${about}`).digest())),
      );
      return derived.ok ? newToken(derived.value).text : undefined;
    },
  };
}
