import type { TenantScope } from '@switchyard/tenancy';
import { defined, err, ok, type Result } from '@switchyard/values';
import { encryptionContextOf } from './encryption-context.js';
import { checkCredential } from './open-credential.js';
import { sealCredential } from './seal-credential.js';
import type { CredentialIdentity } from './sealed-credential.js';
import type {
  CredentialVersion,
  NewCredential,
  PreparedVersion,
  VaultDeps,
  VersionToPrepare,
} from './vault.js';
import { queryStore, type VaultFailure } from './vault-failure.js';

/**
 * Gets the data key of a version. The row before it is authenticated first: write access to the database is not enough
 * to direct the next secret elsewhere.
 */
export async function prepareVersion(
  deps: VaultDeps,
  scope: TenantScope,
  wanted: VersionToPrepare,
): Promise<Result<PreparedVersion, VaultFailure>> {
  const found = 'credentialId' in wanted ? await nextOf(deps, scope, wanted) : ok(newOf(deps, scope, wanted));
  if (!found.ok) return found;
  const identity = found.value;
  const dataKey = await deps.kms.generateDataKey(encryptionContextOf(identity));
  if (!dataKey.ok)
    return err({ code: 'key_management', kms: dataKey.error.code, message: dataKey.error.message });
  return ok({
    credentialId: identity.credentialId,
    version: identity.version,
    seal: (secret) =>
      sealCredential({
        identity,
        secret,
        dataKey: dataKey.value,
        nonce: deps.randomBytes(12),
        at: deps.clock.now(),
      }),
    discard: () => dataKey.value.plaintext.wipe(),
  });
}

function newOf(
  deps: VaultDeps,
  { organizationId }: TenantScope,
  { kind, connectionId, seller, clientId, destination }: Omit<NewCredential, 'secret'>,
): CredentialIdentity {
  return {
    credentialId: deps.newId(),
    version: 1,
    organizationId,
    kind,
    ...defined({ connectionId, seller, clientId, destination }),
  };
}

async function nextOf(
  deps: VaultDeps,
  scope: TenantScope,
  { credentialId, version, clientId: expected }: CredentialVersion & Pick<NewCredential, 'clientId'>,
): Promise<Result<CredentialIdentity, VaultFailure>> {
  const read = await queryStore(() => deps.store.version(scope, credentialId, version));
  if (!read.ok) return read;
  const row = read.value;
  if (row === undefined) return err({ code: 'not_found', message: 'There is no such version.' });
  if (
    row.organizationId !== scope.organizationId ||
    row.credentialId !== credentialId ||
    row.clientId !== expected
  )
    return err({ code: 'mismatch', message: 'The stored credential is not the requested one.' });
  const authentic = await checkCredential(deps.kms, row);
  if (!authentic.ok) return authentic;
  const { organizationId, connectionId, seller, clientId, kind, destination } = row;
  return ok({
    credentialId,
    version: version + 1,
    organizationId,
    kind,
    ...defined({ connectionId, seller, clientId, destination }),
  });
}
