import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { queryStore, type VaultFailure } from './vault-failure.js';
import type { CredentialMetadata } from './credential-store.js';
import { encryptionContextOf } from './encryption-context.js';
import { checkCredential } from './open-credential.js';
import type { CredentialVersion, RewrapReport, VaultDeps } from './vault.js';

/**
 * Wraps every data key of a tenant, also of retired versions, under the current KMS key. Each record is a separate step
 * and finished records are skipped, so an interrupted run can simply be started again.
 * After `until`, in milliseconds since 1970, no further record is begun.
 */
export async function rewrapCredentials(
  deps: VaultDeps,
  scope: TenantScope,
  until = Number.POSITIVE_INFINITY,
): Promise<Result<RewrapReport, VaultFailure>> {
  const listed = await queryStore(() => deps.store.list(scope));
  if (!listed.ok) return listed;
  const currentKeyId = deps.kms.currentKeyId();
  const behind = listed.value.filter((row) => row.kmsKeyId !== currentKeyId);
  let rewrapped = 0;
  let changedMeanwhile = 0;
  const failed: (CredentialVersion & { failure: VaultFailure })[] = [];
  for (const row of behind) {
    if (deps.clock.now() >= until) break;
    const outcome = await rewrapOne(deps, scope, row);
    if (!outcome.ok) {
      failed.push({ credentialId: row.credentialId, version: row.version, failure: outcome.error });
    } else if (outcome.value) rewrapped += 1;
    else changedMeanwhile += 1;
  }
  const alreadyCurrent = listed.value.length - behind.length;
  return ok({ examined: listed.value.length, alreadyCurrent, rewrapped, changedMeanwhile, failed });
}

/** Returns false when the row was changed by someone else first. The new wrap is tested before it replaces the old one. */
async function rewrapOne(
  deps: VaultDeps,
  scope: TenantScope,
  { credentialId, version }: CredentialMetadata,
): Promise<Result<boolean, VaultFailure>> {
  const found = await queryStore(() => deps.store.version(scope, credentialId, version));
  if (!found.ok) return found;
  const sealed = found.value;
  if (sealed === undefined) return ok(false);
  const from = { keyId: sealed.kmsKeyId, wrapped: sealed.wrappedKey };
  const to = await deps.kms.rewrap({ ...from, context: encryptionContextOf(sealed) });
  if (!to.ok) return err({ code: 'key_management', kms: to.error.code, message: to.error.message });

  const { keyId, wrapped } = to.value;
  const proved = await checkCredential(deps.kms, { ...sealed, kmsKeyId: keyId, wrappedKey: wrapped });
  if (!proved.ok) return proved;
  const change = { from, to: { keyId, wrapped }, at: deps.clock.now() };
  return queryStore(() => deps.store.replaceWrap(scope, { credentialId, version }, change));
}
