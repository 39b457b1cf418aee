import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { askStore } from './ask-store.js';
import type { CredentialMetadata } from './credential-store.js';
import { encryptionContextOf } from './encryption-context.js';
import { checkCredential } from './open-credential.js';
import type { VaultFailure } from './vault-failure.js';
import type { CredentialVersion, VaultDeps } from './vault.js';

/** What a sweep found and did. The sweep is complete when `changedMeanwhile` is 0 and `failed` is empty. */
export interface RewrapReport {
  readonly examined: number;
  readonly alreadyCurrent: number;
  readonly rewrapped: number;
  /** Lost the compare-and-set against another sweep: the next run sees them as they are then. */
  readonly changedMeanwhile: number;
  readonly failed: readonly (CredentialVersion & { readonly failure: VaultFailure })[];
}

/**
 * Brings every data key of a tenant, retired versions too, under the current KMS key. Each record is one step of
 * its own, and what is done already is passed over, so a sweep that was cut off is simply run again.
 */
export async function rewrapCredentials(
  deps: VaultDeps,
  scope: TenantScope,
): Promise<Result<RewrapReport, VaultFailure>> {
  const listed = await askStore(() => deps.store.list(scope));
  if (!listed.ok) return listed;
  const currentKeyId = deps.kms.currentKeyId();
  const behind = listed.value.filter((row) => row.kmsKeyId !== currentKeyId);
  let rewrapped = 0;
  let changedMeanwhile = 0;
  const failed: (CredentialVersion & { failure: VaultFailure })[] = [];
  for (const row of behind) {
    const outcome = await rewrapOne(deps, scope, row);
    if (!outcome.ok) {
      failed.push({ credentialId: row.credentialId, version: row.version, failure: outcome.error });
    } else if (outcome.value) rewrapped += 1;
    else changedMeanwhile += 1;
  }
  const alreadyCurrent = listed.value.length - behind.length;
  return ok({ examined: listed.value.length, alreadyCurrent, rewrapped, changedMeanwhile, failed });
}

/** False when somebody else changed the row first. The new wrap is proved to open before it replaces the old one. */
async function rewrapOne(
  deps: VaultDeps,
  scope: TenantScope,
  { credentialId, version }: CredentialMetadata,
): Promise<Result<boolean, VaultFailure>> {
  const found = await askStore(() => deps.store.version(scope, credentialId, version));
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
  return askStore(() => deps.store.replaceWrap(scope, { credentialId, version }, change));
}
