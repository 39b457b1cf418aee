import type { TenantScope } from '@switchyard/tenancy';
import { defined, err, type Result, type Secret } from '@switchyard/values';
import { queryStore, unbound, type VaultFailure } from './vault-failure.js';
import { checkCredential } from './open-credential.js';
import { storeSealed } from './put-credential.js';
import { sealingScheme, sentKinds } from './sealed-credential.js';
import type { CredentialVersion, RotationOptions, VaultDeps } from './vault.js';

interface Rotation extends RotationOptions {
  readonly credentialId: string;
  readonly secret: Secret;
}

/**
 * Seals a new secret as the next version and retires the versions before it. As a trial, these stay as they are, but for
 * an older candidate.
 *
 * The new version takes tenant, seller, connection, kind and destination from the stored row, so that row is
 * authenticated first: write access to the database is not enough to direct the next secret to another seller. A crash
 * between the two statements leaves two live versions; the newer one is used.
 */
export async function rotateCredential(
  deps: VaultDeps,
  scope: TenantScope,
  { credentialId, secret, destinationIfUnbound, overlapMs = 0, isTrial }: Rotation,
): Promise<Result<CredentialVersion, VaultFailure>> {
  const rows = await queryStore(() => deps.store.current(scope, [credentialId]));
  if (!rows.ok) return rows;
  const [live] = rows.value;
  if (live === undefined)
    return err({ code: 'not_found', message: 'There is no live credential of this id.' });
  if (live.organizationId !== scope.organizationId || live.credentialId !== credentialId) {
    return err({ code: 'mismatch', message: 'The stored credential is not the requested one.' });
  }
  const authentic = await checkCredential(deps.kms, live);
  if (!authentic.ok) return authentic;

  const { organizationId, connectionId, seller, clientId, kind } = live;
  const isBound = live.scheme === sealingScheme || !sentKinds.has(kind);
  const destination = isBound ? live.destination : destinationIfUnbound;
  if (sentKinds.has(kind) && destination === undefined) return err(unbound);
  const newest = await queryStore(() => deps.store.newest(scope, credentialId));
  if (!newest.ok) return newest;
  const next = {
    credentialId,
    version: newest.value + 1,
    organizationId,
    kind,
    ...defined({ connectionId, seller, clientId, destination }),
  };
  const trial = isTrial === true ? { overlapMs } : undefined;
  const stored = await storeSealed(deps, scope, next, secret, trial);
  if (!stored.ok || isTrial === true) return stored;
  const retired = await queryStore(() => deps.store.retire(scope, live, deps.clock.now(), overlapMs));
  return retired.ok ? stored : retired;
}
