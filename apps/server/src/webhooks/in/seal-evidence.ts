import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { Secret } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';

/** Stores the bytes of a webhook that contain a secret in the vault, each under its own data key. */
export interface EvidenceVault {
  /** The id of the vault's record; undefined if it cannot seal now. */
  readonly seal: (scope: TenantScope, connection: Connection, bytes: Buffer) => Promise<string | undefined>;
  /** Removes a copy that is not needed. */
  readonly forget: (scope: TenantScope, sealedId: string) => Promise<void>;
  /** Opens it for a reader, with an audit row that names the reader. */
  readonly open: (
    scope: TenantScope,
    sealedId: string,
    of: { readonly connectionId: string; readonly seller: string },
    actor: string,
  ) => Promise<Buffer | undefined>;
}

export function evidenceVault(vault: Pick<Vault, 'put' | 'revoke' | 'withSecret'>): EvidenceVault {
  return {
    seal: async (scope, { id: connectionId, slug: seller }, bytes) => {
      const secret = new Secret(Buffer.from(bytes));
      const sealed = await vault.put(scope, { kind: 'evidence', secret, connectionId, seller });
      secret.wipe();
      return sealed.ok ? sealed.value.credentialId : undefined;
    },
    forget: async (scope, sealedId) => {
      await vault.revoke(scope, sealedId);
    },
    open: async (scope, sealedId, of, actor) => {
      const opened = await vault.withSecret(
        scope,
        { credentialId: sealedId, kind: 'evidence', ...of },
        { purpose: 'evidence', actor },
        (secret) => Promise.resolve(secret.use((bytes) => Buffer.from(bytes))),
      );
      return opened.ok ? opened.value : undefined;
    },
  };
}
