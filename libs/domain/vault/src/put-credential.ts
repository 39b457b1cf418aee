import type { TenantScope } from '@switchyard/tenancy';
import { defined, err, ok, type Result, type Secret } from '@switchyard/values';
import { queryStore, type VaultFailure } from './vault-failure.js';
import { encryptionContextOf } from './encryption-context.js';
import { sealCredential } from './seal-credential.js';
import { sentKinds, type CredentialIdentity, type SealedCredential } from './sealed-credential.js';
import type { CredentialVersion, NewCredential, VaultDeps } from './vault.js';

/** Seals a new credential as version 1. Throws unless exactly the kinds that are sent have a destination. */
export async function putCredential(
  deps: VaultDeps,
  scope: TenantScope,
  credential: NewCredential,
): Promise<Result<CredentialVersion, VaultFailure>> {
  const { kind, connectionId, seller, clientId, destination } = credential;
  if (sentKinds.has(kind) !== (destination !== undefined))
    throw new Error(
      `A credential of kind ${kind} ${destination === undefined ? 'needs' : 'takes no'} destination.`,
    );
  const identity: CredentialIdentity = {
    credentialId: deps.newId(),
    version: 1,
    organizationId: scope.organizationId,
    kind,
    ...defined({ connectionId, seller, clientId, destination }),
  };
  return storeSealed(deps, scope, identity, credential.secret);
}

/** Seals one version under a new data key and inserts it. `conflict` when that version exists already. */
export async function storeSealed(
  deps: VaultDeps,
  scope: TenantScope,
  identity: CredentialIdentity,
  secret: Secret,
  trial?: { readonly overlapMs: number },
): Promise<Result<CredentialVersion, VaultFailure>> {
  const sealed = await sealFresh(deps, identity, secret);
  if (!sealed.ok) return sealed;
  const inserted = await queryStore(() => deps.store.insert(scope, sealed.value, trial));
  if (!inserted.ok) return inserted;
  if (!inserted.value) {
    return err({ code: 'conflict', message: 'This version of the credential exists already.' });
  }
  return ok({ credentialId: identity.credentialId, version: identity.version });
}

/** Seals one version under a new data key. */
export async function sealFresh(
  deps: VaultDeps,
  identity: CredentialIdentity,
  secret: Secret,
): Promise<Result<SealedCredential, VaultFailure>> {
  const dataKey = await deps.kms.generateDataKey(encryptionContextOf(identity));
  if (!dataKey.ok) {
    return err({ code: 'key_management', kms: dataKey.error.code, message: dataKey.error.message });
  }
  try {
    const nonce = deps.randomBytes(12);
    return ok(sealCredential({ identity, secret, dataKey: dataKey.value, nonce, at: deps.clock.now() }));
  } finally {
    dataKey.value.plaintext.wipe();
  }
}
