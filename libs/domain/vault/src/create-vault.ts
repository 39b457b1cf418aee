import { ok, err, type Result, type Secret } from '@switchyard/values';
import type { TenantScope } from '@switchyard/tenancy';
import { queryStore, type VaultFailure } from './vault-failure.js';
import { bindCredential } from './bind-credential.js';
import { leaseCredentials } from './lease-credentials.js';
import { prepareVersion } from './prepare-version.js';
import { putCredential } from './put-credential.js';
import { rewrapCredentials } from './rewrap-credentials.js';
import { rotateCredential } from './rotate-credential.js';
import { SecretCache } from './secret-cache.js';
import type { Vault, VaultDeps, CredentialVersion, LeaseReason, LeaseRequest } from './vault.js';

/** Creates the vault: its functions share one cache of opened secrets. */
export function createVault(deps: VaultDeps): Vault {
  const cache = new SecretCache(deps.clock, deps.cacheEntries ?? 2_000);
  const lease: Vault['lease'] = (scope, requests, reason, source) =>
    leaseCredentials({ ...deps, store: source ?? deps.store, cache }, scope, requests, reason);
  return {
    put: (scope, credential) => putCredential(deps, scope, credential),
    lease,
    prepare: (scope, wanted) => prepareVersion(deps, scope, wanted),
    sealed: (scope, credentialIds) => queryStore(() => deps.store.current(scope, credentialIds)),
    withSecret: (scope, request, reason, use) => withSecret(lease, { scope, request, reason }, use),
    unbound: (scope) => queryStore(() => deps.store.unbound(scope)),
    bind: async (scope, credentialId, destination) => {
      const bound = await bindCredential(deps, scope, credentialId, destination);
      cache.forget(credentialId);
      return bound;
    },
    rotate: async (scope, credentialId, secret, options) => {
      const rotated = await rotateCredential(deps, scope, { credentialId, secret, ...options });
      cache.forget(credentialId);
      return rotated;
    },
    revoke: async (scope, credentialId) => {
      const at = deps.clock.now();
      const retired = await queryStore(() =>
        deps.store.retire(scope, { credentialId, version: everyVersion }, at),
      );
      cache.forget(credentialId);
      return retired.ok ? ok(retired.value) : retired;
    },
    rewrapAll: (scope, until) => rewrapCredentials(deps, scope, until),
    settle: async (scope, version, accepted) => {
      const settled = await queryStore(() => deps.store.settle(scope, version, accepted, deps.clock.now()));
      cache.forget(version.credentialId);
      return settled;
    },
    rollBack: async (scope, credentialId) => {
      const back = await queryStore(() => deps.store.rollBack(scope, credentialId, deps.clock.now()));
      cache.forget(credentialId);
      return back;
    },
    count: (scope, counted) => deps.store.count(scope, counted),
    setEnd: (scope, credentialId, at) => deps.store.setEnd(scope, credentialId, at),
    noteError: (scope, version, error) => deps.store.noteError(scope, version, error),
    list: (scope) => queryStore(() => deps.store.list(scope)),
    close: () => cache.close(),
  };
}

/** The largest value of the version column, a 32-bit integer. */
const everyVersion = 2_147_483_647;

/** Leases one credential while `use` runs, and releases it also when `use` fails. */
async function withSecret<T>(
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
