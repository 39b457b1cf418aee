import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import type { VaultFailure } from './vault-failure.js';
import type { CredentialVersion, LeaseReason, LeaseRequest, Vault } from './vault.js';

/** Leases one credential while `use` runs, and releases it also when `use` fails. */
export async function withSecret<T>(
  lease: Vault['lease'],
  {
    scope,
    request,
    reason,
  }: { readonly scope: TenantScope; readonly request: LeaseRequest; readonly reason: LeaseReason },
  use: (secret: Secret, version: CredentialVersion) => Promise<T>,
): Promise<Result<T, VaultFailure>> {
  const leases = await lease(scope, [request], reason);
  if (!leases.ok) return leases;
  const leased = leases.value.get(request.credentialId);
  if (leased === undefined)
    return err({ code: 'not_found', message: 'There is no live credential of this id.' });
  if (!leased.ok) return leased;
  const { secret, credentialId, version } = leased.value;
  try {
    return ok(await use(secret, { credentialId, version }));
  } finally {
    leased.value.release();
  }
}
