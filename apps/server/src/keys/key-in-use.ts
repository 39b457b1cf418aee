import { sign } from 'node:crypto';
import {
  openPrivateHalf,
  type KeyInUse,
  type KeyService,
  type PlatformKey,
  type SigningFailure,
} from '@switchyard/signing';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';

/**
 * A key that is ready to sign. The private half of a sealed key is opened once, with an audit row, and lives only in
 * this object; with a key service each signature is a call.
 */
export async function keyInUse(
  deps: { readonly vault: Pick<Vault, 'withSecret'>; readonly service: KeyService },
  scope: TenantScope,
  key: PlatformKey,
  use: KeyUse,
): Promise<Result<KeyInUse, SigningFailure>> {
  const { kid: keyid, alg, custody } = key;
  if (custody.kind === 'kms') {
    return ok({ keyid, alg, sign: (bytes) => deps.service.sign(custody.keyId, bytes) });
  }
  const request = { credentialId: custody.credentialId, kind: 'signing' } as const;
  const opened = await deps.vault.withSecret(scope, request, { ...use, actor: 'signer' }, (secret) =>
    Promise.resolve(openPrivateHalf(secret)),
  );
  if (!opened.ok) return err({ code: 'key_unavailable', message: 'The vault did not open the signing key.' });
  const privateKey = opened.value;
  return ok({ keyid, alg, sign: (bytes) => Promise.resolve(ok(sign(null, bytes, privateKey))) });
}

/** The purpose of a signature; the audit row of the key's use records it. */
export interface KeyUse {
  readonly operationId?: string;
  readonly purpose: string;
}
