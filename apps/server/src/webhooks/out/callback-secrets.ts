import type { BuyerRegistration, CallbackSecrets } from '@switchyard/events';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, Secret } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';

/** Stores the secrets of a buyer's callback, its token and its legacy credential, sealed together. */
export interface CallbackVault {
  /** Seals them for the origin of the address. Answers the credential's id; undefined if the vault cannot seal. */
  readonly seal: (scope: TenantScope, secrets: CallbackSecrets, url: string) => Promise<string | undefined>;
  /** Undefined if the vault cannot open it now. An address without secrets needs no vault. */
  readonly open: (
    scope: TenantScope,
    registration: BuyerRegistration,
  ) => Promise<CallbackSecrets | undefined>;
}

export function callbackVault(vault: Pick<Vault, 'put' | 'withSecret' | 'bind'>): CallbackVault {
  return {
    seal: async (scope, secrets, url) => {
      const secret = new Secret(Buffer.from(JSON.stringify(secrets), 'utf8'));
      const sealed = await vault.put(scope, { kind: 'callback', secret, destination: destinationOf(url) });
      secret.wipe();
      return sealed.ok ? sealed.value.credentialId : undefined;
    },
    open: async (scope, { credentialId, operationId, url }) => {
      if (credentialId === undefined) return {};
      const destination = destinationOf(url);
      const open = () =>
        vault.withSecret(
          scope,
          { credentialId, kind: 'callback', destination },
          { operationId, purpose: 'webhook', actor: 'dispatch' },
          (secret) => Promise.resolve(secret.useText(secretsOf)),
        );
      let opened = await open();
      if (!opened.ok && opened.error.code === 'unbound') {
        // Sealed before destinations were part of the seal: its destination is the address that it was registered with.
        await vault.bind(scope, credentialId, destination);
        opened = await open();
      }
      return opened.ok ? opened.value : undefined;
    },
  };
}

function secretsOf(text: string): CallbackSecrets {
  const read: unknown = JSON.parse(text);
  if (!isJsonObject(read)) throw new Error('The sealed secrets of a callback are not what was sealed.');
  const { token, credentials } = read;
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof credentials === 'string' ? { credentials } : {}),
  };
}
